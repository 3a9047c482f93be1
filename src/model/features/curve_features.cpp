// SPDX-License-Identifier: Apache-2.0
#include "model/features/curve_features.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <utility>

#include "base/vector/ordered_sum.h"
#include "model/features/curve_knots.h"

namespace dorm {
namespace {

constexpr double kNoise = 1e-12;         // of rounding in a scatter, per document
constexpr std::size_t kCurveParts = 16;  // in which queries are summed, whatever the number of threads

/// Of the documents in one piece.
struct Places {
  double count = 0, sum = 0, squares = 0;
  void add(double place, double documents = 1) {
    count += documents;
    sum += documents * place;
    squares += documents * place * place;
  }
};

double most_places(std::uint32_t shift) { return static_cast<double>((1U << shift) - 1); }

}  // namespace

std::uint16_t CurvePieces::code_of(double x) const {
  const std::uint32_t shift = CurveSlots::shift_of(bins());
  if (std::isnan(x) && missing) return static_cast<std::uint16_t>(pieces() << shift);
  if (std::isnan(x)) x = median;
  std::size_t piece = 0;
  for (std::size_t k = 1; k < pieces(); ++k) piece += x >= edges[k] ? 1 : 0;
  const double width = edges[piece + 1] - edges[piece];
  const double place = width > 0 && std::isfinite(width) ? std::clamp((x - edges[piece]) / width, 0.0, 1.0) : 0;
  return static_cast<std::uint16_t>((piece << shift) + static_cast<std::uint32_t>(place * most_places(shift) + 0.5));
}

std::vector<double> CurveBasis::weights_of(std::span<const double> w) const {
  std::vector<double> weights(w.begin(), w.begin() + static_cast<std::ptrdiff_t>(features.size()));
  for (std::size_t j = 0; j < features.size(); ++j)
    if (features[j].curved && shape == CurveShape::steps) weights[j] = 0;  // which no score depends on
  return weights;
}

Curves CurveBasis::curves_of(std::span<const double> w) const {
  Curves curves{shape, {}};
  for (const CurvePieces& feature : features) {
    Curve& curve = curves.features.emplace_back();
    if (feature.missing) {
      curve.missing = w[*feature.missing];
      curve.median = feature.median;
    }
    if (!feature.curved) continue;
    const bool steps = shape == CurveShape::steps;
    curve.knots.assign(feature.edges.begin() + (steps ? 1 : 0), feature.edges.end() - (steps ? 1 : 0));
    const std::span<const double> rises = w.subspan(feature.weight, feature.rises);
    curve.rises.assign(rises.begin(), rises.end());
    curve.median = feature.median;
  }
  return curves;
}

CurveFeatures::CurveFeatures(const Dataset& data, const Scaling& scaling, CurveBasis basis, std::size_t threads)
    : data_(data), basis_(std::make_shared<const CurveBasis>(std::move(basis))), features_(data.num_features()) {
  for (const CurvePieces& feature : basis_->features) add_slots(feature);
  auto codes = std::make_shared<std::vector<std::uint16_t>>(data.num_documents() * features_ + kCodePadding);
  for (std::size_t q = 0; q < data.num_queries(); ++q) first_.push_back(data.first_document(q));
  visit_scaled(data, scaling, threads, [&](std::size_t q, std::span<const float> rows) {
    std::uint16_t* out = codes->data() + first_[q] * features_;
    const std::size_t documents = data.query(q).size();
    for (std::size_t i = 0; i < documents; ++i)
      for (std::size_t j = 0; j < features_; ++j)
        out[j * documents + i] = basis_->features[j].code_of(static_cast<double>(rows[i * features_ + j]));
  });
  codes_ = std::move(codes);
}

void CurveFeatures::add_slots(const CurvePieces& feature) {
  CurveSlots& slots = slots_.emplace_back();
  slots.first = static_cast<std::uint32_t>(line_.size());
  slots.count = static_cast<std::uint32_t>(std::max(kLeastSlots, std::bit_ceil(feature.bins())));
  slots.shift = CurveSlots::shift_of(feature.bins());
  slots.rises = static_cast<std::uint32_t>(feature.rises);
  slots.weight = feature.weight;
  line_.resize(line_.size() + slots.count);
  line_rise_.resize(line_.size());
  if (feature.curved && basis_->shape == CurveShape::steps) return;
  for (std::size_t b = 0; b < feature.pieces(); ++b) {
    line_[slots.first + b] = feature.edges[b];
    line_rise_[slots.first + b] = (feature.edges[b + 1] - feature.edges[b]) / most_places(slots.shift);
  }
}

CurveFeatures CurveFeatures::select(const std::vector<std::size_t>& queries) const {
  CurveFeatures selected(*this);
  selected.data_ = data_.select(queries);
  selected.first_.clear();
  for (const std::size_t q : queries) selected.first_.push_back(first_[q]);
  return selected;
}

void CurveFeatures::set_signs(std::span<const std::int8_t> of_features) {
  signs_.assign(of_features.begin(), of_features.end());
  if (of_features.empty()) return;
  signs_.resize(dimension());
  for (std::size_t j = 0; j < features_; ++j) {
    const CurvePieces& feature = basis_->features[j];
    std::fill_n(signs_.begin() + static_cast<std::ptrdiff_t>(feature.weight), feature.rises, of_features[j]);
  }
}

/// Levels, then slopes, by slot.
void CurveFeatures::fill_tables(std::span<const double> w, std::span<double> tables) const {
  double *const level = tables.data(), *const slope = level + line_.size();
  const bool lines = basis_->shape == CurveShape::lines;
  for (std::size_t j = 0; j < features_; ++j) {
    const CurvePieces& feature = basis_->features[j];
    const std::uint32_t shift = slots_[j].shift;
    const std::size_t first = slots_[j].first;
    const double share = lines ? 1 / most_places(shift) : 0;
    const double* const rises = w.data() + feature.weight;
    double behind = 0;  // rises of the pieces before
    for (std::size_t b = 0; b < feature.pieces(); ++b) {
      const double rise = b < feature.rises ? rises[b] : 0;
      slope[first + b] = w[j] * line_rise_[first + b] + rise * share;
      level[first + b] = behind + w[j] * line_[first + b] - slope[first + b] * static_cast<double>(b << shift);
      behind += rise;
    }
    if (!feature.missing) continue;
    const std::uint16_t median = feature.code_of(feature.median);
    const std::size_t usual = first + (median >> shift);
    level[first + feature.pieces()] = level[usual] + slope[usual] * static_cast<double>(median) + w[*feature.missing];
  }
}

void CurveFeatures::scores_then(std::size_t q, std::size_t upcoming, std::span<const double> w, std::span<double> out,
                                ScoreWorkspace& workspace) const {
  std::vector<double>& tables = workspace.tables;
  if (workspace.weights.size() != w.size() ||
      std::memcmp(workspace.weights.data(), w.data(), w.size() * sizeof(double)) != 0) {
    workspace.weights.assign(w.begin(), w.end());
    tables.resize(2 * line_.size());
    fill_tables(w, tables);
  }
  const std::size_t next = upcoming == q ? 0 : data_.query(upcoming).size() * features_;
  score_codes(slots_, codes(q), tables.data(), tables.data() + line_.size(), out, {codes(upcoming), next});
}

void CurveFeatures::fold(std::span<double> sums, std::span<double> direction) const {
  std::vector<std::pair<std::size_t, double>> missing;
  for (std::size_t j = 0; j < features_; ++j) {
    const CurvePieces& feature = basis_->features[j];
    if (!feature.missing) continue;
    const CurveSlots& slots = slots_[j];
    double *const counts = sums.data() + 2 * slots.first, *const places = counts + slots.count;
    const std::uint16_t median = feature.code_of(feature.median);
    const double count = std::exchange(counts[feature.pieces()], 0.0);
    places[feature.pieces()] = 0;
    counts[median >> slots.shift] += count;
    places[median >> slots.shift] += count * static_cast<double>(median);
    missing.emplace_back(*feature.missing, count);
  }
  fold_codes(slots_, sums.data(), line_.data(), line_rise_.data(), basis_->shape == CurveShape::lines,
             direction.data());
  for (const auto& [weight, count] : missing) direction[weight] = count;
}

void CurveFeatures::pull_back(std::size_t q, std::span<const double> coefficients, Plane& out,
                              PullBackWorkspace& workspace) const {
  workspace.sums.resize(2 * line_.size() + dimension() + kRisePadding);
  const std::span<double> sums = std::span(workspace.sums).first(2 * line_.size());
  const std::span<double> direction = std::span(workspace.sums).subspan(2 * line_.size());
  std::fill(sums.begin(), sums.end(), 0.0);
  add_codes(slots_, codes(q), coefficients, sums.data());
  fold(sums, direction);
  out.columns.clear();
  out.direction.assign(direction.begin(), direction.end() - kRisePadding);
}

std::vector<double> CurveFeatures::combine(std::span<const double> coefficients, std::size_t threads) const {
  PartialSums sums(kCurveParts, 2 * line_.size());
  const std::size_t queries = data_.num_queries();
  parallel_for(kCurveParts, threads, [&](std::size_t part, std::size_t) {
    const std::size_t end = piece_begin(queries, kCurveParts, part + 1);
    for (std::size_t q = piece_begin(queries, kCurveParts, part); q < end; ++q)
      add_codes(slots_, codes(q), coefficients.subspan(data_.first_document(q), data_.query(q).size()),
                sums[part].data());
  });
  std::vector<double> direction(dimension() + kRisePadding), total = sums.total();
  fold(total, direction);
  direction.resize(dimension());
  return direction;
}

// Of a rise, the documents behind its piece have 1, and those in it their place: counts and two sums per piece. A
// missing value counts as the median, and once more by itself.
double CurveFeatures::centred_norm(std::size_t threads) const {
  if (data_.num_documents() == 0) return 0;
  const double sum = ordered_sum(data_.num_queries(), threads, [&](std::size_t q, std::size_t) {
    const std::size_t documents = data_.query(q).size();
    double total = 0;
    for (std::size_t j = 0; j < features_; ++j) total += scatter({codes(q) + j * documents, documents}, j);
    return total;
  });
  return sum / static_cast<double>(data_.num_documents());
}

/// Of the columns of one feature in a query: the sum of squares about their means.
double CurveFeatures::scatter(std::span<const std::uint16_t> codes, std::size_t j) const {
  const CurvePieces& feature = basis_->features[j];
  const std::uint32_t shift = slots_[j].shift;
  const auto documents = static_cast<double>(codes.size());
  const bool lines = basis_->shape == CurveShape::lines;
  std::array<Places, kMostPieces + 1> pieces;
  double mean = 0, squares = 0, gaps = 0;
  for (const std::uint16_t each : codes) {
    const bool missing = static_cast<std::size_t>(each >> shift) >= feature.pieces();
    const std::uint16_t code = missing ? feature.code_of(feature.median) : each;
    const std::size_t piece = code >> shift, slot = slots_[j].first + piece;
    const double place = static_cast<double>(code - (piece << shift)), value = line_[slot] + line_rise_[slot] * place;
    pieces[piece].add(place / most_places(shift));
    mean += value / documents;
    squares += value * value;
    gaps += missing ? 1 : 0;
  }
  double total = gaps - gaps * gaps / documents;
  if (const double line = squares - mean * mean * documents; line > kNoise * squares) total += line;
  double behind = 0;
  for (std::size_t b = feature.pieces(); b-- > 0;) {
    const Places& own = pieces[b];
    const double ones = behind + (lines ? own.sum : 0), own_squares = behind + (lines ? own.squares : 0);
    const double rise = own_squares - ones * ones / documents;
    if (b < feature.rises && rise > kNoise * documents) total += rise;
    behind += own.count;
  }
  return total;
}

double CurveFeatures::work(std::size_t q) const {
  return static_cast<double>(data_.query(q).size() * features_ * 2 + 4 * line_.size());
}

}  // namespace dorm
