// SPDX-License-Identifier: Apache-2.0
// Values are computed in tiles of four rows by sixteen columns. Each part keeps its columns of the right-hand documents
// in panels (tile_ops.h), or their names as numbers.
#include "model/kernel/expression_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "model/kernel/equal_codes.h"
#include "model/kernel/tile_ops.h"

namespace dorm {
namespace {

using Tile = std::array<float, kRowsAtOnce * kPanel>;

constexpr std::uint32_t kNoName = UINT32_MAX;

/// The right-hand documents as one part sees them.
struct PartColumns {
  const Part part;
  std::vector<float> panels;           // [panel][column][lane]
  std::optional<EqualCodes> names;     // same_name
  std::vector<std::uint32_t> name_of;  // theirs, by document, up to the end of the last panel

  PartColumns(const Part& source, const Documents& right) : part(source) {
    if (part.kind == PartKind::same_name) {
      name_of = names.emplace(part, right).of_right();
      name_of.resize((right.size() + kPanel - 1) / kPanel * kPanel, kNoName);
      return;
    }
    const std::size_t width = part.columns.size();
    panels.assign((right.size() + kPanel - 1) / kPanel * kPanel * width, 0.0f);
    std::vector<float> row(right.num_features()), taken(width);
    for (std::size_t j = 0; j < right.size(); ++j) {
      right.load(j, row);
      part.take(row, taken);
      float* const panel = panels.data() + j / kPanel * kPanel * width;
      for (std::size_t k = 0; k < width; ++k) panel[k * kPanel + j % kPanel] = taken[k];
    }
  }
};

/// Up to four left-hand documents as one part sees them; missing ones repeat the last.
struct PartRows {
  std::vector<float> values;
  const float* row[kRowsAtOnce] = {};
  std::uint32_t name[kRowsAtOnce] = {};
};

float power(float base, std::uint32_t exponent) {
  float result = 1;
  for (; exponent > 0; exponent /= 2, base *= base)
    if (exponent % 2 == 1) result *= base;
  return result;
}

void shape_values(const Part& part, const TileOps& ops, Tile& tile) {
  if (part.kind == PartKind::rbf) {
    ops.decay(static_cast<float>(part.gamma), tile.data(), tile.size());
  } else if (part.kind == PartKind::poly) {
    const auto gamma = static_cast<float>(part.gamma), coef0 = static_cast<float>(part.coef0);
    for (float& value : tile) value = power(gamma * value + coef0, part.degree);
  } else if (part.kind == PartKind::same_values) {
    for (float& value : tile) value = value == 0 ? 1.0f : 0.0f;
  }
}

void part_tile(const PartColumns& columns, const PartRows& rows, std::size_t panel, const TileOps& ops, Tile& tile) {
  const Part& part = columns.part;
  if (part.kind == PartKind::same_name) {
    for (std::size_t r = 0; r < kRowsAtOnce; ++r)
      for (std::size_t lane = 0; lane < kPanel; ++lane)
        tile[r * kPanel + lane] = rows.name[r] == columns.name_of[panel * kPanel + lane] ? 1.0f : 0.0f;
    return;
  }
  const std::size_t width = part.columns.size();
  const float* const values = columns.panels.data() + panel * kPanel * width;
  const bool distance = part.kind == PartKind::rbf || part.kind == PartKind::same_values;
  (distance ? ops.distances : ops.products)(rows.row, width, values, tile.data());
  shape_values(part, ops, tile);
}

class ExpressionColumns final : public KernelColumns {
 public:
  ExpressionColumns(const std::vector<Term>& terms, const Documents& right) : size_(right.size()) {
    for (const Term& term : terms) {
      weights_.push_back(term.weight);
      parts_.emplace_back();
      for (const Part& part : term.parts) parts_.back().emplace_back(part, right);
    }
  }

  std::size_t size() const override { return size_; }

  void compute(const Documents& left, std::span<const std::uint32_t> rows, std::size_t first, std::size_t last,
               float* out, std::size_t stride) const override {
    const TileOps& ops = tile_ops(simd_level());
    std::vector<std::vector<PartRows>> taken;
    for (std::size_t i = 0; i < rows.size(); i += kRowsAtOnce) {
      const std::span<const std::uint32_t> some = rows.subspan(i, std::min(kRowsAtOnce, rows.size() - i));
      take_rows(left, some, taken);
      for (std::size_t begin = first; begin < last; begin += kPanel) {
        Tile tile;
        sum_tile(taken, begin / kPanel, ops, tile);
        const std::size_t width = std::min(kPanel, last - begin);
        for (std::size_t r = 0; r < some.size(); ++r)
          std::copy_n(tile.data() + r * kPanel, width, out + (i + r) * stride + (begin - first));
      }
    }
  }

