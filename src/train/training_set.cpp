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
constexpr std::size_t kStartDocuments = 200000;

Scaling scaling_for(const Dataset& data, std::string_view name) {
  return fit_scaling(name == "auto" ? choose_scaling(data) : parse_scaling(name), data);
}

// What the starts are computed from: all of the data, or of a large set about kStartDocuments documents, in
// queries spread evenly over it. Sets whose columns were compacted are taken whole, since a part may use
// fewer columns.
LinearFeatures start_sample(const LinearFeatures& features) {
  const Dataset& data = features.data();
  const std::size_t step = data.num_documents() / kStartDocuments + 1;
  if (step == 1 || features.dimension() != data.num_features()) return features;
  std::vector<std::size_t> queries;
  for (std::size_t q = 0; q < data.num_queries(); q += step) queries.push_back(q);
  return LinearFeatures(data.select(queries));
}

}  // namespace

TrainingSet::TrainingSet(const Dataset& data, std::string_view scale, std::size_t threads)
    : threads_(thread_count(threads)),
      scaling_(scaling_for(data, scale)),
      features_(apply_scaling(scaling_, data, threads_)),
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
  const LinearFeatures sample = start_sample(features_);
  if (name == "ridge") return ridge(sample, lambda, threads_);
  PairwiseRisk risk(sample);
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
