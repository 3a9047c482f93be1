// SPDX-License-Identifier: Apache-2.0
// The tables of an (a, c) pair: cutoffs, proportionality, and the bounds of the exchange rates.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <unordered_map>

#include "dorm/error.h"
#include "ranking/oracle/limits.h"

namespace dorm {
namespace {

// Room after the last position for whole vectors of weights, and for the tail before the exchange has filled the top.
constexpr std::size_t kPadding = oracle::kMaxExchange + 16;

void validate_weights(std::span<const double> a) {
  if (a.empty()) throw Error(ErrorCode::bad_input, "a query without documents cannot be prepared");
  for (std::size_t j = 0; j < a.size(); ++j) {
    if (!std::isfinite(a[j]) || a[j] < 0 || (j > 0 && a[j] > a[j - 1])) {
      throw Error(ErrorCode::bad_input,
                  fmt::format("position weight a[{}] = {}; expected finite, non-negative and non-increasing "
                              "weights",
                              j, a[j]));
    }
  }
}

std::size_t constant_from(std::span<const double> x) {
  std::size_t n = x.size();
  while (n > 0 && x[n - 1] == x.back()) --n;
  return n;
}

// a = kappa c + constant, to rounding of the larger numbers involved.
void detect_proportional(PositionTables& t) {
  const std::size_t l = t.length;
  const double spread = t.c[0] - t.c[l - 1];
  t.kappa = spread > 0 ? (t.a[0] - t.a[l - 1]) / spread : 0;
  const double tolerance = 4e-16 * std::max(std::abs(t.a[0]), t.kappa * std::abs(t.c[0]));
  t.proportional = true;
  for (std::size_t j = 0; j < l && t.proportional; ++j) {
    t.proportional = std::abs(t.a[j] - t.a[l - 1] - t.kappa * (t.c[j] - t.c[l - 1])) <= tolerance;
  }
}

// In the plane of points (c_k, a_k) the rates are slopes of lines through point j and points to its left. Their minimum
// is the edge of the upper hull that ends in j, their maximum the edge of the lower hull: one scan from the right
// builds both (points arrive in the order of c).
std::vector<double> hull_rates(const PositionTables& t, double side) {
  std::vector<double> rates(t.cutoff, 0.0);
  std::vector<std::size_t> hull;
  const auto slope = [&](std::size_t j, std::size_t k) { return (t.a[j] - t.a[k]) / (t.c[j] - t.c[k]); };
  for (std::size_t j = t.length; j-- > 0;) {
    if (!hull.empty() && t.c[hull.back()] == t.c[j]) {  // same point: a is equal too
      if (j < t.cutoff && hull.size() > 1) rates[j] = slope(j, hull[hull.size() - 2]);
      continue;
    }
    while (hull.size() > 1 && side * (slope(j, hull.back()) - slope(hull.back(), hull[hull.size() - 2])) >= 0) {
      hull.pop_back();
    }
    if (j < t.cutoff && !hull.empty()) rates[j] = slope(j, hull.back());
    hull.push_back(j);
  }
  return rates;
}

PositionTables make_tables(std::span<const double> a, const Decay& decay) {
  PositionTables t;
  t.a.assign(a.begin(), a.end());
  t.c = decay.values(a);
  t.length = a.size();
  t.cutoff = constant_from(t.a);
  t.decay_cutoff = constant_from(t.c);
  detect_proportional(t);
  t.lowest_rate = hull_rates(t, 1.0);
  t.highest_rate = hull_rates(t, -1.0);
  t.a.resize(t.length + kPadding, t.a.back());
  t.c.resize(t.length + kPadding, t.c.back());
  return t;
}

}  // namespace

struct OracleTables::Entry {
  std::string decay;
  PositionTables tables;
};

struct OracleTables::State {
  std::mutex mutex;
  std::unordered_multimap<std::size_t, std::unique_ptr<const Entry>> tables;
};

OracleTables::OracleTables() : state_(std::make_unique<State>()) {}
OracleTables::~OracleTables() = default;
OracleTables::OracleTables(OracleTables&&) noexcept = default;
OracleTables& OracleTables::operator=(OracleTables&&) noexcept = default;

std::size_t OracleTables::size() const { return state_->tables.size(); }

const PositionTables& OracleTables::find_or_make(std::span<const double> a, const Decay& decay) {
  validate_weights(a);
  const std::string_view bytes(reinterpret_cast<const char*>(a.data()), a.size_bytes());
  const std::size_t hash = std::hash<std::string_view>{}(bytes) ^ std::hash<std::string>{}(decay.name());
  const std::lock_guard lock(state_->mutex);
  for (auto [entry, end] = state_->tables.equal_range(hash); entry != end; ++entry) {
    const Entry& known = *entry->second;
    if (known.decay == decay.name() && std::ranges::equal(std::span(known.tables.a).first(known.tables.length), a))
      return known.tables;
  }
  auto made = std::make_unique<const Entry>(Entry{decay.name(), make_tables(a, decay)});
  return state_->tables.emplace(hash, std::move(made))->second->tables;
}

}  // namespace dorm
