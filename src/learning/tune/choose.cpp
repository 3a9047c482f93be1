// SPDX-License-Identifier: Apache-2.0
#include "learning/tune/choose.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "evaluation/bootstrap.h"
#include "learning/train/average.h"

namespace dorm {
namespace {

template <class T>
std::size_t place_of(const T& value, const std::vector<T>& list) {
  return static_cast<std::size_t>(std::find(list.begin(), list.end(), value) - list.begin());
}

/// A bound that is not listed came from auto.
std::size_t place_of_bound(Bound bound, const std::vector<BoundChoice>& list) {
  return std::min(place_of(BoundChoice(bound), list), place_of(BoundChoice(), list));
}

/// Points of the family, if there are any, that carry information; all, where none does.
std::vector<GridPoint*> informative(std::vector<GridPoint>& points, Family only) {
  const bool some = std::any_of(points.begin(), points.end(), [&](const GridPoint& p) { return belongs(p, only); });
  std::vector<GridPoint*> of_family, out;
  for (GridPoint& point : points)
    if (!some || belongs(point, only)) of_family.push_back(&point);
  for (GridPoint* point : of_family)
    if (!point->degenerate()) out.push_back(point);
  return out.empty() ? of_family : out;
}

/// Smaller is nearer to the defaults: the default bound and decay, and the most regularised of points that do not
/// differ significantly.
auto distance_from_default(const GridPoint& point, const TuneOptions& options) {
  return std::tuple(place_of(point.kernel, options.kernels), !point.bound, wants_curves(point.curves),
                    point.bound ? place_of_bound(*point.bound, options.bounds) : 0, point.bound != Bound::best,
                    place_of(point.measure, options.measures), place_of(point.decay, options.decays),
                    point.trees.has_value(), point.C, point.start != InitialModel::ridge, -point.validation);
}

}  // namespace

bool belongs(const GridPoint& point, Family family) {
  return family == Family::any || point.trees.has_value() == (family == Family::trees);
}

GridPoint& choose(std::vector<GridPoint>& points, const TuneOptions& options) {
  const std::vector<GridPoint*> in = informative(points, options.only);
  GridPoint* const best = *std::max_element(
      in.begin(), in.end(), [](const GridPoint* a, const GridPoint* b) { return a->validation < b->validation; });
  GridPoint* chosen = best;
  for (GridPoint* each : in) {
    GridPoint& point = *each;
    if (options.choice == Choice::steady && !behind(point.per_query, best->per_query) &&
        distance_from_default(point, options) < distance_from_default(*chosen, options))
      chosen = &point;
    const bool within = point.validation >= best->validation - best->standard_error;
    if (options.choice == Choice::one_standard_error && within &&
        std::tuple_cat(std::tuple(point.C, -point.validation), distance_from_default(point, options)) <
            std::tuple_cat(std::tuple(chosen->C, -chosen->validation), distance_from_default(*chosen, options)))
      chosen = &point;
  }
  return *chosen;
}

void share_out(std::vector<GridPoint>& points, const TuneOptions& options) {
  for (GridPoint& point : points) point.share = 0;
  if (options.choice != Choice::average) {
    choose(points, options).share = 1;
    return;
  }
  const std::vector<GridPoint*> in = informative(points, options.only);
  std::vector<std::span<const double>> per_query;
  for (const GridPoint* point : in) per_query.emplace_back(point->per_query);
  const std::vector<double> shares = shares_by_validation(per_query);
  for (std::size_t i = 0; i < in.size(); ++i) in[i]->share = shares[i];
}

ValidatedFigure figure_of(std::span<const double> per_query) {
  const Moments moments = moments_of(per_query);
  const std::vector<double> weights(per_query.size(), 1.0);
  const Interval interval = bootstrap(std::span(&per_query, 1), weights, {}).front();
  const auto counted =
      std::count_if(per_query.begin(), per_query.end(), [](double value) { return !std::isnan(value); });
  return {moments.mean,
          moments.standard_error,
          interval.low,
          interval.high,
          static_cast<std::size_t>(counted),
          {per_query.begin(), per_query.end()}};
}

}  // namespace dorm
