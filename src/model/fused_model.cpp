// SPDX-License-Identifier: Apache-2.0
#include "dorm/fusion/fused_model.h"

#include <algorithm>

#include "data/io/binary/input_json.h"
#include "data/io/files/file.h"
#include "dorm/error.h"
#include "model/model_json.h"

namespace dorm {
namespace {

constexpr const char* kFusion = "fusion";

Json input_record(const FusedModel& model) {
  const FusionInput& input = model.input;
  Json out = {{"runs", input.runs}, {"scale", name_of(input.scale)}, {"absent", name_of(input.absent)}};
  if (!input.features.empty()) out["features"] = input.features;
  for (const QueryFeature& feature : input.query_features)
    out["query_features"].push_back({{"name", feature.name}, {"low", feature.low}, {"high", feature.high}});
  if (!input.encodings.empty()) out["encodings"] = encodings_json(input.encodings);
  if (!model.low.empty()) {
    out["low"] = model.low;
    out["high"] = model.high;
  }
  return out;
}

FusionInput input_from(const JsonFields& fields) {
  FusionInput input;
  input.runs = fields.required<std::vector<std::string>>("runs", "a list of names");
  input.features = fields.optional<std::vector<std::string>>("features", "a list of names", {});
  if (fields.has("query_features"))
    for (const JsonFields& each : fields.objects("query_features", "a list of query features")) {
      QueryFeature& feature = input.query_features.emplace_back();
      each.read("name", feature.name);
      each.read("low", feature.low);
      each.read("high", feature.high);
      if (!(feature.low < feature.high)) each.fail("high", "a number above \"low\"");
    }
  if (fields.has("encodings")) input.encodings = encodings_from_json(fields);
  const auto scale = fields.required<std::string>("scale", "the name of a scale");
  const auto absent = fields.required<std::string>("absent", "the name of a rule");
  try {
    input.scale = parse_fusion_scale(scale);
    input.absent = parse_absent(absent);
  } catch (const Error& error) {
    fields.refuse(error.what());
  }
  return input;
}

}  // namespace

std::string to_json(const FusedModel& model) {
  Json out = json_of(model.model);
  out[kFusion] = input_record(model);
  return json_text(out, 1) + "\n";
}

std::optional<FusedModel> fused_model_from_json(std::string_view text, const std::string& name) {
  if (is_tree_file(text)) return std::nullopt;
  const Json json = parse_model(text, name);
  const JsonFields fields(json, name, "a usable model");
  if (!json.is_object() || !fields.has(kFusion)) return std::nullopt;
  const JsonFields record = fields.object(kFusion);
  FusedModel fused{model_from(json, name), input_from(record)};
  fused.low = record.optional<std::vector<double>>("low", "a list of finite numbers", {});
  fused.high = record.optional<std::vector<double>>("high", "a list of finite numbers", {});
  if (fused.low.size() != fused.high.size() || (!fused.low.empty() && fused.low.size() != fused.input.num_lists()))
    record.fail("low", "as many numbers as there are runs and features, and the same of \"high\"");
  if (!fused.model.linear() || fused.model.features != fused.input.column_names())
    fields.fail("features", "the columns of \"fusion\", with a weight for each");
  return fused;
}

std::optional<FusedModel> load_fused_model(const std::string& path) {
  return fused_model_from_json(read_whole_file(path), path);
}

}  // namespace dorm
