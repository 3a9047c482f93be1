// SPDX-License-Identifier: Apache-2.0
#include "learning/shards/shard_worker.h"

#include <fmt/format.h>

#include <cmath>

#include "data/column_statistics.h"
#include "data/scale_rows.h"
#include "dorm/evaluate.h"
#include "dorm/model.h"
#include "dorm/one_per.h"
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
  features_.reset();
  lists_.reset();
  pairs_.reset();
  setup_text_ = setup;
}

const LinearFeatures& ShardWorker::features() {
  if (!features_) features_ = std::make_unique<LinearFeatures>(shard_.data, setup_.scaling, kept_bytes_, 1);
  return *features_;
}

RankingRisk& ShardWorker::lists() {
  if (!lists_) {
    std::vector<GroupLimits> limits;
    if (!setup_.one_per.empty()) limits = group_limits(shard_.data, parse_one_per(setup_.one_per));
    std::vector<float> order;
    if (!setup_.given_ties.empty()) order = labels_by_feature(shard_.data, setup_.given_ties);
    lists_ = std::make_unique<RankingRisk>(features(), *make_trainable(setup_.measure, make_convention(setup_.convention)),
                                           Decay(setup_.decay), 1, OracleKind::automatic, std::move(limits),
                                           std::move(order));
    bound_ = Bound::given;
    reference_.clear();
  }
  return *lists_;
}

void ShardWorker::refer(const Question& question) {
  RankingRisk& risk = lists();
  if (bound_ == question.bound && reference_ == question.reference) return;
  risk.set_reference(question.bound, question.reference);
  bound_ = question.bound;
  reference_ = question.reference;
}

LinearFeatures ShardWorker::sample(std::uint64_t step) {
  if (step == 1) return features();
  std::vector<std::size_t> queries;
  for (std::size_t q = 0; q < shard_.data.num_queries(); q += step) queries.push_back(q);
  return features().select(queries);
}

const PairwiseRisk& ShardWorker::pairs(const Question& question) {
  if (!pairs_ || pair_gains_ != question.gains || pair_step_ != question.step) {
    const FactoredMeasurePtr measure = question.gains ? plain_gains(setup_.convention) : nullptr;
    pairs_.reset();
    pair_features_ = std::make_unique<LinearFeatures>(sample(question.step));
    pairs_ = std::make_unique<PairwiseRisk>(*pair_features_, measure.get());
    pair_gains_ = question.gains;
    pair_step_ = question.step;
  }
  return *pairs_;
}

std::vector<double> ShardWorker::targets(const LinearFeatures& features, bool gains) const {
  return gains ? gains_of(features.data(), *plain_gains(setup_.convention)) : labels_of(features.data());
}

void ShardWorker::describe(Answer& answer) const {
  const Dataset& data = shard_.data;
  data.require_labels();
  Model model;
  for (std::size_t j = 0; j < data.num_features(); ++j) model.features.push_back(data.feature_name(j));
  model.weights.assign(model.features.size(), 0.0);
  model.data = {.fingerprint = data.fingerprint(),
                .queries = data.num_queries(),
                .documents = data.num_documents(),
                .features = data.feature_range(),
                .input = data.input()};
  answer.text = to_json(model);
  answer.numbers = {choose_scaling(data) == ScalingKind::none ? 1.0 : 0.0, data.dense() ? 1.0 : 0.0};
}

void ShardWorker::statistics(bool logarithm, Answer& answer) const {
  const Dataset& data = shard_.data;
  if (!data.dense())
    throw Error(ErrorCode::unsupported,
                "scalings that are fitted to all documents need dense features where data lies in shards; expected "
                "none or a scaling by query");
  ColumnStatistics statistics(data.num_features(), logarithm);
  for (std::size_t q = 0; q < data.num_queries(); ++q) statistics.add(dense_rows(data.query(q)));
  data.require_intact();
  answer.numbers = statistics.numbers();
}

void ShardWorker::prepare(Answer& answer) {
  const auto documents = static_cast<double>(shard_.data.num_documents());
  const RankingRisk& risk = lists();
  answer.numbers = {static_cast<double>(risk.num_lists()), risk.total_weight(),
                    static_cast<double>(risk.longest_query()), features().centred_norm(1) * documents, documents};
}

void ShardWorker::products(const Question& question, Answer& answer) {
  const LinearFeatures some = sample(question.step);
  std::optional<CentredProducts> products = some.centred_products(targets(some, question.gains), 1);
  if (products) answer.numbers = std::move(products->upper);
}

void ShardWorker::judge(const Question& question, Answer& answer) {
  const Dataset& data = shard_.data;
  std::vector<double> scores(data.num_documents());
  for (std::size_t q = 0; q < data.num_queries(); ++q)
    features().scores(q, question.w, std::span(scores).subspan(data.first_document(q), data.query(q).size()));
  const FactoredMeasurePtr trained = make_trainable(setup_.measure, make_convention(setup_.convention));
  const Measure* const measure = trained.get();
  const EvaluateOptions options{
      .convention = setup_.convention, .one_per = setup_.one_per, .bootstrap = 0, .threads = 1};
  const EvaluationTable table = evaluate(data, scores, std::span(&measure, 1), options);
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    answer.numbers.push_back(table.measures[0].per_query[q]);
    answer.numbers.push_back(data.query(q).weight);
  }
}

void ShardWorker::require_weights(const Question& question) const {
  for (const std::vector<double>* weights : {&question.w, &question.reference})
    if (!weights->empty() && weights->size() != shard_.data.num_features())
      throw Error(ErrorCode::bad_input, fmt::format("{} weights are asked about, but the documents have {} features",
                                                    weights->size(), shard_.data.num_features()));
}

Answer ShardWorker::answer(const Question& question) {
  Answer answer;
  answer.shard = shard_.number;
  require_weights(question);
  if (question.topic != Topic::describe && question.topic != Topic::statistics) set_up(question.setup);
  switch (question.topic) {
    case Topic::describe:
      describe(answer);
      break;
    case Topic::statistics:
      statistics(question.logarithm, answer);
      break;
    case Topic::prepare:
      prepare(answer);
      break;
    case Topic::products:
      products(question, answer);
      break;
    case Topic::targets: {
      const LinearFeatures some = sample(question.step);
      answer.numbers = target_product(some, targets(some, question.gains), 1);
      answer.numbers.push_back(some.centred_norm(1) * static_cast<double>(some.data().num_documents()));
      break;
    }
    case Topic::normal:
      answer.numbers = normal_product(sample(question.step), question.w, 1);
      break;
    case Topic::linearize:
    case Topic::value: {
      refer(question);
      const bool wanted = question.topic == Topic::linearize;
      answer.value = mean_over_blocks(lists(), question.w, wanted ? &answer.plane : nullptr);
      break;
    }
    case Topic::changed: {
      refer(question);
      answer.numbers = {static_cast<double>(lists().set_reference(question.bound, question.w))};
      reference_ = question.w;
      break;
    }
    case Topic::pairs: {
      const PairwiseRisk& risk = pairs(question);
      answer.numbers = {static_cast<double>(risk.num_blocks()), risk.total_weight()};
      break;
    }
    case Topic::hinge:
      answer.value = mean_over_blocks(pairs(question), question.w, &answer.plane);
      break;
    case Topic::scatter:
      answer.numbers = {score_scatter(features(), question.w)};
      break;
    case Topic::judge:
      judge(question, answer);
      break;
  }
  if (!shard_.data.dense()) compress(answer.plane);
  shard_.data.require_intact();
  return answer;
}

}  // namespace dorm
