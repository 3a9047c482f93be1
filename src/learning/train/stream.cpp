// SPDX-License-Identifier: Apache-2.0
#include "dorm/stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/json.h"
#include "base/vector/vector_ops.h"
#include "data/scale/survey.h"
#include "dorm/error.h"
#include "dorm/ranking/list_problem.h"
#include "dorm/train.h"
#include "learning/train/describe.h"
#include "learning/train/learning_task.h"
#include "learning/train/scaling_choice.h"
#include "model/align.h"
#include "model/features/linear_features.h"

namespace dorm {
namespace {

constexpr std::size_t kQueriesPerStep = 4;
// The average weighs iterate t about by t^8: the poor first ones are soon forgotten.
constexpr double kAveraging = 8;
constexpr std::array kStreamScalings = {ScalingKind::none, ScalingKind::query_minmax, ScalingKind::log_query_zscore};

Bound stream_bound(const TrainOptions& options) {
  const Bound bound = options.bound.value_or(Bound::best);
  if (!depends_on_scores(bound))
    throw Error(ErrorCode::bad_option,
                fmt::format("the bound is {}; a stream can do best (auto is the same) and predicted", name_of(bound)));
  return bound;
}

void check_stream_options(const TrainOptions& options) {
  options.validate();
  stream_bound(options);
  if (KernelOptions(options).used())
    throw Error(ErrorCode::bad_option, "a stream trains linear rankers; expected no kernel, or all the data at once");
  if (options.paper_C)
    throw Error(ErrorCode::bad_option, "the paper's C counts all queries, which a stream does not know; leave it off");
  if (!options.one_per.empty())
    throw Error(ErrorCode::unsupported, "limits on groups are not kept by a stream; expected none");
  if (wants_curves(options.curves))
    throw Error(ErrorCode::unsupported, "a stream learns no curves; expected none, or all the data at once");
  if (options.signs.used())
    throw Error(ErrorCode::unsupported,
                "a stream learns weights of any sign; expected no signs, or all the data at once");
  require_cpu(options, "streams are");
}

// Only scalings that need no more than the query at hand; auto is settled by the first documents.
ScalingKind stream_scaling(const TrainOptions& options, const Dataset& data) {
  const ScalingKind kind =
      ScalingChoice(options.scale, options.target).settle([&] { return choose_scaling(data) == ScalingKind::none; });
  if (std::find(kStreamScalings.begin(), kStreamScalings.end(), kind) == kStreamScalings.end())
    throw Error(ErrorCode::bad_option,
                fmt::format("the scaling{} is {}, which needs all the data; a stream can do none, query-minmax and "
                            "log-query-zscore, or go on from a model with its scaling",
                            options.target.empty() ? "" : " for " + options.target, name_of(kind)));
  return kind;
}

}  // namespace

/// The documents of one call in the stream's coordinates.
class Stream::Chunk {
 public:
  /// All queries are added to `survey`.
  Chunk(const Dataset& data, const Model& model, const TrainOptions& options, Survey& survey)
      : features_(data, scaling_of_columns(model, data), default_kept_bytes(dense_bytes(data)), 1, &survey),
        measure_(options),
        bound_(stream_bound(options)),
        decay_(options.decay) {
    const FeatureIndex index(model);
    for (std::size_t j = 0; j < features_.dimension(); ++j) slot_.push_back(index.find(data.feature_name(j)));
  }

  const LinearFeatures& features() const { return features_; }

  /// Adds the gradient of a query's weighted loss at w; its loss, or nothing where there is nothing to learn.
  std::optional<double> add_gradient(std::size_t q, std::span<const double> w, std::span<double> gradient) {
    const Query query = features_.data().query(q);
    if (query.weight == 0) return std::nullopt;
    const std::optional<ListProblem> list = make_list_problem((*measure_).factor(query.labels), decay_, tables_);
    if (!list) return std::nullopt;
    local_.assign(slot_.size(), 0.0);
    for (std::size_t j = 0; j < slot_.size(); ++j)
      if (slot_[j] != FeatureIndex::kUnknown) local_[j] = w[slot_[j]];
    scores_.resize(query.size());
    features_.scores(q, local_, scores_);
    list->linearize_against(bound_, scores_, plane_, workspace_);
    for (double& delta : plane_.delta) delta *= -query.weight;
    std::fill(local_.begin(), local_.end(), 0.0);
    features_.accumulate(q, plane_.delta, local_);
    for (std::size_t j = 0; j < slot_.size(); ++j)
      if (slot_[j] != FeatureIndex::kUnknown) gradient[slot_[j]] += local_[j];
    return query.weight * plane_.value;
  }

