// SPDX-License-Identifier: Apache-2.0
// A cell is a method on one split, chosen and trained for one measure.
#include "dorm/lab/recommender_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/checksum.h"
#include "base/numeric.h"
#include "base/thread_clock.h"
#include "dorm/error.h"
#include "lab/compare/figures.h"
#include "lab/compare/run_cells.h"

namespace dorm {
namespace {

constexpr int kRatingsFormat = 1;  // of records, and of what a key covers

void add_names(Checksum& sum, const IdTable& ids) {
  for (const std::string& name : ids.names()) {
    sum.update(std::as_bytes(std::span(name)));
    sum.update(std::as_bytes(std::span("\n", 1)));
  }
}

std::uint64_t ratings_checksum(const Ratings& ratings) {
  Checksum sum;
  add_names(sum, ratings.users());
  add_names(sum, ratings.items());
  for (std::size_t u = 0; u < ratings.num_users(); ++u) {
    const std::uint64_t size = ratings.of_user(u).size();
    sum.update(std::as_bytes(std::span(&size, 1)));
    sum.update(std::as_bytes(ratings.of_user(u).index));
    sum.update(std::as_bytes(ratings.of_user(u).value));
  }
  return sum.value();
}

std::uint64_t features_checksum(const SideFeatures* features) {
  if (!features) return 0;
  Checksum sum;
  add_names(sum, features->ids);
  sum.update(std::as_bytes(std::span(features->values)));
  return sum.value();
}

struct RatingsPart {
  RatingsSplit split;
  std::vector<std::size_t> tested;  // users with test ratings, in the order of values
  std::size_t trained = 0;          // users with training ratings
};

RatingsPart part_of(const Ratings& ratings, const RecommenderComparison& options, std::uint64_t seed) {
  RatingsPart part{
      options.given > 0 ? split_given(ratings, options.given, seed) : split_random(ratings, options.share, seed), {}};
  for (std::size_t u = 0; u < ratings.num_users(); ++u) {
    if (part.split.test.of_user(u).size() > 0) part.tested.push_back(u);
    part.trained += part.split.train.of_user(u).size() > 0;
  }
  return part;
}

class Recommenders {
 public:
  Recommenders(const Ratings& ratings, const RecommenderComparison& options, const CollaborativeInputs& inputs)
      : options_(options), inputs_(inputs), num_users_(ratings.num_users()) {
    for (std::size_t s = 0; s < options.splits; ++s)
      parts_.push_back(part_of(ratings, options, options.split_seed + s));
    data_ = fmt::format("{:016x} {:016x} {:016x}", ratings_checksum(ratings), features_checksum(inputs.user_features),
                        features_checksum(inputs.item_features));
    for (std::size_t u = 0; u < num_users_; ++u)
      if (std::any_of(parts_.begin(), parts_.end(),
                      [&](const RatingsPart& part) { return part.split.test.of_user(u).size() > 0; }))
        tested_.push_back(u);
  }

  ComparisonResult run(const ComparisonObserver& observer) const {
    const CellWork work{
        .count = options_.methods.size() * options_.measures.size() * parts_.size(),
        .key = [&](std::size_t c) { return key(c); },
        .method = [&](std::size_t c) { return method(c); },
        .compute = [&](std::size_t c, const std::function<bool()>& wanted) -> std::optional<CellRecord> {
          if (!wanted()) return std::nullopt;
          return compute(c);
        },
        .fits =
            [&](std::size_t c, const CellRecord& record) {
              return !record.failure.empty() ||
                     values_fit(record.test, options_.measures, options_.convention, part(c).tested.size());
            }};
    const auto records = run_cells(work, options_.directory, options_.threads, observer);
    ComparisonResult result;
    result.complete = records.has_value();
    if (records) summarise(*records, result);
    return result;
  }

 private:
  // Cells: split by split, measure by measure, method by method.
  const std::string& method(std::size_t c) const { return options_.methods[c % options_.methods.size()]; }
  std::size_t measure(std::size_t c) const { return c / options_.methods.size() % options_.measures.size(); }
  std::size_t split(std::size_t c) const { return c / options_.methods.size() / options_.measures.size(); }
  const RatingsPart& part(std::size_t c) const { return parts_[split(c)]; }

  std::string key(std::size_t c) const {
    const CollaborativeOptions& train = options_.train;
    std::string measures;
    for (const std::string& name : options_.measures) measures += name + ' ';
    return fmt::format(
        "recommenders {}; data {}; {}; {} {:.17g} split {}; {} for {}; {}{}; rank {} {:.17g} {}; seed {}; {}",
        kRatingsFormat, data_, build_identity(), options_.given, options_.share, options_.split_seed + split(c),
        method(c), options_.measures[measure(c)], measures, options_.convention, train.rank, train.implicit,
        train.neighbours, train.seed, options_.choose ? "chosen" : "defaults");
  }

  CellRecord compute(std::size_t c) const {
    const RatingsSplit& split = part(c).split;
    CollaborativeOptions train = options_.train;
    train.measure = options_.measures[measure(c)];
    train.threads = 1;
    CellRecord record;
    try {
      const double began = thread_seconds();
      record.chosen = options_.choose ? choose_collaborative(method(c), split.train, inputs_, train) : method(c);
      const double chosen = thread_seconds();
      const std::vector<double> scores = collaborative_scores(record.chosen, split.train, split.test, inputs_, train);
      record.seconds = thread_seconds() - chosen;
      record.tuning_seconds = thread_seconds() - began;
      record.test = values(split.test, scores, "expected");
    } catch (const Error& error) {
      record.failure = error.what();
    }
    return record;
  }

