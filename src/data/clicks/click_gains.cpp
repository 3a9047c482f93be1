// SPDX-License-Identifier: Apache-2.0
#include "dorm/clicks/click_gains.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/number.h"
#include "base/quote.h"
#include "dorm/error.h"

namespace dorm {
namespace {

/// The propensity of every position and context that occurs, found once.
class KnownPositions {
 public:
  KnownPositions(const ClickCounts& counts, const Propensities& propensities)
      : positions_(counts.num_positions() + std::size_t{1}),
        rows_(counts.contexts.size() * positions_),
        looked_(counts.contexts.size() * positions_) {
    std::set<std::string> unknown;
    for (const ClickCount& row : counts.rows) {
      const std::size_t place = row.context * positions_ + row.position;
      if (looked_[place]) continue;
      looked_[place] = true;
      if (propensities.empty()) continue;
      const std::string& context = counts.contexts[row.context];
      if (const PositionPropensity* found = propensities.find(row.position, context))
        rows_[place] = *found;
      else
        unknown.insert(context.empty() ? fmt::format("{:>7}", row.position)
                                       : fmt::format("{:>7} of context {}", row.position, in_quotes(context)));
    }
    if (!unknown.empty()) throw error(unknown);
  }

  const PositionPropensity& at(const ClickCount& row) const { return rows_[row.context * positions_ + row.position]; }

 private:
  static Error error(const std::set<std::string>& unknown) {
    constexpr std::size_t kMostNamed = 5;
    std::string list;
    std::size_t named = 0;
    for (const std::string& place : unknown) {
      if (named++ == kMostNamed) break;
      list += (list.empty() ? "" : ", ") + place.substr(place.find_first_not_of(' '));
    }
    return {ErrorCode::bad_input,
            fmt::format("the log has clicks and impressions at position{} {}{}, which have no propensity; expected one "
                        "for every position, or a log that ends above them",
                        unknown.size() == 1 ? "" : "s", list,
                        unknown.size() > kMostNamed ? fmt::format(" and {} more", unknown.size() - kMostNamed) : "")};
  }

  std::size_t positions_;
  std::vector<PositionPropensity> rows_;
  std::vector<bool> looked_;
};

/// Effective sample size and what clipping took away.
struct WeightSums {
  double clicks = 0, impressions = 0, weight = 0, square = 0, unclipped = 0, clipped = 0;

  void add(const ClickCount& row, double slope, double weight_of_click) {
    clicks += row.clicks;
    impressions += row.impressions;
    weight += row.clicks * weight_of_click;
    square += row.clicks * weight_of_click * weight_of_click;
    unclipped += row.clicks / slope;
    if (weight_of_click < 1 / slope) clipped += row.clicks;
  }
  void into(ClickGains& gains) const {
    gains.clicks = clicks;
    gains.impressions = impressions;
    gains.effective_clicks = square > 0 ? weight * weight / square : 0;
    gains.clipped_clicks = clipped;
    gains.clipped_share = unclipped > 0 ? 1 - weight / unclipped : 0;
  }
};

/// Labels are float32: beyond their range a gain would become infinite.
void require_gain(const ClickGain& gain, const ClickCounts& counts) {
  if (!fits_float(gain.gain))
    throw Error(
        ErrorCode::bad_input,
        fmt::format("the gain of document {} of query {} is {:g}; expected propensities that are not so small, "
                    "or a clip above 0",
                    in_quotes(counts.documents[gain.document]), in_quotes(counts.queries[gain.query]), gain.gain));
}

/// Adds to every gain of a query what makes the smallest one 0, if it is below.
void shift_query(std::span<ClickGain> rows, ClickGains& gains) {
  double smallest = 0;
  for (const ClickGain& row : rows) smallest = std::min(smallest, row.gain);
  if (smallest == 0) return;
  for (ClickGain& row : rows) row.gain -= smallest;
  gains.shift[rows.front().query] = -smallest;
  ++gains.shifted_queries;
}

}  // namespace

ClickGains estimate_gains(const ClickCounts& counts, const Propensities& propensities,
                          const ClickGainOptions& options) {
  if (!(options.clip >= 0 && options.clip <= 1))
    throw Error(ErrorCode::bad_option, fmt::format("clip is {}; expected a number from 0 to 1", options.clip));
  const KnownPositions known(counts, propensities);
  const std::vector<double> views = counts.page_views();
  ClickGains gains;
  gains.shift.assign(counts.queries.size(), 0.0);
  WeightSums sums;
  const std::vector<ClickCount>& rows = counts.rows;
  std::size_t query_begin = 0;  // in gains.rows
  for (std::size_t first = 0, last = 0; first < rows.size(); first = last) {
    ClickGain gain{rows[first].query, rows[first].document, 0};
    double shown = 0;
    for (last = first; last < rows.size() && rows[last].query == gain.query && rows[last].document == gain.document;
         ++last) {
      const PositionPropensity& position = known.at(rows[last]);
      const double weight = 1 / std::max(position.slope(), options.clip);
      gain.gain += (rows[last].clicks - position.beta * rows[last].impressions) * weight;
      shown += rows[last].impressions;
      sums.add(rows[last], position.slope(), weight);
    }
    const double over = options.per == ClickGainOptions::Per::shown ? shown : views[gain.query];
    gain.gain = over > 0 ? gain.gain / over : 0;
    require_gain(gain, counts);
    gains.rows.push_back(gain);
    if (last == rows.size() || rows[last].query != gain.query) {
      shift_query(std::span(gains.rows).subspan(query_begin), gains);
      query_begin = gains.rows.size();
    }
  }
  sums.into(gains);
  return gains;
}

}  // namespace dorm
