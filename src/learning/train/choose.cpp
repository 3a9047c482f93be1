// SPDX-License-Identifier: Apache-2.0
#include "learning/train/choose.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace dorm {
namespace {

/// Whether `cell` trails `best` by no more than one standard error of their difference over queries.
bool as_good(const TuneCell& cell, const TuneCell& best) {
  std::vector<double> difference(best.per_query.size());
  for (std::size_t q = 0; q < difference.size(); ++q) difference[q] = best.per_query[q] - cell.per_query[q];
  const Moments moments = moments_of(difference);
  return moments.mean <= moments.standard_error;
}

template <class T>
std::size_t place_of(const T& value, const std::vector<T>& list) {
  return static_cast<std::size_t>(std::find(list.begin(), list.end(), value) - list.begin());
}

/// A bound that is not listed came from auto.
std::size_t place_of_bound(Bound bound, const std::vector<BoundChoice>& list) {
  return std::min(place_of(BoundChoice(bound), list), place_of(BoundChoice(), list));
}

/// Smaller is nearer to what one would take without looking at the data: the default bound and decay, and of what
/// cannot be told apart the most regularised.
auto distance_from_default(const TuneCell& cell, const TuneOptions& options) {
  const bool doubtful = cell.bound == Bound::best && cell.health < kHealthy;
  return std::tuple(doubtful, place_of(cell.kernel, options.kernels), place_of_bound(cell.bound, options.bounds),
                    cell.bound != Bound::best, place_of(cell.measure, options.measures),
                    place_of(cell.decay, options.decays), cell.C, cell.start != Start::ridge, -cell.validation);
}

}  // namespace

Moments moments_of(std::span<const double> values) {
  double count = 0, sum = 0, squares = 0;
  for (double value : values) {
    if (std::isnan(value)) continue;
    ++count;
    sum += value;
    squares += value * value;
  }
  const double mean = sum / count;
  return {mean, std::sqrt(std::max(0.0, squares / count - mean * mean) / std::max(1.0, count - 1))};
}

TuneCell& choose(std::vector<TuneCell>& cells, const TuneOptions& options) {
  TuneCell* const best = &*std::max_element(
      cells.begin(), cells.end(), [](const TuneCell& a, const TuneCell& b) { return a.validation < b.validation; });
  TuneCell* chosen = best;
  for (TuneCell& cell : cells) {
    if (options.choice == Choice::steady && as_good(cell, *best) &&
        distance_from_default(cell, options) < distance_from_default(*chosen, options))
      chosen = &cell;
    const bool within = cell.validation >= best->validation - best->standard_error;
    if (options.choice == Choice::one_standard_error && within &&
        std::tuple_cat(std::tuple(cell.C, -cell.validation), distance_from_default(cell, options)) <
            std::tuple_cat(std::tuple(chosen->C, -chosen->validation), distance_from_default(*chosen, options)))
      chosen = &cell;
  }
  return *chosen;
}

}  // namespace dorm
