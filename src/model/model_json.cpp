// SPDX-License-Identifier: Apache-2.0
// The model as JSON. Every field is checked on the way in: a model file is input like any other.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "dorm/catalog.h"
#include "dorm/error.h"
#include "dorm/model.h"
#include "dorm/one_per.h"
#include "model/kernel_json.h"

namespace dorm {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kFormat = "dorm-model";
constexpr std::uint64_t kVersion = 2;        // the newest; version 1 of kernel models had another checksum
constexpr std::uint64_t kLinearVersion = 1;  // the rest has not changed

// Reads fields of one object, with errors that name the file and the field.
class Fields {
 public:
  Fields(const Json& object, const std::string& name, std::string path)
      : object_(object), name_(name), path_(std::move(path)) {
    if (!object.is_object()) fail("", "an object");
  }

  template <class T>
  T required(const char* key, const char* expected) const {
    const auto field = object_.find(key);
    if (field == object_.end()) fail(key, expected);
    return convert<T>(*field, key, expected);
  }

  template <class T>
  T optional(const char* key, const char* expected, T fallback) const {
    const auto field = object_.find(key);
    return field == object_.end() || field->is_null() ? fallback : convert<T>(*field, key, expected);
  }

  Fields object(const char* key) const {
    const auto field = object_.find(key);
    if (field == object_.end()) fail(key, "an object");
    return Fields(*field, name_, path_ + key + ".");
  }

  [[noreturn]] void fail(const std::string& key, std::string_view expected) const {
    throw Error(ErrorCode::bad_input, {name_},
                fmt::format("not a usable model: \"{}{}\" should be {}", path_, key, expected));
  }

 private:
  template <class T>
  T convert(const Json& field, const char* key, const char* expected) const {
    if constexpr (std::is_integral_v<T>) {  // the library would turn true into 1, 1.5 into 1 and -1 into 2^64 - 1
      if (!field.is_number_unsigned() || field.get<std::uint64_t>() > std::numeric_limits<T>::max())
        fail(key, expected);
    }
    try {
      return field.get<T>();
    } catch (const nlohmann::json::exception&) {
      fail(key, expected);
    }
  }

  const Json& object_;
  const std::string& name_;
  std::string path_;
};

void require_distinct(const Fields& fields, std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end()) fields.fail("features", fmt::format("distinct names; \"{}\" stands there twice", *twice));
}

std::uint64_t fingerprint_from(const Fields& fields) {
  const std::string text = fields.optional<std::string>("fingerprint", "16 hexadecimal digits", "0");
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc() || end != text.data() + text.size()) fields.fail("fingerprint", "16 hexadecimal digits");
  return value;
}

void require_finite(const Fields& fields, const char* key, const std::vector<double>& values) {
  for (double x : values)
    if (!std::isfinite(x)) fields.fail(key, "finite numbers");
}

Json scaling_json(const Scaling& scaling) {
  Json out = {{"kind", name_of(scaling.kind)}};
  if (!scaling.shift.empty()) {
    out["shift"] = scaling.shift;
    out["factor"] = scaling.factor;
  }
  return out;
}

Scaling scaling_from(const Fields& fields, std::size_t features) {
  Scaling scaling;
  const std::string kind = fields.required<std::string>("kind", "the name of a scaling");
  try {
    scaling.kind = parse_scaling(kind);
  } catch (const Error& error) {
    fields.fail("kind", fmt::format("the name of a scaling ({})", error.what()));
  }
  scaling.shift = fields.optional<std::vector<double>>("shift", "a list of numbers", {});
  scaling.factor = fields.optional<std::vector<double>>("factor", "a list of numbers", {});
  const bool global = scaling.kind != ScalingKind::none && !scaling.per_query();
  const std::size_t expected = global ? features : 0;
  if (scaling.shift.size() != expected) fields.fail("shift", fmt::format("a list of {} numbers", expected));
  if (scaling.factor.size() != expected) fields.fail("factor", fmt::format("a list of {} numbers", expected));
  require_finite(fields, "shift", scaling.shift);
  require_finite(fields, "factor", scaling.factor);
  return scaling;
}

std::string one_per_from(const Fields& fields) {
  const std::string text = fields.optional<std::string>("one_per", "a name", "");
  try {
    return text.empty() ? text : parse_one_per(text).spelling();
  } catch (const Error& error) {
    fields.fail("one_per", fmt::format("a limit on groups ({})", error.what()));
  }
}

Json parsed(std::string_view text, const std::string& name) {
  try {
    return Json::parse(text);
  } catch (const nlohmann::json::parse_error& error) {
    throw Error(ErrorCode::bad_input, {name},
                fmt::format("not JSON at byte {}; expected a model written by dorm train", error.byte));
  } catch (const nlohmann::json::exception&) {
    throw Error(ErrorCode::bad_input, {name}, "a number is too large; expected a model written by dorm train");
  }
}

}  // namespace

