// SPDX-License-Identifier: Apache-2.0
#include "data/io/file.h"
#include "dorm/model.h"
#include "dorm/write.h"
#include "model/position_json.h"

namespace dorm {

void save_model(const Model& model, const std::string& path) {
  write_atomically(path, [&](std::ostream& out) { out << to_json(model); });
}

Model load_model(const std::string& path) { return model_from_json(read_whole_file(path), path); }

AnyModel load_any_model(const std::string& path) {
  const std::string text = read_whole_file(path);
  if (is_position_json(text)) return position_model_from_json(text, path);
  return model_from_json(text, path);
}

}  // namespace dorm