  std::vector<std::vector<double>> values(const Ratings& test, const std::vector<double>& scores,
                                          const std::string& ties) const {
    const EvaluateOptions how{.convention = options_.convention, .ties = ties, .bootstrap = 0, .threads = 1};
    EvaluationTable table = evaluate(test, scores, options_.measures, how);
    std::vector<std::vector<double>> by_measure;
    for (MeasureResult& result : table.measures) by_measure.push_back(std::move(result.per_query));
    return by_measure;
  }

  /// One value per tested user: the mean over the splits in which the measure counts for him.
  MeasureResult mean_over_splits(std::size_t measure, const std::vector<const std::vector<double>*>& of_split) const {
    std::vector<double> sum(num_users_, 0.0), count(num_users_, 0.0);
    for (std::size_t s = 0; s < parts_.size(); ++s)
      for (std::size_t i = 0; i < parts_[s].tested.size(); ++i) {
        const double value = (*of_split[s])[i];
        if (std::isnan(value)) continue;
        sum[parts_[s].tested[i]] += value;
        count[parts_[s].tested[i]] += 1;
      }
    MeasureResult result;
    for (const std::size_t u : tested_) result.per_query.push_back(count[u] > 0 ? sum[u] / count[u] : kNaN);
    const std::vector<double> weights(tested_.size(), 1.0);
    finish_result(options_.measures[measure], weights, options_.train.seed, result);
    return result;
  }

  ComparisonRow learnt(std::size_t m, const std::vector<CellRecord>& records) const {
    ComparisonRow row{options_.methods[m], 0, {}, {}, {}};
    const auto share = 1 / static_cast<double>(parts_.size());
    for (std::size_t k = 0; k < options_.measures.size(); ++k) {
      ComparisonFigure figure;
      figure.measure = options_.measures[k];
      figure.candidates = options_.choose ? collaborative_grid(options_.methods[m]).size() : 1;
      std::vector<const std::vector<double>*> of_split;
      for (std::size_t s = 0; s < parts_.size(); ++s) {
        const CellRecord& record = records[(s * options_.measures.size() + k) * options_.methods.size() + m];
        if (!record.failure.empty()) {
          row.failure = record.failure;
          row.figures.clear();
          return row;
        }
        figure.chosen.push_back(record.chosen);
        figure.seconds += share * record.seconds;
        figure.tuning_seconds += share * record.tuning_seconds;
        of_split.push_back(&record.test[k]);
      }
      figure.result = mean_over_splits(k, of_split);
      row.figures.push_back(std::move(figure));
    }
    return row;
  }

  /// Scores that know nothing, or everything.
  ComparisonRow yardstick(const char* name, bool ideal) const {
    std::vector<std::vector<std::vector<double>>> by_split;
    for (const RatingsPart& part : parts_) {
      std::vector<double> scores;
      for (const std::size_t u : part.tested)
        for (const float value : part.split.test.of_user(u).value)
          scores.push_back(ideal ? static_cast<double>(value) : 0.0);
      by_split.push_back(values(part.split.test, scores, "expected"));
    }
    ComparisonRow row{name, 0, {}, {}, {}};
    for (std::size_t k = 0; k < options_.measures.size(); ++k) {
      std::vector<const std::vector<double>*> of_split;
      for (const auto& each : by_split) of_split.push_back(&each[k]);
      ComparisonFigure& figure = row.figures.emplace_back();
      figure.measure = options_.measures[k];
      figure.result = mean_over_splits(k, of_split);
    }
    return row;
  }

  void summarise(const std::vector<CellRecord>& records, ComparisonResult& result) const {
    result.splits = parts_.size();
    result.test_queries = tested_.size();
    for (const RatingsPart& part : parts_) result.train_queries.push_back(part.trained);
    for (std::size_t m = 0; m < options_.methods.size(); ++m) result.rows.push_back(learnt(m, records));
    test_rows(result.rows, options_.against, options_.train.seed, options_.threads);
    result.rows.push_back(yardstick("random", false));
    result.rows.push_back(yardstick("ideal", true));
  }

  const RecommenderComparison& options_;
  const CollaborativeInputs& inputs_;
  std::size_t num_users_;
  std::vector<RatingsPart> parts_;
  std::vector<std::size_t> tested_;  // users with test ratings in any split
  std::string data_;                 // what all keys share
};

}  // namespace

void RecommenderComparison::validate() const {
  const auto require = [](bool holds, const std::string& message) {
    if (!holds) throw Error(ErrorCode::bad_option, message);
  };
  require(!methods.empty(), "no methods; expected at least one");
  require(!measures.empty(), "no measures; expected at least one");
  require(splits > 0, "splits is 0; expected at least one");
  require(given > 0 || (share > 0 && share < 1),
          fmt::format("the share of test ratings is {}; expected a number between 0 and 1", share));
  const Convention known = make_convention(convention);
  for (const std::string& name : measures)
    require(!make_measure(name, known)->geometric(),
            fmt::format("{} is a geometric mean, which splits cannot be put together by; expected another", name));
  std::set<std::string> names;
  for (const std::string& method : methods) {
    collaborative_grid(method);  // refuses what it does not know
    require(method != "random", "the method \"random\" is a row of every table; expected others");
    require(names.insert(method).second, fmt::format("method \"{}\" is named twice", method));
  }
  require(against.empty() || names.contains(against),
          fmt::format("\"{}\" is not among the methods; expected one of them to test against", against));
}

ComparisonResult compare_recommenders(const Ratings& ratings, const RecommenderComparison& options,
                                      const CollaborativeInputs& inputs, const ComparisonObserver& observer) {
  options.validate();
  return Recommenders(ratings, options, inputs).run(observer);
}

}  // namespace dorm