 private:
  LinearFeatures features_;
  NamedMeasure measure_;
  Bound bound_;
  Decay decay_;
  OracleTables tables_;
  std::vector<std::size_t> slot_;  // by column in use: the stream's weight, or none
  std::vector<double> local_, scores_;
  ScorePlane plane_;
  ListWorkspace workspace_;
};

Stream::Stream(const Model* initial) {
  if (!initial) return;
  if (!initial->linear())
    throw Error(
        ErrorCode::bad_option,
        fmt::format("a stream trains linear rankers; the initial model is not linear ({})", name_of(initial->kind())));
  begun_ = true;
  model_ = *initial;
  model_.data = {.input = initial->data.input};
  start_ = weights_ = model_.weights;
}

void Stream::learn(const Dataset& data, const TrainOptions& options, const StreamObserver& observer) {
  check_stream_options(options);
  if (!begun_) {
    model_.scaling.kind = stream_scaling(options, data);
    model_.data.input = data.input();
  }
  require_served(options.target, model_.scaling.kind);
  begun_ = true;
  take_new_features(data);
  require_features(model_, data);
  Survey survey(data);
  Chunk chunk(data, model_, options, survey);
  note_statistics(data, survey.statistics());
  squared_norms_ += chunk.features().centred_norm(1) * static_cast<double>(data.num_documents());
  model_.data.documents += data.num_documents();
  model_.data.features = model_.features.size();
  for (std::size_t first = 0; first < data.num_queries(); first += kQueriesPerStep) {
    const std::size_t end = std::min(first + kQueriesPerStep, data.num_queries());
    step(chunk, first, end, options.C);
    model_.data.queries += end - first;
    if (observer && !observer(model_.data.queries)) break;
  }
  data.require_intact();
}

// Under a scaling fitted to all the data a column that was not there then is constant, and gets no weight.
void Stream::take_new_features(const Dataset& data) {
  const FeatureIndex index(model_);
  const bool fitted = !model_.scaling.shift.empty();
  for (std::size_t column = 0; column < data.num_features() && !fitted; ++column)
    if (std::string name = data.feature_name(column); index.find(name) == FeatureIndex::kUnknown)
      model_.features.push_back(std::move(name));
  for (std::vector<double>* of : {&start_, &weights_, &model_.weights}) of->resize(model_.features.size(), 0.0);
}

// A feature that some documents lack is 0 there. A stream that was saved without statistics stays without.
void Stream::note_statistics(const Dataset& data, const FeatureStatistics& found) {
  const std::size_t features = model_.features.size(), documents = data.num_documents();
  FeatureStatistics& known = model_.data.statistics;
  if (model_.data.documents > 0 && !known.known()) return;
  for (std::vector<double>* numbers : {&known.minimum, &known.maximum, &known.mean}) numbers->resize(features, 0.0);
  FeatureStatistics added = {std::vector(features, 0.0), std::vector(features, 0.0), std::vector(features, 0.0)};
  const FeatureIndex index(model_);
  for (std::size_t j = 0; j < data.num_features(); ++j) {
    const std::size_t slot = index.find(data.feature_name(j));
    if (slot == FeatureIndex::kUnknown) continue;
    added.minimum[slot] = found.minimum[j];
    added.maximum[slot] = found.maximum[j];
    added.mean[slot] = found.mean[j];
  }
  known.add(model_.data.documents, added, documents);
}

void Stream::step(Chunk& chunk, std::size_t first, std::size_t end, double C) {
  std::vector<double> gradient(weights_.size(), 0.0);
  double loss = 0;
  std::size_t count = 0;
  for (std::size_t q = first; q < end; ++q)
    if (const std::optional<double> of_query = chunk.add_gradient(q, weights_, gradient)) {
      loss += *of_query;
      ++count;
    }
  if (count == 0) return;
  const auto queries = static_cast<double>(count);
  model_.data.usable_queries += count;
  const double shrinkage = squared_norms_ / static_cast<double>(model_.data.documents) / C;
  for (std::size_t j = 0; j < gradient.size(); ++j) gradient[j] = gradient[j] / queries + weights_[j] * shrinkage;
  const double square = dot(std::span<const double>(gradient), gradient);
  if (square == 0) return;
  ++steps_;
  squared_gradients_ += square;
  const double length = farthest_ > 0 ? farthest_ / std::sqrt(squared_gradients_) : loss / queries / square;
  const double share = (1 + kAveraging) / (static_cast<double>(steps_) + kAveraging);
  double distance = 0;
  for (std::size_t j = 0; j < gradient.size(); ++j) {
    weights_[j] -= length * gradient[j];
    distance += (weights_[j] - start_[j]) * (weights_[j] - start_[j]);
    model_.weights[j] += share * (weights_[j] - model_.weights[j]);
  }
  farthest_ = std::max(farthest_, std::sqrt(distance));
}

Model Stream::model(const TrainOptions& options) const {
  Model model = model_;
  Origin origin = origin_of(options);
  origin.measure = NamedMeasure(options).name();
  origin.bound = name_of(stream_bound(options));
  origin.start = "stream";
  origin.solve = nullptr;
  origin.data = model_.data;
  describe(model, origin);
  return model;
}

std::string Stream::save() const {
  const Json json = {{"begun", begun_},
                     {"model", to_json(model_)},
                     {"start", start_},
                     {"weights", weights_},
                     {"steps", steps_},
                     {"farthest", farthest_},
                     {"squared_gradients", squared_gradients_},
                     {"squared_norms", squared_norms_}};
  return json_text(json);
}

Stream Stream::load(std::string_view text) {
  Stream stream;
  const Json parsed = parse_json(text, "stream", "a saved stream");
  const JsonFields json(parsed, "stream", "a saved stream");
  json.read("begun", stream.begun_);
  stream.model_ = model_from_json(json.required<std::string>("model", "a model"), "stream");
  json.read("start", stream.start_);
  json.read("weights", stream.weights_);
  json.read("steps", stream.steps_);
  json.read("farthest", stream.farthest_);
  json.read("squared_gradients", stream.squared_gradients_);
  json.read("squared_norms", stream.squared_norms_);
  const std::size_t features = stream.model_.features.size();
  if (stream.start_.size() != features || stream.weights_.size() != features)
    throw Error(ErrorCode::bad_input, "not a saved stream: its weights are not one per feature");
  if (stream.farthest_ < 0 || stream.squared_gradients_ < 0 || stream.squared_norms_ < 0)
    throw Error(ErrorCode::bad_input, "not a saved stream: a sum of squares is negative");
  return stream;
}

}  // namespace dorm
