// SPDX-License-Identifier: Apache-2.0
#include "serve/explore/scaled_columns.h"

#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "data/scale/scale_doubles.h"
#include "data/scale/scale_rows.h"
#include "model/align.h"

namespace dorm::explore {
namespace {

constexpr std::size_t kQueriesAtOnce = 64;

}  // namespace

ScaledColumns::ScaledColumns(const Model& model, Dataset data, std::uint64_t kept_bytes, std::size_t threads)
    : data_(std::move(data)),
      scaling_(scaling_of_columns(model, data_)),
      column_of_(columns_of_features(model, data_)),
      room_(static_cast<std::size_t>(
          std::max<std::uint64_t>(1, kept_bytes / (sizeof(double) * std::max<std::size_t>(1, data_.num_documents()))))),
      threads_(threads) {}

std::vector<std::shared_ptr<ScaledColumn>> ScaledColumns::made(std::span<const std::size_t> columns) const {
  std::vector<std::shared_ptr<ScaledColumn>> out;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    out.push_back(std::make_shared<ScaledColumn>());
    out.back()->values.resize(data_.num_documents());
  }
  const auto [least, most] = std::minmax_element(columns.begin(), columns.end());
  const std::size_t first = columns.empty() ? 0 : *least, width = columns.empty() ? 0 : *most - *least + 1;
  const std::size_t pieces = (data_.num_queries() + kQueriesAtOnce - 1) / kQueriesAtOnce;
  std::vector<std::vector<double>> largest(pieces, std::vector<double>(columns.size()));
  parallel_for(pieces, threads_, [&](std::size_t piece, std::size_t) {
    std::vector<double> scaled;
    const std::size_t end = std::min(data_.num_queries(), (piece + 1) * kQueriesAtOnce);
    for (std::size_t q = piece * kQueriesAtOnce; q < end; ++q) {
      const Query query = data_.query(q);
      scaled.resize(query.size() * width);
      scale_columns(scaling_, dense_rows(query), first, width, scaled.data());
      for (std::size_t k = 0; k < columns.size(); ++k)
        for (std::size_t i = 0; i < query.size(); ++i) {
          const double x = scaled[i * width + columns[k] - first];
          out[k]->values[query.first_document + i] = x;
          largest[piece][k] = std::max(largest[piece][k], std::fabs(x));
        }
    }
  });
  for (const std::vector<double>& each : largest)
    for (std::size_t k = 0; k < columns.size(); ++k) out[k]->largest = std::max(out[k]->largest, each[k]);
  data_.require_intact();
  return out;
}

void ScaledColumns::prepare(std::span<const std::size_t> features) {
  const std::lock_guard lock(mutex_);
  std::vector<std::size_t> wanted, columns;
  for (const std::size_t feature : features) {
    const bool here =
        std::any_of(kept_.begin(), kept_.end(), [&](const Kept& kept) { return kept.feature == feature; });
    if (here || column_of_[feature] == FeatureIndex::kUnknown || wanted.size() == room_) continue;
    wanted.push_back(feature);
    columns.push_back(column_of_[feature]);
  }
  if (wanted.empty()) return;
  std::sort(kept_.begin(), kept_.end(), [](const Kept& a, const Kept& b) { return a.used > b.used; });
  kept_.erase(kept_.begin() + static_cast<std::ptrdiff_t>(std::min(kept_.size(), room_ - wanted.size())), kept_.end());
  const auto columns_made = made(columns);
  for (std::size_t k = 0; k < wanted.size(); ++k) kept_.push_back({wanted[k], ++clock_, columns_made[k]});
}

std::shared_ptr<const ScaledColumn> ScaledColumns::column(std::size_t feature) {
  if (column_of_[feature] == FeatureIndex::kUnknown) return nullptr;
  prepare(std::span(&feature, 1));
  const std::lock_guard lock(mutex_);
  const auto found =
      std::find_if(kept_.begin(), kept_.end(), [&](const Kept& kept) { return kept.feature == feature; });
  if (found == kept_.end()) return made(std::span(&column_of_[feature], 1)).front();  // others took its place
  found->used = ++clock_;
  return found->column;
}

}  // namespace dorm::explore
