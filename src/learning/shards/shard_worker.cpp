// SPDX-License-Identifier: Apache-2.0
#include "learning/shards/shard_worker.h"

#include <fmt/format.h>

#include <cmath>

#include "data/scale/column_statistics.h"
#include "data/scale/scale_rows.h"
#include "data/scale/survey.h"
#include "dorm/data/one_per.h"
#include "dorm/evaluate.h"
#include "dorm/model.h"
#include "learning/risk/ridge.h"
#include "learning/risk/targets.h"
#include "model/features/scatter.h"

namespace dorm {
namespace {

/// The weighted mean of H over the blocks of a risk at w, and with `plane` that of its planes.
template <class Risk>
double mean_over_blocks(const Risk& risk, std::span<const double> w, Plane* plane) {
  const auto workspace = risk.make_workspace();
  std::vector<double> sum(plane ? risk.dimension() : 0, 0.0);
  double value = 0, offset = 0, total = 0;
  Plane of_block;
  for (std::size_t block = 0; block < risk.num_blocks(); ++block) {
    const double weight = risk.block_weight(block);
    value += weight * risk.linearize(block, w, of_block, *workspace);
    total += weight;
    if (!plane) continue;
    offset += weight * of_block.offset;
    risk.geometry().add(weight, of_block, sum);
  }
  if (!(total > 0)) return 0;
  if (plane) {
    plane->offset = offset / total;
    plane->direction.reserve(sum.size());
    for (const double x : sum) plane->direction.push_back(static_cast<float>(x / total));
  }
  return value / total;
}

// Where most of it is 0, by its other columns.
void compress(Plane& plane) {
  const std::vector<float> dense = std::move(plane.direction);
  plane.direction.clear();
  for (std::size_t j = 0; j < dense.size(); ++j)
    if (dense[j] != 0) {
      plane.columns.push_back(static_cast<std::uint32_t>(j));
      plane.direction.push_back(dense[j]);
    }
}

}  // namespace

void ShardWorker::set_up(const std::string& setup) {
  if (setup == setup_text_) return;
  setup_ = ShardSetup::parse(setup);
  lists_.reset();
  pairs_.reset();
  features_.reset();
  scorer_.reset();
  setup_text_ = setup;
}

const LinearFeatures& ShardWorker::features() {
  if (!features_) features_ = std::make_unique<LinearFeatures>(shard_.data, setup_.scaling, kept_bytes_, 1);
  return *features_;
}

const LinearScorer& ShardWorker::scorer() {
  if (!scorer_) {
    Model model = model_of_features();
    model.scaling = setup_.scaling;
    scorer_ = std::make_unique<LinearScorer>(model, shard_.data, 1, kept_bytes_);
  }
  return *scorer_;
}

RankingRisk& ShardWorker::lists() {
  if (!lists_) {
    std::vector<GroupLimits> limits;
    if (!setup_.one_per.empty()) limits = group_limits(shard_.data, parse_one_per(setup_.one_per));
    std::vector<float> order;
    if (!setup_.given_ties.empty()) order = labels_by_feature(shard_.data, setup_.given_ties);
    lists_ = std::make_unique<RankingRisk>(
        features(), *make_trainable(setup_.measure, make_convention(setup_.convention)), Decay(setup_.decay), 1,
        OracleKind::automatic, std::move(limits), std::move(order));
    bound_ = Bound::given;
    reference_.clear();
    lists_->set_reference(Bound::given, reference_);
  }
  return *lists_;
}

void ShardWorker::refer(const ShardRequest& request) {
  RankingRisk& risk = lists();
  if (bound_ == request.bound && reference_ == request.reference) return;
  risk.set_reference(request.bound, request.reference);
  bound_ = request.bound;
  reference_ = request.reference;
}

bool ShardWorker::counts(const ShardRequest& request) const {
  return shard_.number % request.step == request.first % request.step;
}

const PairwiseRisk& ShardWorker::pairs(bool gains) {
  if (!pairs_ || pair_gains_ != gains) {
    const FactoredMeasurePtr measure = gains ? plain_gains(setup_.convention) : nullptr;
    pairs_ = std::make_unique<PairwiseRisk>(features(), measure.get());
    pair_gains_ = gains;
  }
  return *pairs_;
}

std::vector<double> ShardWorker::targets(bool gains) const {
  return gains ? gains_of(shard_.data, *plain_gains(setup_.convention)) : labels_of(shard_.data);
}

Model ShardWorker::model_of_features() const {
  Model model;
  for (std::size_t j = 0; j < shard_.data.num_features(); ++j) model.features.push_back(shard_.data.feature_name(j));
  model.weights.assign(model.features.size(), 0.0);
  return model;
}

void ShardWorker::describe(ShardResponse& response) const {
  const Dataset& data = shard_.data;
  data.require_labels();
  Model model = model_of_features();
  Survey survey(data);
  survey.add_all(1);
  model.data = {.fingerprint = survey.fingerprint(),
                .queries = data.num_queries(),
                .documents = data.num_documents(),
                .features = data.feature_range(),
                .input = data.input(),
                .statistics = survey.statistics()};
  response.text = to_json(model);
  response.numbers = {choose_scaling(data) == ScalingKind::none ? 1.0 : 0.0, data.dense() ? 1.0 : 0.0};
}

void ShardWorker::statistics(bool logarithm, ShardResponse& response) const {
  const Dataset& data = shard_.data;
  response.numbers = column_statistics(data, 0, data.num_queries(), logarithm).numbers();
  data.require_intact();
}

void ShardWorker::prepare(ShardResponse& response) {
  const auto documents = static_cast<double>(shard_.data.num_documents());
  const RankingRisk& risk = lists();
  response.numbers = {static_cast<double>(risk.num_lists()), risk.total_weight(),
                      static_cast<double>(risk.longest_query()), features().centred_norm(1) * documents, documents};
}

void ShardWorker::answer_start(const ShardRequest& request, ShardResponse& response) {
  if (!counts(request)) {
    if (request.topic == Topic::pairs) response.numbers = {0, 0};
    return;
  }
  if (request.topic == Topic::products) {
    const std::optional<CentredProducts> products = features().centred_products(targets(request.gains), 1);
    for (std::size_t k = 0; products && k < products->size; ++k)
      for (std::size_t j = k; j <= products->size; ++j) response.numbers.push_back(products->at(k, j));
  } else if (request.topic == Topic::targets) {
    response.numbers = target_product(features(), targets(request.gains), 1);
    response.numbers.push_back(features().centred_norm(1) * static_cast<double>(shard_.data.num_documents()));
  } else if (request.topic == Topic::normal) {
    response.numbers = normal_product(features(), request.w, 1);
  } else if (request.topic == Topic::pairs) {
    const PairwiseRisk& risk = pairs(request.gains);
    response.numbers = {static_cast<double>(risk.num_blocks()), risk.total_weight()};
  } else {
    response.value = mean_over_blocks(pairs(request.gains), request.w, &response.plane);
  }
}

void ShardWorker::answer_lists(const ShardRequest& request, ShardResponse& response) {
  refer(request);
  if (request.topic == Topic::changed) {
    response.numbers = {static_cast<double>(lists().set_reference(request.bound, request.w))};
    reference_ = request.w;
  } else {
    const bool wanted = request.topic == Topic::linearize;
    response.value = mean_over_blocks(lists(), request.w, wanted ? &response.plane : nullptr);
  }
}

void ShardWorker::judge(const ShardRequest& request, ShardResponse& response) {
  const Dataset& data = shard_.data;
  const FactoredMeasurePtr trained = make_trainable(setup_.measure, make_convention(setup_.convention));
  const Measure* const measure = trained.get();
  const EvaluateOptions options{
      .convention = setup_.convention, .one_per = setup_.one_per, .bootstrap = 0, .threads = 1};
  const EvaluationTable table = evaluate(data, scorer().scores(request.w, 1), std::span(&measure, 1), options);
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    response.numbers.push_back(table.measures[0].per_query[q]);
    response.numbers.push_back(data.query(q).weight);
  }
}