 private:
  void take_rows(const Documents& left, std::span<const std::uint32_t> rows,
                 std::vector<std::vector<PartRows>>& taken) const {
    std::vector<float> row(left.num_features());
    taken.resize(parts_.size());
    for (std::size_t t = 0; t < parts_.size(); ++t) taken[t].resize(parts_[t].size());
    for (std::size_t r = 0; r < kRowsAtOnce; ++r) {
      const std::uint32_t document = rows[std::min(r, rows.size() - 1)];
      left.load(document, row);
      for (std::size_t t = 0; t < parts_.size(); ++t)
        for (std::size_t p = 0; p < parts_[t].size(); ++p) take_row(parts_[t][p], left, document, row, r, taken[t][p]);
    }
  }

  static void take_row(const PartColumns& columns, const Documents& left, std::size_t document,
                       std::span<const float> row, std::size_t r, PartRows& out) {
    if (columns.part.kind == PartKind::same_name) {
      out.name[r] = columns.names->find(left, document, row);
      return;
    }
    const std::size_t width = columns.part.columns.size();
    out.values.resize(kRowsAtOnce * width);
    columns.part.take(row, std::span(out.values).subspan(r * width, width));
    out.row[r] = out.values.data() + r * width;
  }

  void sum_tile(const std::vector<std::vector<PartRows>>& rows, std::size_t panel, const TileOps& ops,
                Tile& sum) const {
    Tile product, factor;
    for (std::size_t t = 0; t < parts_.size(); ++t) {
      part_tile(parts_[t][0], rows[t][0], panel, ops, product);
      for (std::size_t p = 1; p < parts_[t].size(); ++p) {
        part_tile(parts_[t][p], rows[t][p], panel, ops, factor);
        for (std::size_t k = 0; k < product.size(); ++k) product[k] *= factor[k];
      }
      const auto weight = static_cast<float>(weights_[t]);
      for (std::size_t k = 0; k < product.size(); ++k)
        sum[k] = t == 0 ? weight * product[k] : sum[k] + weight * product[k];
    }
  }

  std::size_t size_;
  std::vector<double> weights_;
  std::vector<std::vector<PartColumns>> parts_;  // by term
};

}  // namespace

std::string ExpressionKernel::spec() const {
  std::string out;
  for (const Term& term : terms_) {
    if (!out.empty()) out += " + ";
    if (term.weight != 1) out += fmt::format("{} * ", term.weight);
    for (std::size_t p = 0; p < term.parts.size(); ++p) out += (p == 0 ? "" : " * ") + term.parts[p].text;
  }
  return out;
}

std::unique_ptr<const KernelColumns> ExpressionKernel::against(const Documents& right) const {
  return std::make_unique<ExpressionColumns>(terms_, right);
}

void ExpressionKernel::diagonal(const Documents& documents, std::span<float> out) const {
  std::vector<float> row(documents.num_features()), taken;
  for (std::size_t i = 0; i < out.size(); ++i) {
    documents.load(i, row);
    double sum = 0;
    for (const Term& term : terms_) {
      double product = term.weight;
      for (const Part& part : term.parts) {
        if (part.kind == PartKind::rbf || part.kind == PartKind::same_name || part.kind == PartKind::same_values)
          continue;
        taken.resize(part.columns.size());
        part.take(row, taken);
        double square = 0;
        for (const float x : taken) square += static_cast<double>(x) * static_cast<double>(x);
        for (std::uint32_t d = 0; d < part.degree; ++d)
          product *= part.kind == PartKind::poly ? part.gamma * square + part.coef0 : square;
      }
      sum += product;
    }
    out[i] = static_cast<float>(sum);
  }
}

bool ExpressionKernel::reads(IdKind id) const {
  for (const Term& term : terms_)
    for (const Part& part : term.parts)
      if (part.kind == PartKind::same_name && part.id == id) return true;
  return false;
}

std::string vanishing_factor(const Kernel& kernel, const Documents& documents) {
  const auto* const expression = dynamic_cast<const ExpressionKernel*>(&kernel);
  if (expression == nullptr) return "";
  std::vector<const Part*> left;  // factors of which no value was found yet
  for (const Term& term : expression->terms())
    for (const Part& part : term.parts)
      if (term.parts.size() > 1 &&
          (part.kind == PartKind::linear || part.kind == PartKind::attribute || part.kind == PartKind::correlation))
        left.push_back(&part);
  std::vector<float> row(documents.num_features()), taken;
  for (std::size_t i = 0; i < documents.size() && !left.empty(); ++i) {
    documents.load(i, row);
    std::erase_if(left, [&](const Part* part) {
      taken.resize(part->columns.size());
      part->take(row, taken);
      return std::any_of(taken.begin(), taken.end(), [](float x) { return x != 0; });
    });
  }
  return left.empty() ? "" : left.front()->text;
}

}  // namespace dorm
