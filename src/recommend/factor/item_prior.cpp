// SPDX-License-Identifier: Apache-2.0
#include "recommend/factor/item_prior.h"

#include <algorithm>
#include <cmath>

namespace dorm {
namespace {

constexpr double kPessimism = 2;  // standard deviations; chosen on splits that no table shows
constexpr double kLeastDamping = 0.5, kMostDamping = 100;
constexpr int kSteps = 100;  // of expectation maximisation

struct ItemMean {
  double count, mean;
};

struct ItemMeans {
  std::vector<ItemMean> items;  // those with ratings
  double within = 0;            // variance of an item's ratings; 0: unknown
};

ItemMeans item_means_of(const Ratings& ratings, double mean, double unit) {
  ItemMeans result;
  double squares = 0, freedom = 0;
  for (std::size_t j = 0; j < ratings.num_items(); ++j) {
    const auto values = ratings.of_item(j).value;
    if (values.empty()) continue;
    const auto count = static_cast<double>(values.size());
    double sum = 0;
    for (const float value : values) sum += (value - mean) / unit;
    for (const float value : values) squares += std::pow((value - mean) / unit - sum / count, 2);
    freedom += count - 1;
    result.items.push_back({count, sum / count});
  }
  if (freedom > 0) result.within = squares / freedom;
  return result;
}

}  // namespace

double damped_offset(const FactorizeOptions& options, double sum, std::size_t count) {
  const double weight = static_cast<double>(count) + options.item_damping;
  return weight > 0 ? (sum + options.item_damping * options.item_prior) / weight : 0;
}

ItemPrior learn_item_prior(const Ratings& ratings, double mean, double unit) {
  const auto [items, within] = item_means_of(ratings, mean, unit);
  if (items.size() < 2 || within <= 0) return {};
  double centre = 0, between = within / 5;
  for (int step = 0; step < kSteps; ++step) {
    double weights = 0, sum = 0;
    for (const ItemMean& item : items) {
      const double weight = 1 / (between + within / item.count);
      weights += weight;
      sum += weight * item.mean;
    }
    centre = sum / weights;
    double spread = 0;
    for (const ItemMean& item : items) {
      const double variance = 1 / (1 / between + item.count / within);
      const double shift = variance * item.count / within * (item.mean - centre);
      spread += shift * shift + variance;
    }
    between = std::max(spread / static_cast<double>(items.size()), within / kMostDamping);
  }
  return {std::clamp(within / between, kLeastDamping, kMostDamping), centre - kPessimism * std::sqrt(between)};
}

}  // namespace dorm
