// SPDX-License-Identifier: Apache-2.0
// How a model was found, noted in the model: the one place that fills these fields.
#pragma once

#include <limits>
#include <string>

#include "dorm/model.h"
#include "dorm/train.h"

namespace dorm {

/// Of what is not solved as a convex problem.
Certificate no_certificate();

/// What a method does not use is left as it is here.
struct Origin {
  std::string measure, convention, decay = {}, target = {}, one_per = {};
  std::string bound = "none", start = {};
  std::size_t rounds = 0;
  double C = 0;
  std::uint64_t seed = 0;
  const SolveOptions* solve = nullptr;  // of the convex problem with the certificate
  Certificate certificate = no_certificate();
  double explained_risk = 0;
  double validation = std::numeric_limits<double>::quiet_NaN();
  DataSummary data = {};
};

/// What options say about it; the rest is the caller's.
Origin origin_of(const TrainOptions& options);

/// Of the whole data; usable queries are counted by who trains.
DataSummary summary_of(const Dataset& data);

void describe(Model& model, const Origin& origin);

}  // namespace dorm
