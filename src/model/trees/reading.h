// SPDX-License-Identifier: Apache-2.0
// What the readers of the formats share.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "dorm/learning/trees.h"

namespace dorm {

/// Throws Error(bad_input): "FILE: not a usable LightGBM model: ...".
[[noreturn]] void refuse_trees(const std::string& name, std::string_view library, const std::string& why);
/// Throws Error(unsupported): "FILE: WHAT is no ranker by trees; expected ...".
[[noreturn]] void refuse_kind(const std::string& name, const std::string& what, const std::string& expected);

/// Appends a tree whose children are places in `nodes`, the first being the root. Nodes that the root does not lead to
/// are left out. Throws Error(bad_input) for children that are none, or shared.
void append_tree(TreeEnsemble& trees, std::span<const TreeNode> nodes, const std::string& name);

/// The set of some categories; refuses what is beyond the limits.
CategorySet category_set(std::span<const std::uint64_t> categories, const std::string& name);
/// Its number, for TreeNode::categories.
std::uint32_t add_categories(TreeEnsemble& trees, CategorySet set);

/// A split of numbers x < threshold in 32 bits, as one of x <= threshold.
double threshold_below(double threshold);

/// "f0", "f1", ...: the names where a file has none.
void number_features(TreeEnsemble& trees, std::size_t count, const char* prefix, const std::string& name);

/// By their names, whether features are those that a library makes up: prefix0, prefix1, ...
bool made_up(std::span<const std::string> features, std::string_view prefix);

/// JSON of a size and depth that trees may have.
Json parse_tree_json(std::string_view text, const std::string& name);
/// UBJSON as JSON: no container without content for each of its values, none nested deeper than trees.
Json parse_ubjson(std::string_view bytes, const std::string& name);

TreeEnsemble read_lightgbm_text(std::string_view text, const std::string& name);
TreeEnsemble read_lightgbm_json(const Json& json, const std::string& name);
TreeEnsemble read_xgboost(const Json& json, const std::string& name);
TreeEnsemble read_catboost(const Json& json, const std::string& name);
TreeEnsemble read_onnx_trees(std::string_view bytes, const std::string& name);
TreeEnsemble read_ranklib(std::string_view text, const std::string& name);

}  // namespace dorm
