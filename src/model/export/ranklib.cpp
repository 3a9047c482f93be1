// SPDX-License-Identifier: Apache-2.0
// A model of RankLib that Coordinate Ascent could have found: the weights of numbered features. RankLib sums in
// doubles, in the order of the file, and has no constant.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "dorm/error.h"
#include "model/export/formats.h"
#include "model/export/trees.h"

namespace dorm {
namespace {

/// As written without zeros or signs in front, so that no two names are one number.
void require_feature_number(std::string_view name) {
  std::int32_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc() || number <= 0 || name != std::to_string(number))
    refuse_name("ranklib", name, "RankLib numbers features from 1");
}

}  // namespace

Exported export_ranklib(const Model& model, const ExportOptions& options) {
  if (model.trees) return export_trees_ranklib(model, options);
  if (options.non_negative)
    throw Error(ErrorCode::unsupported, "RankLib has no constant that could keep scores from being negative");
  ServedModel served = folded(model, options);
  served.pruned += served.constant;
  served.constant = 0;
  std::string text =
      "## Coordinate Ascent\n"
      "## Restart = 1\n"
      "## MaxIteration = 1\n"
      "## StepBase = 0.05\n"
      "## StepScale = 2.0\n"
      "## Tolerance = 0.001\n"
      "## Regularized = false\n"
      "## Slack = 0.001\n";
  std::string weights;
  for (const ServedModel::Term& term : served.terms) {
    const std::string_view name = spelling(model, options, term.feature);
    require_feature_number(name);
    weights += fmt::format("{}{}:{}", weights.empty() ? "" : " ", name, number_text(term.weight));
  }
  Exported exported = one_file(text + (weights.empty() ? "1:0.0" : weights) + "\n", std::move(served));
  note_missing(exported, model, "RankLib");
  return exported;
}

}  // namespace dorm
