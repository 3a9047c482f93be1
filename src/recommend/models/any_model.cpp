// SPDX-License-Identifier: Apache-2.0
#include "dorm/recommend/any_model.h"

#include "data/io/files/file.h"
#include "data/io/files/peek.h"
#include "data/io/files/text_formats.h"

namespace dorm {

std::optional<SavedModel> load_saved_model(const std::string& path) {
  if (path != "-" && !file_exists(path)) return std::nullopt;
  if (is_factor_file(path)) return load_factors(path);
  if (is_joint_file(path)) return load_joint(path);
  if (is_implicit_file(path)) return load_implicit(path);
  const std::string head = first_bytes(path, 4096);
  if (is_tree_file(head))
    return std::visit([]<class M>(M&& model) { return SavedModel(std::forward<M>(model)); }, load_any_model(path));
  const bool named = path.ends_with(".json") || head.substr(0, 256).find("\"format\"") != std::string::npos;
  if (!head.starts_with('{') || !named) return std::nullopt;         // JSON lines are data
  if (format_of_text(head) == DataFormat::log) return std::nullopt;  // and so are answers of a search engine
  return std::visit([]<class M>(M&& model) { return SavedModel(std::forward<M>(model)); }, load_any_model(path));
}

Recommender load_recommender(const std::string& path) {
  if (is_joint_file(path)) return load_joint(path);
  if (is_implicit_file(path)) return load_implicit(path);
  return load_factors(path);
}

}  // namespace dorm
