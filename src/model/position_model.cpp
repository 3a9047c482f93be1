// SPDX-License-Identifier: Apache-2.0
// A PositionModel as JSON: the document of its shared model with the kind "positions", and the parts beside it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "data/io/file.h"
#include "dorm/error.h"
#include "dorm/model.h"
#include "model/position_json.h"

namespace dorm {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kKind = "positions";

[[noreturn]] void refuse(const std::string& name, const std::string& field, const std::string& expected) {
  throw Error(ErrorCode::bad_input, {name}, fmt::format("not a usable model: \"{}\" should be {}", field, expected));
}

std::vector<double> numbers(const Json& json, const std::string& name, const std::string& field, std::size_t size) {
  const std::string expected = fmt::format("a list of {} finite numbers", size);
  if (!json.is_array() || json.size() != size) refuse(name, field, expected);
  std::vector<double> out;
  for (const Json& x : json) {
    if (!x.is_number() || !std::isfinite(x.get<double>())) refuse(name, field, expected);
    out.push_back(x.get<double>());
  }
  return out;
}

const Json& field_of(const Json& json, const std::string& name, const char* field) {
  const auto found = json.find(field);
  if (found == json.end()) refuse(name, field, "there");
  return *found;
}

LabelGains gains_from(const Json& json, const std::string& name, std::size_t positions) {
  LabelGains gains{positions, {}, {}};
  if (!json.is_array()) refuse(name, "position_gains", "a list of {label, gains}");
  for (const Json& row : json) {
    if (!row.is_object() || !row.contains("label") || !row.contains("gains") || !row["label"].is_number())
      refuse(name, "position_gains", "a list of {label, gains}");
    gains.labels.push_back(row["label"].get<float>());
    const std::vector<double> gain = numbers(row["gains"], name, "position_gains.gains", positions);
    gains.gain.insert(gains.gain.end(), gain.begin(), gain.end());
  }
  if (std::adjacent_find(gains.labels.begin(), gains.labels.end(), std::greater_equal<>()) != gains.labels.end())
    refuse(name, "position_gains", "in order of increasing labels");
  return gains;
}

bool has_kind(const Json& json) { return json.is_object() && json.contains("kind") && json["kind"] == kKind; }

}  // namespace

std::string to_json(const PositionModel& model) {
  Json json = Json::parse(to_json(model.shared));
  json["kind"] = kKind;
  json["position_decay"] = model.decay;
  json["position_weights"] = model.blocks;
  json["position_gains"] = Json::array();
  for (std::size_t k = 0; k < model.gains.labels.size(); ++k) {
    const auto row = model.gains.gain.begin() + static_cast<std::ptrdiff_t>(k * model.gains.positions);
    json["position_gains"].push_back(
        {{"label", model.gains.labels[k]},
         {"gains", std::vector<double>(row, row + static_cast<std::ptrdiff_t>(model.gains.positions))}});
  }
  return json.dump(1) + "\n";
}

PositionModel position_model_from_json(std::string_view text, const std::string& name) {
  Json json = Json::parse(text, nullptr, false);
  if (!has_kind(json)) refuse(name, "kind", fmt::format("\"{}\"", kKind));
  PositionModel model;
  const Json& decay = field_of(json, name, "position_decay");
  model.decay = numbers(decay, name, "position_decay", std::max<std::size_t>(1, decay.size()));
  const std::size_t positions = model.decay.size();
  model.gains = gains_from(field_of(json, name, "position_gains"), name, positions);
  const Json blocks = field_of(json, name, "position_weights");
  json["kind"] = "linear";
  model.shared = model_from_json(json.dump(), name);
  if (!blocks.is_array() || (!blocks.empty() && blocks.size() != positions))
    refuse(name, "position_weights", fmt::format("empty or {} lists of weights", positions));
  for (const Json& block : blocks)
    model.blocks.push_back(numbers(block, name, "position_weights", model.shared.features.size()));
  return model;
}

PositionModel load_position_model(const std::string& path) {
  return position_model_from_json(read_whole_file(path), path);
}

bool is_position_json(std::string_view text) { return has_kind(Json::parse(text, nullptr, false)); }

}  // namespace dorm
