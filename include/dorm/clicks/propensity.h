// SPDX-License-Identifier: Apache-2.0
// How likely a position is to be looked at, estimated from a click log: propensities up to a factor, the first position
// having 1. docs/click-evaluation.md says which method needs what.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dorm/base/catalog.h"
#include "dorm/clicks/clicks.h"
#include "dorm/dataset.h"

namespace dorm {

struct PropensityOptions {
  std::string method = "allpairs";  // a name of propensity_catalog()
  std::uint32_t pivot = 1;          // of the method pivot: the position all others are compared with
  bool isotonic = false;            // never increasing with the position

  // regression-em
  std::size_t max_iterations = 5000;
  double tolerance = 1e-9;      // stop when no log propensity moves by more
  std::size_t bootstrap = 100;  // resamples of the queries for standard errors; 0: none
  std::uint64_t seed = 0;
  std::size_t threads = 0;  // the result does not depend on it
};

/// What one context was estimated from.
struct PropensityEvidence {
  std::string context;
  std::size_t queries = 0;    // that contribute
  std::size_t documents = 0;  // of queries, seen at two positions or more; of regression-em all
  std::size_t pairs = 0;      // of positions that were compared
  std::size_t iterations = 0;
  bool converged = true;
};

struct PropensityEstimate {
  Propensities propensities;  // with standard errors, over queries
  std::vector<PropensityEvidence> evidence;
};

std::span<const CatalogEntry> propensity_catalog();

/// One estimate per context. For `swaps` the context (or what follows its last |) says which positions the session put
/// in random order: `1-4`, `1-2-3`, `all`; empty, `0` or `none`: none, and the row is left out. With `features`
/// (documents called as in the log) regression-em learns relevance from them, else it is a number per query and
/// document. Throws Error(bad_input) naming positions that nothing connects with the first.
PropensityEstimate estimate_propensities(const ClickCounts& counts, const PropensityOptions& options = {},
                                         const Dataset* features = nullptr);

}  // namespace dorm
