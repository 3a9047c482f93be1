// SPDX-License-Identifier: Apache-2.0
#include "learning/train/scaling_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

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
  return settle([&] { return choose_scaling(data, threads) == ScalingKind::none; });
}

}  // namespace dorm
