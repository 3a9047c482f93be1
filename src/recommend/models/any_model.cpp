// SPDX-License-Identifier: Apache-2.0
#include "dorm/recommend/any_model.h"

#include "data/io/files/archive.h"

namespace dorm {

std::optional<SavedModel> load_saved_model(const std::string& path) {
  const auto saved = []<class M>(M&& model) { return SavedModel(std::forward<M>(model)); };
  if (is_recommender_file(path)) return std::visit(saved, load_recommender(path));
  std::optional<AnyModel> model = find_model(path);
  if (!model) return std::nullopt;
  return std::visit(saved, std::move(*model));
}

Recommender load_recommender(const std::string& path) {
  if (is_joint_file(path)) return load_joint(path);
  if (is_implicit_file(path)) return load_implicit(path);
  return load_factors(path);
}

}  // namespace dorm
