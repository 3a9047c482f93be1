// SPDX-License-Identifier: Apache-2.0
// From records to the table. On every split and for every measure a method is represented by the setting that the
// validation queries prefer; its values on the test queries of all splits are put together.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/numeric.h"
#include "dorm/tune.h"
#include "lab/compare/cell.h"
#include "lab/compare/figures.h"
#include "learning/tune/choose.h"

namespace dorm {
namespace {

class Summary {
 public:
  Summary(const std::vector<DataSplit>& splits, const ComparisonOptions& options, const std::vector<Cell>& cells,
          const std::vector<CellRecord>& records)
      : splits_(splits), options_(options), cells_(cells), records_(records), measures_(all_measures(options)) {
    for (const DataSplit& split : splits)
      for (std::size_t q = 0; q < split.test.num_queries(); ++q) weights_.push_back(split.test.query(q).weight);
  }

  ComparisonResult run() {
    ComparisonResult result;
    result.splits = splits_.size();
    result.test_queries = weights_.size();
    for (const DataSplit& split : splits_) result.train_queries.push_back(split.train.num_queries());
    std::vector<std::string> brought;
    for (const OutsideScores& outside : options_.outside)
      if (!outside.linear) brought.push_back(outside.name);
    for (std::size_t size : options_.sizes.empty() ? std::vector<std::size_t>{0} : options_.sizes) {
      std::vector<ComparisonRow> rows;
      for (const std::string& method : options_.methods) rows.push_back(learnt(method, size));
      for (const OutsideScores& outside : options_.outside) {
        rows.push_back(fixed(outside.name, size, outside.of_split, ""));
        rows.back().serving = outside.serving;
        for (std::size_t split = 0; split < splits_.size(); ++split)
          add_lists(first_documents(splits_[split].test, outside.of_split[split]), rows.back());
      }
      test_rows(rows, options_.against, options_.seed, options_.threads);
      for (ComparedTrees& each : worth_of_trees(rows, brought, weights_, options_.seed))
        result.trees.push_back(std::move(each));
      rows.push_back(fixed("random", size, constant_scores(), "expected"));
      rows.push_back(fixed("ideal", size, label_scores(), ""));
      result.rows.insert(result.rows.end(), rows.begin(), rows.end());
    }
    return result;
  }

 private:
  std::size_t index_of(const std::string& measure) const {
    return static_cast<std::size_t>(std::find(measures_.begin(), measures_.end(), measure) - measures_.begin());
  }

  ComparisonRow learnt(const std::string& method, std::size_t size) const {
    ComparisonRow row{method, size, {}, {}, {}};
    std::vector<std::vector<std::size_t>> of_split(splits_.size());
    for (std::size_t c = 0; c < cells_.size(); ++c) {
      if (cells_[c].method != method || cells_[c].size != size) continue;
      if (records_[c].failure.empty())
        of_split[cells_[c].split].push_back(c);
      else
        row.failure = records_[c].failure;
    }
    // A candidate that cannot learn is none; a method without candidates on some split has no figures.
    for (const std::vector<std::size_t>& own : of_split)
      if (own.empty()) return row;
    row.failure.clear();
    for (const std::string& measure : options_.measures) row.figures.push_back(figure(measure, of_split));
    const std::vector<std::size_t> chosen = choose_all(index_of(options_.measures.front()), of_split);
    for (const std::size_t c : chosen) add_lists(records_[c].top, row);
    row.weights = mean_weights(chosen);
    row.serving = mean_serving(chosen);
    for (const std::string& measure : options_.curve) row.curve.push_back(result_of(measure, chosen));
    return row;
  }

  /// None unless every split has some.
  std::vector<double> mean_weights(const std::vector<std::size_t>& chosen) const {
    std::vector<double> mean(records_[chosen.front()].weights.size());
    for (const std::size_t c : chosen) {
      if (records_[c].weights.size() != mean.size()) return {};
      for (std::size_t j = 0; j < mean.size(); ++j)
        mean[j] += records_[c].weights[j] / static_cast<double>(chosen.size());
    }
    return mean;
  }

  /// The targets are those of the first split.
  std::optional<ServingCost> mean_serving(const std::vector<std::size_t>& chosen) const {
    std::optional<ServingCost> mean = records_[chosen.front()].serving;
    if (!mean) return mean;
    double bytes = 0;
    mean->milliseconds = 0;
    for (const std::size_t c : chosen) {
      if (!records_[c].serving) return std::nullopt;
      mean->milliseconds += records_[c].serving->milliseconds / static_cast<double>(chosen.size());
      bytes += static_cast<double>(records_[c].serving->bytes) / static_cast<double>(chosen.size());
    }
    mean->bytes = static_cast<std::size_t>(bytes);
    return mean;
  }

  static void add_lists(const std::vector<Ranking>& lists, ComparisonRow& row) {
    row.top.insert(row.top.end(), lists.begin(), lists.end());
  }

  std::vector<std::size_t> choose_all(std::size_t measure,
                                      const std::vector<std::vector<std::size_t>>& of_split) const {
    std::vector<std::size_t> chosen;
    for (const std::vector<std::size_t>& cells : of_split) chosen.push_back(choose_cell(measure, cells));
    return chosen;
  }

