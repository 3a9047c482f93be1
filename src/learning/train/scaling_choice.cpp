// SPDX-License-Identifier: Apache-2.0
#include "learning/train/scaling_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "data/replace_features.h"
#include "dorm/error.h"
#include "dorm/export.h"
#include "dorm/train.h"

namespace dorm {
namespace {

constexpr CatalogEntry kAnyTarget = {"any", "any", "what every one of them can evaluate"};

/// Of auto, the first choice first; the figures are in docs/benchmarks-archive.md.
constexpr std::array kPreferred = {ScalingKind::log_query_zscore, ScalingKind::log_zscore, ScalingKind::zscore};

Serving serving_of(std::string_view target) {
  if (target != kAnyTarget.name) {
    for (const ExportTarget& known : export_targets())
      if (known.entry.name == target && known.serving.linear) return known.serving;
    throw_unknown_name("target", target, target_choices());
  }
  Serving all{.logarithms = true, .lists = true, .kernels = true};
  for (const ExportTarget& known : export_targets()) {
    if (!known.serving.linear) continue;
    all.logarithms = all.logarithms && known.serving.logarithms;
    all.lists = all.lists && known.serving.lists;
    all.kernels = all.kernels && known.serving.kernels;
  }
  return all;
}

bool serves(std::string_view target, ScalingKind kind) { return target.empty() || can_serve(serving_of(target), kind); }

/// How a target is called in a sentence.
std::string spoken(std::string_view target) {
  return target == kAnyTarget.name ? "not every target can" : fmt::format("{} cannot", target);
}

/// The targets for which `can` holds, as a list in words.
template <class Can>
std::string targets_that(const Can& can) {
  std::string list;
  for (const ExportTarget& known : export_targets())
    if (known.serving.linear && can(known.serving))
      list += fmt::format("{}{}", list.empty() ? "" : ", ", known.entry.name);
  return list.empty() ? "none" : list;
}

void require_dense(const Dataset& data) {
  if (!data.dense())
    throw Error(ErrorCode::unsupported,
                "missing values are kept for curves of dense features, and this data is compressed; expected zero");
}

/// The mean of each column over the values that are there; 0 without one.
std::vector<float> means_of(const Dataset& data) {
  std::vector<double> sums(data.num_features()), counts(data.num_features());
  std::vector<float> row(data.num_features()), means;
  for (std::size_t q = 0; q < data.num_queries(); ++q)
    for (std::size_t i = 0; i < data.query(q).size(); ++i) {
      data.query(q).rows.load(i, row);
      for (std::size_t j = 0; j < row.size(); ++j) {
        if (std::isnan(row[j])) continue;
        sums[j] += static_cast<double>(row[j]);
        ++counts[j];
      }
    }
  for (std::size_t j = 0; j < sums.size(); ++j)
    means.push_back(counts[j] > 0 ? static_cast<float>(sums[j] / counts[j]) : 0.0F);
  return means;
}

}  // namespace

std::vector<CatalogEntry> target_choices() {
  std::vector<CatalogEntry> choices;
  for (const ExportTarget& known : export_targets())
    if (known.serving.linear) choices.push_back(known.entry);
  choices.push_back(kAnyTarget);
  return choices;
}

void require_kernels(std::string_view target) {
  if (target.empty() || serving_of(target).kernels) return;
  throw Error(ErrorCode::bad_option,
              fmt::format("{} evaluate kernels; expected none, or a target that can: {}", spoken(target),
                          targets_that([](const Serving& serving) { return serving.kernels; })));
}

void require_served(std::string_view target, ScalingKind kind) {
  if (serves(target, kind)) return;
  throw Error(ErrorCode::bad_option,
              fmt::format("{} evaluate the scaling {}; expected auto or one of {}, or a target that can: {}",
                          spoken(target), name_of(kind), servable_scalings(serving_of(target)),
                          targets_that([kind](const Serving& serving) { return can_serve(serving, kind); })));
}

bool serves_curves(std::string_view target, ScalingKind kind) {
  for (const ExportTarget& known : export_targets())
    if (known.entry.name == target) return known.folder || (known.serving.curves && !Scaling{kind, {}, {}}.per_query());
  return false;  // not every target
}

void ScalingChoice::validate() const {
  require_served(target, scale == "auto" ? ScalingKind::none : parse_scaling(scale));
}

ScalingKind ScalingChoice::settle(const std::function<bool()>& unit_range) const {
  validate();
  if (scale != "auto") return parse_scaling(scale);
  if (unit_range()) return ScalingKind::none;
  const auto* const chosen =
      std::find_if(kPreferred.begin(), kPreferred.end(), [&](ScalingKind kind) { return serves(target, kind); });
  return chosen == kPreferred.end() ? ScalingKind::none : *chosen;
}

ScalingKind ScalingChoice::settle(const Dataset& data, std::string_view kernel, std::size_t threads) const {
  if (scale == "auto" && kernel == "precomputed") return ScalingKind::none;
  if (scale == "auto" && data.input().has_rule(Missing::keep)) return ScalingKind::zscore;
  return settle([&] { return choose_scaling(data, threads) == ScalingKind::none; });
}

void require_usable_gaps(const Dataset& data, bool curves) {
  if (data.input().has_rule(Missing::keep) && !curves)
    throw Error(ErrorCode::bad_input,
                "missing values were kept, which curves and trees alone can use; expected zero or mean to train on, or "
                "curves");
}

// Ranges are those of the values that are there: a mean lies within. The spread is a little less than theirs.
Scaling scaling_with_gaps(const Dataset& data, const ScalingChoice& choice, std::size_t threads) {
  require_dense(data);
  const ScalingKind kind = choice.settle(data, "none", threads);
  if (kind != ScalingKind::none && kind != ScalingKind::zscore && kind != ScalingKind::minmax)
    throw Error(
        ErrorCode::unsupported,
        fmt::format("missing values are kept, which the scaling {} cannot skip; expected zscore, minmax or none",
                    name_of(kind)));
  const std::vector<float> means = means_of(data);
  std::vector<std::string> names;
  for (std::size_t j = 0; j < data.num_features(); ++j) names.push_back(data.feature_name(j));
  const auto fill = [&](std::size_t q, float* rows, std::size_t stride) {
    const FeatureRows from = data.query(q).rows;
    for (std::size_t i = 0; i < from.size(); ++i, rows += stride) {
      from.load(i, std::span(rows, names.size()));
      for (std::size_t j = 0; j < names.size(); ++j)
        if (std::isnan(rows[j])) rows[j] = means[j];
    }
  };
  return fit_scaling(kind, replace_features(data, names.size(), names, threads, fill), threads);
}

}  // namespace dorm
