// SPDX-License-Identifier: Apache-2.0
#include "learning/tune/tune_forecast.h"

#include <algorithm>
#include <limits>

namespace dorm {
namespace {

// Measured on web data: a grid point of each sort, relative to one of a bound.
constexpr double kRelative[] = {0.1, 0.5, 1, 3, 5};
// Rows of the Gram matrix are read in order and once per update, features at random and for every product.
constexpr double kCheaperEntries = 8;

}  // namespace

double exact_kernel_cost(std::size_t documents, std::size_t features) {
  const auto d = static_cast<double>(std::max<std::size_t>(1, features));
  return std::max(1.0, static_cast<double>(documents) / (kCheaperEntries * d));
}

std::size_t TuneForecast::add_kernel(double cost) {
  cost_.push_back(cost);
  kinds_.resize(kinds_.size() + kSorts);
  return cost_.size() - 1;
}

void TuneForecast::expect(std::size_t kernel, Sort sort, std::size_t problems) {
  kind(kernel, sort).to_come += problems;
}

void TuneForecast::give_up(std::size_t kernel, Sort sort, std::size_t problems) {
  Kind& each = kind(kernel, sort);
  each.to_come -= std::min(each.to_come, problems);
}

void TuneForecast::measured(std::size_t kernel, Sort sort, double seconds) {
  give_up(kernel, sort, 1);
  kind(kernel, sort).seconds += seconds;
  ++kind(kernel, sort).done;
}

/// Seconds of a linear point of a bound, by the kinds in a range; NaN where none was measured.
double TuneForecast::unit_of(std::size_t first, std::size_t last) const {
  double seconds = 0, units = 0;
  for (std::size_t k = first; k < last; ++k) {
    seconds += kinds_[k].seconds;
    units += static_cast<double>(kinds_[k].done) * kRelative[k % kSorts] * cost_[k / kSorts];
  }
  return units > 0 ? seconds / units : std::numeric_limits<double>::quiet_NaN();
}

double TuneForecast::left(std::size_t threads) const {
  const double anywhere = unit_of(0, kinds_.size());
  double sum = 0;
  std::size_t to_come = 0;
  for (std::size_t k = 0; k < kinds_.size(); ++k) {
    const Kind& each = kinds_[k];
    if (each.to_come == 0) continue;
    const std::size_t kernel = k / kSorts;
    const double here = unit_of(kernel * kSorts, (kernel + 1) * kSorts);
    const double guess = (here == here ? here : anywhere) * kRelative[k % kSorts] * cost_[kernel];
    const double cost = each.done > 0 ? each.seconds / static_cast<double>(each.done) : guess;
    sum += cost * static_cast<double>(each.to_come);
    to_come += each.to_come;
  }
  return sum / static_cast<double>(std::max<std::size_t>(1, std::min(threads, to_come)));
}

}  // namespace dorm
