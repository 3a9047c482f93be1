// SPDX-License-Identifier: Apache-2.0
// Fused models for search engines: the request or configuration that makes an engine fuse with these weights, and what
// the engine's own treatment of scores makes of lists.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dorm/base/catalog.h"
#include "dorm/fusion/fused_model.h"

namespace dorm {

struct ExportedFusion {
  std::string text;
  std::vector<std::string> notes;  // what else is to be known: sentences
  /// The engine's score of a document is the weighted sum of its columns, which come of join_runs() with this rule.
  std::vector<double> weights;
  ColumnRule rule;
};

std::span<const CatalogEntry> fusion_targets();
bool is_fusion_target(std::string_view name);

/// `window`: the length of the lists that are fused. Throws Error(unknown_name), and Error(unsupported) for models that
/// the engine cannot express.
ExportedFusion export_fused(const FusedModel& model, std::string_view target, std::size_t window = 100);

}  // namespace dorm
