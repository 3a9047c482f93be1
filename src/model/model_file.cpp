// SPDX-License-Identifier: Apache-2.0
#include "data/io/files/file.h"
#include "dorm/model.h"
#include "dorm/write.h"
#include "model/model_json.h"

namespace dorm {

void save_model(const Model& model, const std::string& path) {
  write_atomically(path, [&](std::ostream& out) { out << to_json(model); });
}

Model load_model(const std::string& path) { return model_from_json(read_whole_file(path), path); }

AnyModel load_any_model(const std::string& path) {
  const std::string bytes = read_whole_file(path);
  if (is_tree_file(bytes)) return model_of(read_trees(bytes, path));
  Json json = parse_model(bytes, path);
  if (is_position_model(json)) return position_model_from(std::move(json), path);
  return model_from(json, path);
}

}  // namespace dorm