  std::size_t choose_cell(std::size_t measure, const std::vector<std::size_t>& candidates) const {
    std::vector<GridPoint> cells;
    for (std::size_t c : candidates) {
      GridPoint cell;
      cell.C = cells_[c].setting.C;
      const Setting& setting = cells_[c].setting;
      // Without a bound validation alone decides: the explained risk of a baseline is not that of a bound on the
      // measure, and that of the multiclass SVM is mostly that of its biases.
      if (!setting.bound.empty()) cell.bound = parse_bound(setting.bound);
      cell.start = setting.start.empty() ? InitialModel::pairwise : *parse_initial_model(setting.start);
      cell.explained_risk = records_[c].explained_risk;
      cell.per_query = records_[c].valid[measure];
      const Moments moments = moments_of(cell.per_query);
      cell.validation = moments.mean;
      cell.standard_error = moments.standard_error;
      cells.push_back(std::move(cell));
    }
    TuneOptions rule;
    rule.choice = options_.choice;
    return candidates[static_cast<std::size_t>(&choose(cells, rule) - cells.data())];
  }

  ComparisonFigure figure(const std::string& measure, const std::vector<std::vector<std::size_t>>& of_split) const {
    ComparisonFigure out;
    out.measure = measure;
    const std::vector<std::size_t> chosen = choose_all(index_of(measure), of_split);
    out.degenerate = true;
    const auto share = 1 / static_cast<double>(splits_.size());
    for (std::size_t split = 0; split < splits_.size(); ++split) {
      const CellRecord& record = records_[chosen[split]];
      out.chosen.push_back(cells_[chosen[split]].setting.text());
      out.seconds += share * record.seconds;
      out.support_vectors += share * static_cast<double>(record.support_vectors);
      out.passes += share * static_cast<double>(record.passes);
      out.degenerate = out.degenerate && record.explained_risk < kDegenerate;
      out.candidates = std::max(out.candidates, of_split[split].size());
      for (std::size_t c : of_split[split]) out.tuning_seconds += share * records_[c].seconds;
    }
    out.result = result_of(measure, chosen);
    return out;
  }

  MeasureResult result_of(const std::string& measure, const std::vector<std::size_t>& chosen) const {
    MeasureResult result;
    for (std::size_t c : chosen) {
      const std::vector<double>& values = records_[c].test[index_of(measure)];
      result.per_query.insert(result.per_query.end(), values.begin(), values.end());
    }
    finish(measure, result);
    return result;
  }

  void finish(const std::string& measure, MeasureResult& result) const {
    finish_result(measure, weights_, options_.seed, result);
  }

  ComparisonRow fixed(const std::string& name, std::size_t size, const std::vector<std::vector<double>>& scores,
                      const std::string& ties) const {
    std::vector<MeasureResult> results(measures_.size());
    for (std::size_t split = 0; split < splits_.size(); ++split) {
      const EvaluateOptions evaluation{
          .convention = options_.convention, .ties = ties, .bootstrap = 0, .threads = options_.threads};
      const EvaluationTable table = evaluate(splits_[split].test, scores[split], measures_, evaluation);
      for (std::size_t m = 0; m < results.size(); ++m)
        results[m].per_query.insert(results[m].per_query.end(), table.measures[m].per_query.begin(),
                                    table.measures[m].per_query.end());
    }
    for (std::size_t m = 0; m < results.size(); ++m) finish(measures_[m], results[m]);
    ComparisonRow row{name, size, {}, {}, {}};
    for (const std::string& measure : options_.measures) {
      ComparisonFigure& out = row.figures.emplace_back();
      out.measure = measure;
      out.result = results[index_of(measure)];
    }
    for (const std::string& measure : options_.curve) row.curve.push_back(results[index_of(measure)]);
    return row;
  }

  std::vector<std::vector<double>> constant_scores() const {
    std::vector<std::vector<double>> scores;
    for (const DataSplit& split : splits_) scores.emplace_back(split.test.num_documents(), 0.0);
    return scores;
  }

  std::vector<std::vector<double>> label_scores() const {
    std::vector<std::vector<double>> scores;
    for (const DataSplit& split : splits_) {
      std::vector<double>& own = scores.emplace_back();
      for (std::size_t q = 0; q < split.test.num_queries(); ++q) {
        const Query query = split.test.query(q);
        own.insert(own.end(), query.labels.begin(), query.labels.end());
      }
    }
    return scores;
  }

  const std::vector<DataSplit>& splits_;
  const ComparisonOptions& options_;
  const std::vector<Cell>& cells_;
  const std::vector<CellRecord>& records_;
  std::vector<std::string> measures_;
  std::vector<double> weights_;  // of the test queries of all splits
};

}  // namespace

ComparisonResult summarise(const std::vector<DataSplit>& splits, const ComparisonOptions& options,
                           const std::vector<Cell>& cells, const std::vector<CellRecord>& records) {
  return Summary(splits, options, cells, records).run();
}

}  // namespace dorm
