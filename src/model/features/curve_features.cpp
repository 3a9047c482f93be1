// SPDX-License-Identifier: Apache-2.0
#include "model/features/curve_features.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/vector/ordered_sum.h"
#include "model/features/curve_knots.h"

namespace dorm {
namespace {

constexpr unsigned kPlaceBits = 10;
constexpr unsigned kPlaceMask = (1U << kPlaceBits) - 1;
constexpr double kNoise = 1e-12;  // of rounding in a scatter, per document
constexpr double kPlaces = (1U << kPlaceBits) - 1;
constexpr std::size_t kCurveParts = 16;  // in which queries are summed, whatever the number of threads

/// Of one piece: what a document in it adds to the score, at its beginning and from there to its end.
struct Cell {
  double level = 0, rise = 0;
};

/// Of the documents in one piece.
struct Places {
  double count = 0, sum = 0, squares = 0;
  void add(double place) {
    ++count;
    sum += place;
    squares += place * place;
  }
};

/// What a document in piece b has of the feature itself: nothing where a curve is of steps.
struct LinePart {
  double level, rise;
};
LinePart line_part(const CurvePieces& feature, CurveShape shape, std::size_t b) {
  if (feature.curved && shape == CurveShape::steps) return {0, 0};
  return {feature.edges[b], feature.edges[b + 1] - feature.edges[b]};
}

std::uint16_t code_of(const CurvePieces& feature, double x) {
  const std::vector<double>& edges = feature.edges;
  const auto above = std::upper_bound(edges.begin() + 1, edges.end() - 1, x);
  const auto piece = static_cast<std::size_t>(above - edges.begin()) - 1;
  const double width = edges[piece + 1] - edges[piece];
  const double place = width > 0 && std::isfinite(width) ? std::clamp((x - edges[piece]) / width, 0.0, 1.0) : 0;
  return static_cast<std::uint16_t>((piece << kPlaceBits) + static_cast<std::size_t>(std::lround(place * kPlaces)));
}

}  // namespace

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
  for (const CurvePieces& feature : basis_->features) first_cell_.push_back(static_cast<std::uint32_t>(feature.cell));
  auto codes = std::make_shared<std::vector<std::uint16_t>>(data.num_documents() * features_);
  for (std::size_t q = 0; q < data.num_queries(); ++q) first_.push_back(data.first_document(q));
  visit_scaled(data, scaling, threads, [&](std::size_t q, std::span<const float> rows) {
    std::uint16_t* out = codes->data() + first_[q] * features_;
    for (std::size_t k = 0; k < rows.size(); ++k) out[k] = code_of(basis_->features[k % features_], rows[k]);
  });
  codes_ = std::move(codes);
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

void CurveFeatures::scores(std::size_t q, std::span<const double> w, std::span<double> out) const {
  std::vector<Cell> cells(basis_->cells);
  for (std::size_t j = 0; j < features_; ++j) {
    const CurvePieces& feature = basis_->features[j];
    double level = 0;
    for (std::size_t b = 0; b < feature.pieces(); ++b) {
      const LinePart line = line_part(feature, basis_->shape, b);
      const double rise = b < feature.rises ? w[feature.weight + b] : 0;
      const bool sloped = feature.curved && basis_->shape == CurveShape::lines;
      cells[feature.cell + b] = {level + w[j] * line.level, (w[j] * line.rise + (sloped ? rise : 0)) / kPlaces};
      level += rise;
    }
  }
  const std::uint16_t* code = codes(q);
  const std::uint32_t* const begin = first_cell_.data();
  const auto part = [&](std::size_t j) {
    const Cell& cell = cells[begin[j] + (code[j] >> kPlaceBits)];
    return cell.level + cell.rise * static_cast<double>(code[j] & kPlaceMask);
  };
  for (double& score : out) {
    std::array<double, 4> sums = {};
    std::size_t j = 0;
    for (; j + sums.size() <= features_; j += sums.size())
      for (std::size_t lane = 0; lane < sums.size(); ++lane) sums[lane] += part(j + lane);
    for (; j < features_; ++j) sums[0] += part(j);
    score = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    code += features_;
  }
}

/// To cells[2 c] the coefficients of the documents in piece c, to cells[2 c + 1] those times their places.
void CurveFeatures::add_cells(std::size_t q, std::span<const double> coefficients, std::span<double> cells) const {
  const std::uint16_t* code = codes(q);
  for (const double coefficient : coefficients) {
    if (coefficient == 0) {
      code += features_;
      continue;
    }
    const double place = coefficient / kPlaces;
    for (std::size_t j = 0; j < features_; ++j) {
      double* const cell = &cells[2 * (first_cell_[j] + (code[j] >> kPlaceBits))];
      cell[0] += coefficient;
      cell[1] += place * static_cast<double>(code[j] & kPlaceMask);
    }
    code += features_;
  }
}

/// direction += that of the cells.
void CurveFeatures::fold(std::span<const double> cells, std::span<double> direction) const {
  const bool lines = basis_->shape == CurveShape::lines;
  for (std::size_t j = 0; j < features_; ++j) {
    const CurvePieces& feature = basis_->features[j];
    double behind = 0;  // coefficients in the pieces behind
    for (std::size_t b = feature.pieces(); b-- > 0;) {
      const double* const cell = &cells[2 * (feature.cell + b)];
      const LinePart line = line_part(feature, basis_->shape, b);
      direction[j] += cell[0] * line.level + cell[1] * line.rise;
      if (b < feature.rises) direction[feature.weight + b] += behind + (lines ? cell[1] : 0);
      behind += cell[0];
    }
  }
}

void CurveFeatures::pull_back(std::size_t q, std::span<const double> coefficients, Plane& out,
                              PullBackWorkspace& workspace) const {
  workspace.sums.assign(2 * basis_->cells + dimension(), 0.0);
  const std::span<double> sums(workspace.sums);
  add_cells(q, coefficients, sums.first(2 * basis_->cells));
  fold(sums.first(2 * basis_->cells), sums.subspan(2 * basis_->cells));
  const std::span<const double> direction = sums.subspan(2 * basis_->cells);
  out.columns.clear();
  out.direction.assign(direction.begin(), direction.end());
}

std::vector<double> CurveFeatures::combine(std::span<const double> coefficients, std::size_t threads) const {
  PartialSums sums(kCurveParts, 2 * basis_->cells);
  const std::size_t queries = data_.num_queries();
  parallel_for(kCurveParts, threads, [&](std::size_t part, std::size_t) {
    const std::size_t end = piece_begin(queries, kCurveParts, part + 1);
    for (std::size_t q = piece_begin(queries, kCurveParts, part); q < end; ++q)
      add_cells(q, coefficients.subspan(data_.first_document(q), data_.query(q).size()), sums[part]);
  });
  std::vector<double> direction(dimension());
  fold(sums.total(), direction);
  return direction;
}

// Of a rise, the documents behind its piece have 1, and those in it their place: counts and two sums per piece.
double CurveFeatures::centred_norm(std::size_t threads) const {
  if (data_.num_documents() == 0) return 0;
  const bool lines = basis_->shape == CurveShape::lines;
  const double sum = ordered_sum(data_.num_queries(), threads, [&](std::size_t q, std::size_t) {
    const auto documents = static_cast<double>(data_.query(q).size());
    std::vector<Places> cells(basis_->cells);
    std::vector<double> mean(features_);
    const auto visit = [&](const auto& body) {
      const std::uint16_t* code = codes(q);
      for (std::size_t i = 0; i < data_.query(q).size(); ++i, code += features_)
        for (std::size_t j = 0; j < features_; ++j) {
          const std::size_t piece = code[j] >> kPlaceBits;
          const double place = static_cast<double>(code[j] & kPlaceMask) / kPlaces;
          const LinePart line = line_part(basis_->features[j], basis_->shape, piece);
          body(j, piece, place, line.level + line.rise * place);
        }
    };
    visit([&](std::size_t j, std::size_t piece, double place, double value) {
      cells[first_cell_[j] + piece].add(place);
      mean[j] += value / documents;
    });
    double total = 0;
    visit([&](std::size_t j, std::size_t, double, double value) { total += (value - mean[j]) * (value - mean[j]); });
    for (const CurvePieces& feature : basis_->features) {
      double behind = 0;
      for (std::size_t b = feature.pieces(); b-- > 0;) {
        const Places& own = cells[feature.cell + b];
        const double ones = behind + (lines ? own.sum : 0), squares = behind + (lines ? own.squares : 0);
        const double scatter = squares - ones * ones / documents;
        if (b < feature.rises && scatter > kNoise * documents) total += scatter;
        behind += own.count;
      }
    }
    return total;
  });
  return sum / static_cast<double>(data_.num_documents());
}

double CurveFeatures::work(std::size_t q) const {
  return static_cast<double>(data_.query(q).size() * features_ * 4 + basis_->cells);
}

}  // namespace dorm