std::string to_json(const Model& model) {
  Json out;
  out["format"] = kFormat;
  out["version"] = model.kernel ? kVersion : kLinearVersion;
  out["library"] = DORM_VERSION;
  out["kind"] = model.kernel ? "kernel" : "linear";
  out["method"] = model.method;
  out["measure"] = model.measure;
  out["convention"] = model.convention;
  out["decay"] = model.decay;
  if (!model.one_per.empty()) out["one_per"] = model.one_per;
  out["bound"] = model.bound;
  out["start"] = model.start;
  out["rounds"] = model.rounds;
  out["options"] = {{"C", model.C}, {"tolerance", model.tolerance}, {"solver", model.solver}, {"seed", model.seed}};
  out["certificate"] = {{"primal", model.certificate.primal},
                        {"dual", model.certificate.dual},
                        {"gap", model.certificate.gap},
                        {"status", model.certificate.status}};
  out["health"] = model.health;
  if (!std::isnan(model.validation)) out["validation"] = model.validation;
  out["data"] = {{"fingerprint", fmt::format("{:016x}", model.data.fingerprint)},
                 {"queries", model.data.queries},
                 {"usable_queries", model.data.usable_queries},
                 {"documents", model.data.documents},
                 {"features", model.data.features}};
  out["scaling"] = scaling_json(model.scaling);
  out["features"] = model.features;
  if (model.kernel)
    out["kernel"] = kernel_json(*model.kernel);
  else
    out["weights"] = model.weights;
  try {
    return out.dump(1) + "\n";
  } catch (const nlohmann::json::exception&) {
    throw Error(ErrorCode::bad_input, "a feature name is not UTF-8, so the model cannot be written as JSON");
  }
}

Model model_from_json(std::string_view text, const std::string& name) {
  const Json json = parsed(text, name);
  const Fields fields(json, name, "");
  if (fields.required<std::string>("format", "\"dorm-model\"") != kFormat) fields.fail("format", "\"dorm-model\"");
  const auto version = fields.required<std::uint64_t>("version", "a whole number");
  if (version > kVersion)
    throw Error(
        ErrorCode::unsupported, {name},
        fmt::format("model version {} is newer than this library reads ({}); use a newer dorm", version, kVersion));
  const auto kind = fields.optional<std::string>("kind", "a name", "linear");
  if (kind != "linear" && kind != "kernel")
    throw Error(ErrorCode::unsupported, {name},
                fmt::format("a model of kind \"{}\"; this library reads \"linear\" and \"kernel\"", kind));
  Model model;
  model.features = fields.required<std::vector<std::string>>("features", "a list of names");
  require_distinct(fields, model.features);
  if (kind == "kernel") {
    model.kernel = kernel_from_json(json.value("kernel", Json()), model.features, name, version);
  } else {
    model.weights = fields.required<std::vector<double>>("weights", "a list of numbers");
    if (model.weights.size() != model.features.size())
      fields.fail("weights", fmt::format("a list of {} numbers, one per feature", model.features.size()));
    require_finite(fields, "weights", model.weights);
  }
  model.scaling = scaling_from(fields.object("scaling"), model.features.size());
  model.method = fields.optional<std::string>("method", "a name", "dorm");
  model.measure = fields.required<std::string>("measure", "the name of a measure");
  model.convention = fields.optional<std::string>("convention", "a name", "standard");
  model.decay = fields.optional<std::string>("decay", "a name", "");
  model.one_per = one_per_from(fields);
  model.bound = fields.optional<std::string>("bound", "a name", "");
  model.start = fields.optional<std::string>("start", "a name", "");
  model.rounds = fields.optional<std::size_t>("rounds", "a number", 0);
  model.health = fields.optional<double>("health", "a number", 0);
  model.validation = fields.optional<double>("validation", "a number", model.validation);
  const Fields certificate = fields.object("certificate");
  model.certificate = {
      certificate.required<double>("primal", "a number"), certificate.required<double>("dual", "a number"),
      certificate.required<double>("gap", "a number"), certificate.optional<std::string>("status", "a name", "")};
  if (json.contains("options")) {
    const Fields options = fields.object("options");
    model.C = options.optional<double>("C", "a number", 0);
    model.tolerance = options.optional<double>("tolerance", "a number", 0);
    model.solver = options.optional<std::string>("solver", "a name", "");
    model.seed = options.optional<std::uint64_t>("seed", "a number", 0);
  }
  if (json.contains("data")) {
    const Fields data = fields.object("data");
    model.data.fingerprint = fingerprint_from(data);
    model.data.queries = data.optional<std::uint64_t>("queries", "a number", 0);
    model.data.usable_queries = data.optional<std::uint64_t>("usable_queries", "a number", 0);
    model.data.documents = data.optional<std::uint64_t>("documents", "a number", 0);
    model.data.features = data.optional<std::uint64_t>("features", "a number", 0);
  }
  return model;
}

}  // namespace dorm
