// SPDX-License-Identifier: Apache-2.0
#include "data/io/files/file.h"
#include "data/io/files/peek.h"
#include "data/io/files/text_formats.h"
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

std::optional<AnyModel> find_model(const std::string& path) {
  if (path != "-" && !file_exists(path)) return std::nullopt;
  const std::string head = first_bytes(path, 4096);
  if (is_tree_file(head)) return load_any_model(path);
  const bool named = path.ends_with(".json") || head.substr(0, 256).find("\"format\"") != std::string::npos;
  if (!head.starts_with('{') || !named) return std::nullopt;         // JSON lines are data
  if (format_of_text(head) == DataFormat::log) return std::nullopt;  // and so are answers of a search engine
  return load_any_model(path);
}

}  // namespace dorm
