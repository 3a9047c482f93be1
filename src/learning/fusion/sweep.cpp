// SPDX-License-Identifier: Apache-2.0
// The measure along a line of weights: a step function, whose steps lie where two documents meet.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/numeric.h"
#include "base/parallel.h"
#include "dorm/error.h"
#include "dorm/fusion/fuse.h"

namespace dorm {
namespace {

constexpr double kNarrow = 1e-9;   // intervals between steps that are passed over
constexpr double kBetter = 1e-12;  // a difference that is more than rounding

struct Step {
  double t = 0, change = 0;
};

/// Another document passes the gaining document number `gaining`.
struct Meeting {
  double t = 0;
  std::uint32_t gaining = 0;
  int ranks = 0;
};

/// One query on the line.
class QueryOnLine {
 public:
  QueryOnLine(const JoinedRuns& runs, std::size_t q, const ScoreLine& line, const FactoredMeasure& measure, Ties ties)
      : query_(runs.data.query(q)), line_(line), data_(runs.data), ties_(ties) {
    std::vector<float> labels(query_.labels.begin(), query_.labels.end());
    labels.insert(labels.end(), runs.missed[q].begin(), runs.missed[q].end());
    factors_ = measure.factor(labels);
    for (std::uint32_t i = 0; i < query_.size(); ++i)
      if (factors_.b[i] > 0) gaining_.push_back(i);
  }

  /// The value just above `low`; later steps are added to `steps`.
  double follow(double low, double high, std::vector<Step>& steps) const {
    std::vector<std::uint32_t> rank(gaining_.size(), 0);
    std::vector<Meeting> meetings;
    for (std::uint32_t k = 0; k < gaining_.size(); ++k)
      for (std::uint32_t j = 0; j < query_.size(); ++j)
        if (j != gaining_[k]) meet(k, j, low, high, rank[k], meetings);
    std::sort(meetings.begin(), meetings.end(), [](const Meeting& a, const Meeting& b) {
      return a.t != b.t ? a.t < b.t : a.gaining != b.gaining ? a.gaining < b.gaining : a.ranks < b.ranks;
    });
    const double first = value(rank);
    double before = first;
    for (std::size_t m = 0; m < meetings.size();) {
      const double t = meetings[m].t;
      bool changed = false;
      for (; m < meetings.size() && meetings[m].t == t; ++m) {
        std::uint32_t& own = rank[meetings[m].gaining];
        const double gain = factors_.a[own];
        own = static_cast<std::uint32_t>(static_cast<int>(own) + meetings[m].ranks);
        changed = changed || factors_.a[own] != gain;
      }
      if (!changed) continue;
      const double after = value(rank);
      steps.push_back({t, after - before});
      before = after;
    }
    return first;
  }

 private:
  // Whether document j stands above document i, the gaining one with number k, just above `low`, and where they meet.
  void meet(std::uint32_t k, std::uint32_t j, double low, double high, std::uint32_t& rank,
            std::vector<Meeting>& meetings) const {
    const std::size_t i = query_.first_document + gaining_[k], other = query_.first_document + j;
    const double faster = line_.direction[other] - line_.direction[i];
    const double ahead = line_.base[other] - line_.base[i];
    if (faster == 0) {
      rank += ahead > 0 || (ahead == 0 && first_of_equal(j, gaining_[k]));
      return;
    }
    const double t = -ahead / faster;
    const bool above = t <= low ? faster > 0 : faster < 0;
    rank += above;
    if (t > low && t < high) meetings.push_back({t, k, above ? -1 : 1});
  }

  bool first_of_equal(std::uint32_t j, std::uint32_t i) const {
    if (ties_ != Ties::document_id) return j < i;
    return data_.document_id(query_.first_document + j) > data_.document_id(query_.first_document + i);
  }

  double value(std::span<const std::uint32_t> rank) const {
    double total = 0;
    for (std::size_t k = 0; k < gaining_.size(); ++k) {
      const double own = factors_.a[rank[k]] * factors_.b[gaining_[k]];
      total = factors_.kind == Factors::Kind::sum ? total + own : std::max(total, own);
    }
    return total;
  }

