// SPDX-License-Identifier: Apache-2.0
// Every linear ranker by name: the methods that DORM is compared with, and DORM itself. All share data, scaling, the
// meaning of C, and the model. docs/comparisons.md says what each minimises.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "dorm/base/catalog.h"
#include "dorm/base/compute.h"
#include "dorm/dataset.h"
#include "dorm/solver.h"
#include "dorm/train.h"

namespace dorm {

struct MethodOptions {
  // of 1/2 |w|^2 + (C / m) sum of losses, features scaled to unit mean squared row norm; m counts queries, or documents
  // where the loss is a sum over those
  double C = 1000;
  std::string measure = "ndcg@10";  // decides the sign of feature:NAME; others only note it in the model
  std::string convention = "standard";
  BoundChoice bound = std::nullopt;  // of dorm:MEASURE, as in TrainOptions
  InitialModelChoice start = std::nullopt;
  std::string scale = "auto";
  std::string target = "";  // likewise
  SolveOptions solve = {};
  ComputeOptions compute = {};
};

struct MethodResult {
  Model model;
  SolveReport solve;   // primal and passes 0 where the method is not solved as a convex problem
  double seconds = 0;  // of the whole training, scaling included
};

std::span<const CatalogEntry> method_catalog();

/// Throws Error(unknown_name) or Error(bad_option) for a spelling that is no method.
void check_method(std::string_view method);

/// Whether C means anything to the method (not to feature:NAME and prank).
bool method_uses_C(std::string_view method);

/// Trains `method`, spelled as in method_catalog(): "ranksvm", "precision-svm@5", "feature:BM25", "dorm:ndcg@10",
/// "dorm:ndcg@10~power:0.5~best" (with a decay and a bound), "roc-svm:rel=best" (the best label of each query against
/// the rest), "ridge:gain=exp2" (2^r - 1 in place of the label r). The observer's false stops the solver.
MethodResult train_method(const Dataset& data, std::string_view method, const MethodOptions& options = {},
                          const Observer& observer = {});

}  // namespace dorm
