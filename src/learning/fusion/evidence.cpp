// SPDX-License-Identifier: Apache-2.0
// Runs, their unlearnt fusions and the learnt one on the same queries.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/numeric.h"
#include "dorm/data/prepare.h"
#include "dorm/error.h"
#include "dorm/fusion/fuse.h"
#include "learning/fusion/judged_lists.h"

namespace dorm {
namespace {

constexpr std::size_t kDepth = 10;  // of measures without a cutoff

/// The cutoff of the measure, 0: none.
std::size_t depth_of(std::string_view measure) {
  const std::size_t at = measure.find('@');
  std::size_t depth = 0;
  if (at != std::string_view::npos)
    for (std::size_t i = at + 1; i < measure.size() && measure[i] >= '0' && measure[i] <= '9' && depth < 100000; ++i)
      depth = 10 * depth + static_cast<std::size_t>(measure[i] - '0');
  return depth;
}

/// Adds rows of scores.
class EvidenceRows {
 public:
  EvidenceRows(const JoinedRuns& runs, const FuseOptions& options, FusionEvidence& out)
      : judge_(runs, depth_of(options.measure)), options_(options.evaluate), out_(out) {
    options_.convention = options.convention;
    options_.complete = true;
    options_.seed = options.seed;
    options_.threads = options.threads;
    out.depth = depth_of(options.measure) > 0 ? depth_of(options.measure) : kDepth;
    measures_ = {options.measure, fmt::format("judged@{}", out.depth)};
  }

  void add(std::string name, FusionRowKind kind, std::span<const double> scores) {
    JudgedLists::Figures figures = judge_.evaluate(scores, measures_, out_.depth, options_);
    out_.judged.push_back(figures.table.measures.back().mean);
    figures.table.measures.pop_back();
    out_.if_good.push_back(figures.if_good);
    out_.kinds.push_back(kind);
    out_.table.rows.push_back({std::move(name), std::move(figures.table)});
  }

  const EvaluateOptions& options() const { return options_; }

 private:
  JudgedLists judge_;
  EvaluateOptions options_;
  FusionEvidence& out_;
  std::vector<std::string> measures_;
};

std::vector<std::size_t> all_but(std::size_t queries, const std::vector<std::size_t>& part) {
  std::vector<std::uint8_t> held_out(queries, 0);
  for (const std::size_t q : part) held_out[q] = 1;
  std::vector<std::size_t> others;
  for (std::size_t q = 0; q < queries; ++q)
    if (!held_out[q]) others.push_back(q);
  return others;
}

/// Scores of the judged queries by weights of the others; empty: stopped. `whole`: the weights of all queries, if they
/// are known, for no folds.
std::vector<double> held_out_scores(const JoinedRuns& runs, std::span<const double> whole, const FuseOptions& options,
                                    const FuseObserver& observer, FusionEvidence& out) {
  const std::vector<std::size_t> judged = judged_queries(runs);
  out.fold_weights.clear();
  out.folds = std::min(options.folds, judged.size());
  if (out.folds < 2) {
    out.folds = 0;
    out.fold_weights.push_back(whole.empty() ? learn_weights(runs, judged, options, observer).weights
                                             : std::vector<double>(whole.begin(), whole.end()));
    return fused_scores(runs.data, out.fold_weights.back(), options.threads);
  }
  std::vector<double> scores(runs.data.num_documents());
  const auto parts = folds(runs.data.select(judged), out.folds, options.seed);
  for (std::size_t k = 0; k < parts.size(); ++k) {
    bool stopped = false;
    const FuseObserver watch = [&](std::size_t, std::size_t) {
      return !(stopped = stopped || (observer && !observer(k, parts.size())));
    };
    out.fold_weights.push_back(learn_weights(runs, all_but(judged.size(), parts[k]), options, watch).weights);
    if (stopped) return {};
    for (const std::size_t q : parts[k]) {
      const std::vector<std::size_t> one{q};
      const Dataset query = runs.data.select(one);
      const std::vector<double> own = fused_scores(query, out.fold_weights.back());
      std::copy(own.begin(), own.end(), scores.begin() + static_cast<std::ptrdiff_t>(runs.data.first_document(q)));
    }
  }
  return scores;
}

}  // namespace

std::size_t FusionEvidence::row(FusionRowKind kind) const {
  return static_cast<std::size_t>(std::find(kinds.begin(), kinds.end(), kind) - kinds.begin());
}

FusionEvidence evaluate_fusion(const JoinedRuns& runs, std::span<const NamedRun> entries, const FuseOptions& options,
                               const FuseObserver& observer, std::span<const double> learnt) {
  if (runs.judged_queries == 0) throw Error(ErrorCode::bad_input, "no judged query is in a run");
  FusionEvidence out;
  EvidenceRows rows(runs, options, out);
  const std::vector<std::vector<double>> of_runs = scores_of_runs(runs, entries, options.threads);
  for (std::size_t r = 0; r < entries.size(); ++r) rows.add(entries[r].name, FusionRowKind::run, of_runs[r]);
  rows.add("rrf", FusionRowKind::reciprocal_rank, runs.reciprocal_rank);
  rows.add("mean", FusionRowKind::mean, fused_scores(runs.data, equal_weights(runs.input), options.threads));
  const auto add_learnt = [&](const char* name, FusionRowKind kind, const JoinedRuns& from,
                              std::span<const double> whole) {
    const std::vector<double> scores = held_out_scores(from, whole, options, observer, out);
    out.finished = out.finished && !scores.empty();
    if (out.finished) rows.add(name, kind, scores);
  };
  if (runs.input.query_features.empty()) {
    add_learnt("learnt", FusionRowKind::learnt, runs, learnt);
  } else {
    add_learnt("learnt", FusionRowKind::learnt, without_query_features(runs), {});
    if (out.finished) add_learnt("by query", FusionRowKind::by_query, runs, learnt);
  }
  out.table = compare_rankers(std::move(out.table.rows), out.row(FusionRowKind::mean), rows.options());
  const std::size_t global = out.row(FusionRowKind::learnt), by_query = out.row(FusionRowKind::by_query);
  if (by_query < out.kinds.size())
    out.by_query = compare(out.table.rows[by_query].table.measures.front().per_query,
                           out.table.rows[global].table.measures.front().per_query, rows.options());
  return out;
}

std::size_t queries_needed(std::span<const double> a, std::span<const double> b) {
  constexpr double kBothErrors = 1.959964 + 0.841621;  // 5 % two-sided, 80 % power
  std::vector<double> differences;
  for (std::size_t q = 0; q < a.size(); ++q)
    if (!std::isnan(a[q]) && !std::isnan(b[q])) differences.push_back(a[q] - b[q]);
  if (differences.size() < 2) return 0;
  const double n = real(differences.size());
  const double mean = std::accumulate(differences.begin(), differences.end(), 0.0) / n;
  double squares = 0;
  for (const double d : differences) squares += (d - mean) * (d - mean);
  if (mean == 0) return 0;
  const double needed = kBothErrors * kBothErrors * squares / (n - 1) / (mean * mean);
  return needed < 1e9 ? std::max<std::size_t>(2, static_cast<std::size_t>(std::ceil(needed))) : 0;
}

}  // namespace dorm