void ShardWorker::require_weights(const ShardRequest& request) const {
  for (const std::vector<double>* weights : {&request.w, &request.reference})
    if (!weights->empty() && weights->size() != shard_.data.num_features())
      throw Error(ErrorCode::bad_input, fmt::format("{} weights are asked about, but the documents have {} features",
                                                    weights->size(), shard_.data.num_features()));
}

ShardResponse ShardWorker::response(const ShardRequest& request) {
  ShardResponse response;
  response.shard = shard_.number;
  require_weights(request);
  if (request.topic != Topic::describe && request.topic != Topic::statistics) set_up(request.setup);
  switch (request.topic) {
    case Topic::describe:
      describe(response);
      break;
    case Topic::statistics:
      statistics(request.logarithm, response);
      break;
    case Topic::prepare:
      prepare(response);
      break;
    case Topic::products:
    case Topic::targets:
    case Topic::normal:
    case Topic::pairs:
    case Topic::hinge:
      answer_start(request, response);
      break;
    case Topic::linearize:
    case Topic::value:
    case Topic::changed:
      answer_lists(request, response);
      break;
    case Topic::scatter:
      response.numbers = {score_scatter(features(), request.w)};
      break;
    case Topic::judge:
      judge(request, response);
      break;
  }
  if (!shard_.data.dense()) compress(response.plane);
  shard_.data.require_intact();
  return response;
}

}  // namespace dorm
