// SPDX-License-Identifier: Apache-2.0
// A PositionModel as JSON: the document of its shared model with the kind "positions", and the parts beside it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/io/files/file.h"
#include "dorm/error.h"
#include "dorm/model.h"
#include "model/model_json.h"

namespace dorm {
namespace {

constexpr const char* kKind = "positions";

std::vector<double> finite_numbers(const JsonFields& fields, const char* key, std::size_t size) {
  const std::string expected = fmt::format("a list of {} finite numbers", size);
  auto numbers = fields.required<std::vector<double>>(key, expected.c_str());
  if (numbers.size() != size) fields.fail(key, expected);
  return numbers;
}

LabelGains gains_from(const JsonFields& fields, std::size_t positions) {
  LabelGains gains{positions, {}, {}};
  for (const JsonFields& row : fields.objects("position_gains", "a list of {label, gains}")) {
    gains.labels.push_back(row.required<float>("label", "a number"));
    const std::vector<double> gain = finite_numbers(row, "gains", positions);
    gains.gain.insert(gains.gain.end(), gain.begin(), gain.end());
  }
  if (std::adjacent_find(gains.labels.begin(), gains.labels.end(), std::greater_equal<>()) != gains.labels.end())
    fields.fail("position_gains", "in order of increasing labels");
  return gains;
}

}  // namespace

Json json_of(const PositionModel& model) {
  Json json = json_of(model.shared);
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
  return json;
}

std::string to_json(const PositionModel& model) { return json_text(json_of(model), 1) + "\n"; }

bool is_position_model(const Json& json) { return json.is_object() && json.contains("kind") && json["kind"] == kKind; }

PositionModel position_model_from_json(std::string_view text, const std::string& name) {
  return position_model_from(parse_model(text, name), name);
}

PositionModel position_model_from(Json json, const std::string& name) {
  const JsonFields fields(json, name, "a usable model");
  if (!is_position_model(json)) fields.fail("kind", fmt::format("\"{}\"", kKind));
  PositionModel model;
  model.decay = fields.required<std::vector<double>>("position_decay", "a list of finite numbers");
  if (model.decay.empty()) fields.fail("position_decay", "a list of at least one number");
  const std::size_t positions = model.decay.size();
  model.gains = gains_from(fields, positions);
  model.blocks = fields.required<std::vector<std::vector<double>>>("position_weights", "lists of finite numbers");
  if (!model.blocks.empty() && model.blocks.size() != positions)
    fields.fail("position_weights", fmt::format("empty or {} lists of weights", positions));
  json["kind"] = "linear";
  model.shared = model_from(json, name);
  for (const std::vector<double>& block : model.blocks)
    if (block.size() != model.shared.features.size())
      fields.fail("position_weights",
                  fmt::format("lists of {} numbers, one per feature", model.shared.features.size()));
  return model;
}

PositionModel load_position_model(const std::string& path) {
  return position_model_from_json(read_whole_file(path), path);
}

}  // namespace dorm
