// SPDX-License-Identifier: Apache-2.0
#include "train/training_set.h"

#include "base/parallel.h"
#include "dorm/catalog.h"
#include "dorm/error.h"
#include "dorm/solver.h"
#include "risk/pairwise_risk.h"
#include "risk/ridge.h"

namespace dorm {
namespace {

// The pairwise start is a start: solved loosely, at one moderate C.
constexpr double kPairwiseC = 100;
constexpr double kPairwiseTolerance = 1e-2;

Scaling scaling_for(const Dataset& data, std::string_view name) {
  return fit_scaling(name == "auto" ? choose_scaling(data) : parse_scaling(name), data);
}

}  // namespace

TrainingSet::TrainingSet(const Dataset& data, std::string_view scale, std::size_t threads)
    : threads_(thread_count(threads)),
      scaling_(scaling_for(data, scale)),
      features_(apply_scaling(scaling_, data)),
      squared_scale_(0) {
  const double norm = centred_row_norm(features_, threads_);
  if (!(norm > 0))
    throw Error(ErrorCode::bad_input,
                "every feature is constant within every query: there is nothing to rank by");
  squared_scale_ = 1 / norm;
}

const std::vector<double>& TrainingSet::start(std::string_view name, double lambda) {
  const std::pair key(std::string(name), lambda);
  const auto found = starts_.find(key);
  if (found != starts_.end()) return found->second;
  return starts_.emplace(key, compute_start(name, lambda)).first->second;
}

const std::vector<double>& TrainingSet::known_start(std::string_view name) const {
  return starts_.at({std::string(name), kDefaultLambda});
}

std::vector<double> TrainingSet::compute_start(std::string_view name, double lambda) const {
  if (name == "ridge") return ridge(features_, lambda, threads_);
  PairwiseRisk risk(features_);
  if (risk.num_blocks() == 0) return std::vector<double>(features_.dimension(), 0.0);
  risk.set_weight(kPairwiseC * squared_scale_ / static_cast<double>(risk.num_blocks()));
  return solve(risk, {.tolerance = kPairwiseTolerance, .threads = threads_}).w;
}

Model TrainingSet::model(const std::vector<double>& w) const {
  const Dataset& data = features_.data();
  Model model;
  for (std::size_t j = 0; j < w.size(); ++j) model.features.push_back(data.feature_name(features_.column(j)));
  model.weights = w;
  model.scaling = scaling_;
  model.data.queries = data.num_queries();
  model.data.documents = data.num_documents();
  model.data.features = data.num_features();
  return model;
}

}  // namespace dorm
