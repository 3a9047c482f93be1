// SPDX-License-Identifier: Apache-2.0
#include "learning/train/choose.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/numeric.h"
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

/// Cells that carry information; all, where none does.
std::vector<GridPoint*> informative(std::vector<GridPoint>& cells) {
  std::vector<GridPoint*> out;
  for (GridPoint& cell : cells)
    if (!cell.degenerate()) out.push_back(&cell);
  if (out.empty())
    for (GridPoint& cell : cells) out.push_back(&cell);
  return out;
}

/// Smaller is nearer to what one would take without looking at the data: the default bound and decay, and of what
/// cannot be told apart the most regularised.
auto distance_from_default(const GridPoint& cell, const TuneOptions& options) {
  return std::tuple(place_of(cell.kernel, options.kernels), !cell.bound,
                    cell.bound ? place_of_bound(*cell.bound, options.bounds) : 0, cell.bound != Bound::best,
                    place_of(cell.measure, options.measures), place_of(cell.decay, options.decays), cell.C,
                    cell.start != Start::ridge, -cell.validation);
}

}  // namespace

Moments moments_of(std::span<const double> values) {
  double count = 0, squares = 0;
  CompensatedSum sum;
  for (double value : values) {
    if (std::isnan(value)) continue;
    ++count;
    sum.add(value);
    squares += value * value;
  }
  const double mean = sum.value() / count;
  return {mean, std::sqrt(std::max(0.0, squares / count - mean * mean) / std::max(1.0, count - 1))};
}

Moments paired(std::span<const double> a, std::span<const double> b) {
  std::vector<double> difference(a.size());
  for (std::size_t q = 0; q < difference.size(); ++q) difference[q] = a[q] - b[q];
  return moments_of(difference);
}

bool behind(std::span<const double> values, std::span<const double> best) {
  const Moments moments = paired(best, values);
  return moments.mean > moments.standard_error;
}

GridPoint& choose(std::vector<GridPoint>& cells, const TuneOptions& options) {
  const std::vector<GridPoint*> in = informative(cells);
  GridPoint* const best = *std::max_element(
      in.begin(), in.end(), [](const GridPoint* a, const GridPoint* b) { return a->validation < b->validation; });
  GridPoint* chosen = best;
  for (GridPoint* each : in) {
    GridPoint& cell = *each;
    if (options.choice == Choice::steady && !behind(cell.per_query, best->per_query) &&
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

void share_out(std::vector<GridPoint>& cells, const TuneOptions& options) {
  if (options.choice != Choice::average) {
    choose(cells, options).share = 1;
    return;
  }
  const std::vector<GridPoint*> in = informative(cells);
  std::vector<std::span<const double>> judged;
  for (const GridPoint* cell : in) judged.emplace_back(cell->per_query);
  const std::vector<double> shares = shares_by_validation(judged);
  for (std::size_t i = 0; i < in.size(); ++i) in[i]->share = shares[i];
}

}  // namespace dorm