  Query query_;
  const ScoreLine& line_;
  const Dataset& data_;
  Ties ties_;
  Factors factors_;
  std::vector<std::uint32_t> gaining_;
};

/// Sums of the weights of runs; features add to the base alone.
ScoreLine line_to(const JoinedRuns& runs, std::span<const double> weights, std::size_t target) {
  ScoreLine line;
  std::vector<double> of_runs(weights.begin(), weights.end());
  std::fill(of_runs.begin() + static_cast<std::ptrdiff_t>(runs.input.runs.size()), of_runs.end(), 0.0);
  std::vector<double> single(weights.size(), 0);
  single[target] = 1;
  line.base = fused_scores(runs.data, weights);
  line.direction = fused_scores(runs.data, single);
  const std::vector<double> away = fused_scores(runs.data, of_runs);
  for (std::size_t d = 0; d < away.size(); ++d) line.direction[d] -= away[d];
  return line;
}

std::vector<double> moved(std::vector<double> weights, std::size_t runs, std::size_t target, double t) {
  for (std::size_t r = 0; r < runs; ++r) weights[r] = std::max(0.0, (1 - t) * weights[r] + (r == target ? t : 0));
  return weights;
}

}  // namespace

LineMaximum maximise_on_line(const JoinedRuns& runs, std::span<const std::size_t> queries, const ScoreLine& line,
                             double low, double high, const FuseOptions& options) {
  if (!(low < high) || queries.empty()) throw Error(ErrorCode::bad_option, "expected low < high, and some queries");
  const Convention convention = make_convention(options.convention);
  const auto measure = make_trainable(options.measure, convention);
  std::vector<std::vector<Step>> steps(queries.size());
  std::vector<double> first(queries.size());
  parallel_for(queries.size(), options.threads, [&](std::size_t k, std::size_t) {
    first[k] = QueryOnLine(runs, queries[k], line, *measure, convention.ties).follow(low, high, steps[k]);
  });
  std::vector<Step> all;
  CompensatedSum sum;
  for (std::size_t k = 0; k < queries.size(); ++k) {
    all.insert(all.end(), steps[k].begin(), steps[k].end());
    sum.add(first[k]);
    steps[k] = {};
  }
  std::stable_sort(all.begin(), all.end(), [](const Step& a, const Step& b) { return a.t < b.t; });
  LineMaximum best{low, low, -1};
  double begin = low;
  const auto close = [&](double end) {
    const double value = sum.value() / real(queries.size());
    if (end - begin >= kNarrow &&
        (value > best.value + kBetter || (value > best.value - kBetter && end - begin > best.high - best.low)))
      best = {begin, end, value};
  };
  for (const Step& step : all) {
    if (step.t > begin) close(step.t);
    sum.add(step.change);
    begin = step.t;
  }
  close(high);
  return best;
}

SweptWeights sweep_weights(const JoinedRuns& runs, std::span<const std::size_t> queries, std::vector<double> start,
                           const FuseOptions& options) {
  const std::size_t count = runs.input.runs.size();
  SweptWeights out{std::move(start), 0, count <= 2 && runs.input.features.empty()};
  if (count == 1) return out;
  if (count == 2) {
    out.weights[0] = 1, out.weights[1] = 0;
    const LineMaximum best = maximise_on_line(runs, queries, line_to(runs, out.weights, 1), 0, 1, options);
    out.weights = moved(std::move(out.weights), count, 1, best.t());
    out.value = best.value;
    return out;
  }
  bool better = true;
  for (std::size_t round = 0; better && round < 10; ++round) {
    better = false;
    for (std::size_t r = 0; r < count; ++r) {
      const double own = out.weights[r];
      if (own >= 1) continue;  // the lines to the others move it
      const LineMaximum best =
          maximise_on_line(runs, queries, line_to(runs, out.weights, r), -own / (1 - own), 1, options);
      if (!(best.value > out.value + kBetter)) continue;
      better = true;
      out.value = best.value;
      out.weights = moved(std::move(out.weights), count, r, best.t());
    }
  }
  return out;
}

}  // namespace dorm
