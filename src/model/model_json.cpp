// SPDX-License-Identifier: Apache-2.0
// The model as JSON. Every field is checked on the way in: a model file is input like any other.
#include "model/model_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <unordered_set>

#include "data/io/binary/input_json.h"
#include "data/scale/scale_rules.h"
#include "dorm/base/catalog.h"
#include "dorm/data/one_per.h"
#include "dorm/error.h"
#include "dorm/model.h"
#include "model/curves_json.h"
#include "model/kernel_json.h"
#include "model/signs_json.h"
#include "model/trees_json.h"

namespace dorm {
namespace {

constexpr std::string_view kFormat = "dorm-model";
constexpr std::uint64_t kVersion = 3;  // of the format; no other is read

void require_distinct(const JsonFields& fields, std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end()) fields.fail("features", fmt::format("distinct names; \"{}\" appears twice there", *twice));
}

std::uint64_t fingerprint_from(const JsonFields& fields) {
  const std::string text = fields.optional<std::string>("fingerprint", "16 hexadecimal digits", "0");
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc() || end != text.data() + text.size()) fields.fail("fingerprint", "16 hexadecimal digits");
  return value;
}

Json scaling_json(const Scaling& scaling) {
  Json out = {{"kind", name_of(scaling.kind)}};
  if (!scaling.shift.empty()) {
    out["shift"] = scaling.shift;
    out["factor"] = scaling.factor;
  }
  return out;
}

Scaling scaling_from(const JsonFields& fields, std::size_t features) {
  Scaling scaling;
  const std::string kind = fields.required<std::string>("kind", "the name of a scaling");
  try {
    scaling.kind = parse_scaling(kind);
  } catch (const Error& error) {
    fields.fail("kind", fmt::format("the name of a scaling ({})", error.what()));
  }
  scaling.shift = fields.optional<std::vector<double>>("shift", "a list of finite numbers", {});
  scaling.factor = fields.optional<std::vector<double>>("factor", "a list of finite numbers", {});
  const bool global = scaling.kind != ScalingKind::none && !scaling.per_query();
  const std::size_t expected = global ? features : 0;
  if (scaling.shift.size() != expected) fields.fail("shift", fmt::format("a list of {} numbers", expected));
  if (scaling.factor.size() != expected) fields.fail("factor", fmt::format("a list of {} numbers", expected));
  return scaling;
}

Json statistics_json(const FeatureStatistics& statistics) {
  return {{"minimum", statistics.minimum}, {"maximum", statistics.maximum}, {"mean", statistics.mean}};
}

FeatureStatistics statistics_from(const JsonFields& fields, std::size_t features) {
  FeatureStatistics statistics;
  const auto read = [&](const char* field, std::vector<double>& numbers) {
    numbers = fields.required<std::vector<double>>(field, "a list of finite numbers");
    if (numbers.size() != features) fields.fail(field, fmt::format("a list of {} numbers, one per feature", features));
  };
  read("minimum", statistics.minimum);
  read("maximum", statistics.maximum);
  read("mean", statistics.mean);
  for (std::size_t j = 0; j < features; ++j)
    if (!(statistics.minimum[j] <= statistics.mean[j] && statistics.mean[j] <= statistics.maximum[j]))
      fields.fail("mean", "numbers from the minimum to the maximum of their feature");
  return statistics;
}

Json certificate_json(const Certificate& certificate) {
  return {{"primal", certificate.primal},
          {"dual", certificate.dual},
          {"gap", certificate.gap},
          {"status", certificate.status}};
}

Certificate certificate_from(const JsonFields& fields) {
  return {fields.required<double>("primal", "a number"), fields.required<double>("dual", "a number"),
          fields.required<double>("gap", "a number"), fields.optional<std::string>("status", "a name", "")};
}

TestedFigure tested_from(const JsonFields& fields) {
  TestedFigure tested;
  tested.measure = fields.required<std::string>("measure", "the name of a measure");
  tested.mean = fields.required<double>("mean", "a number");
  tested.low = tested.high = std::numeric_limits<double>::quiet_NaN();
  if (fields.has("interval")) {
    const auto ends = fields.required<std::vector<double>>("interval", "a list of two numbers");
    if (ends.size() != 2) fields.fail("interval", "a list of two numbers");
    tested.low = ends[0];
    tested.high = ends[1];
  }
  tested.queries = fields.required<std::uint64_t>("queries", "a whole number");
  tested.share = fields.optional<double>("share", "a number", 0);
  tested.seed = fields.optional<std::uint64_t>("seed", "a whole number", 0);
  tested.fingerprint = fingerprint_from(fields);
  return tested;
}

Json part_json(const ModelPart& part) {
  Json out = {{"share", part.share},
              {"bound", part.bound},
              {"start", part.start},
              {"C", part.C},
              {"decay", part.decay},
              {"rounds", part.rounds},
              {"explained_risk", part.explained_risk},
              {"measure", part.measure}};
  out["certificate"] = certificate_json(part.certificate);
  if (!std::isnan(part.validation)) out["validation"] = part.validation;
  if (!part.curves.empty()) out["curves"] = part.curves;
  if (part.ranker) {
    out["weight"] = part.weight;
    out["model"] = json_of(*part.ranker);
  }
  return out;
}

ModelPart part_from(const JsonFields& fields, const std::string& name) {
  ModelPart part;
  part.share = fields.required<double>("share", "a number");
  part.bound = fields.required<std::string>("bound", "a name");
  part.start = fields.required<std::string>("start", "a name");
  part.C = fields.required<double>("C", "a number");
  part.measure = fields.optional<std::string>("measure", "the name of a measure", "");
  part.decay = fields.optional<std::string>("decay", "a name", "");
  part.rounds = fields.optional<std::size_t>("rounds", "a number", 0);
  part.explained_risk = fields.optional<double>("explained_risk", "a number", 0);
  part.validation = fields.optional<double>("validation", "a number", part.validation);
  part.curves = fields.optional<std::string>("curves", "the curves of a training", "");
  part.certificate = certificate_from(fields.object("certificate"));
  if (!fields.has("model")) return part;
  part.weight = fields.required<double>("weight", "a number");
  part.ranker = std::make_shared<const Model>(model_from(fields.object("model").json(), name));
  return part;
}

/// The parts of a sum, and of nothing else, have models; their features are those of the sum.
void require_part(const JsonFields& fields, const Model& model, const ModelPart& part, bool sum) {
  if ((part.ranker != nullptr) != sum) fields.fail("parts", sum ? "a list of models" : "rankers without models");
  if (!sum) return;
  const std::unordered_set<std::string_view> known(model.features.begin(), model.features.end());
  for (const std::string& feature : part.ranker->features)
    if (!known.contains(feature)) fields.fail("features", "the names of the features of all parts");
}

std::string one_per_from(const JsonFields& fields) {
  const std::string text = fields.optional<std::string>("one_per", "a name", "");
  try {
    return text.empty() ? text : parse_one_per(text).spelling();
  } catch (const Error& error) {
    fields.fail("one_per", fmt::format("a limit on groups ({})", error.what()));
  }
}

/// What scores documents: weights, a kernel expansion or trees; a sum has only parts.
void read_scorer(const JsonFields& fields, std::string_view kind, const std::string& name, Model& model) {
  if (kind == "kernel") {
    model.kernel = kernel_from_json(fields.object("kernel"), model.features);
  } else if (kind == "trees") {
    model.trees = std::make_shared<const TreeRanker>(trees_from_json(fields.object("trees"), model.features, name));
  } else if (kind == "linear" || kind == "curves") {
    model.weights = fields.required<std::vector<double>>("weights", "a list of finite numbers");
    if (model.weights.size() != model.features.size())
      fields.fail("weights", fmt::format("a list of {} numbers, one per feature", model.features.size()));
    if (kind == "curves") model.curves = curves_from(fields.object("curves"), model.features);
  }
}

}  // namespace

Json json_of(const TestedFigure& tested) {
  Json out = {{"measure", tested.measure}, {"mean", tested.mean}};
  if (!std::isnan(tested.low)) out["interval"] = std::vector<double>{tested.low, tested.high};
  out["queries"] = tested.queries;
  out["share"] = tested.share;
  out["seed"] = tested.seed;
  out["fingerprint"] = fmt::format("{:016x}", tested.fingerprint);
  return out;
}

Json json_of(const Model& model) {
  Json out;
  out["format"] = kFormat;
  out["version"] = kVersion;
  out["library"] = DORM_VERSION;
  out["kind"] = name_of(model.kind());
  out["method"] = model.method;
  out["measure"] = model.measure;
  out["convention"] = model.convention;
  out["decay"] = model.decay;
  if (!model.target.empty()) out["target"] = model.target;
  if (!model.one_per.empty()) out["one_per"] = model.one_per;
  out["bound"] = model.bound;
  out["start"] = model.start;
  out["rounds"] = model.rounds;
  out["options"] = {{"C", model.C}, {"tolerance", model.tolerance}, {"solver", model.solver}, {"seed", model.seed}};
  out["certificate"] = certificate_json(model.certificate);
  out["explained_risk"] = model.explained_risk;
  if (!std::isnan(model.validation)) out["validation"] = model.validation;
  if (model.tested) out["tested"] = json_of(*model.tested);
  if (!model.parts.empty()) {
    for (const ModelPart& part : model.parts) out["parts"].push_back(part_json(part));
    if (model.folds > 0) out["folds"] = model.folds;
  }
  out["data"] = {{"fingerprint", fmt::format("{:016x}", model.data.fingerprint)},
                 {"queries", model.data.queries},
                 {"usable_queries", model.data.usable_queries},
                 {"documents", model.data.documents},
                 {"features", model.data.features}};
  if (const Json input = input_json(model.data.input, model.features); !input.empty()) out["input"] = input;
  out["scaling"] = scaling_json(model.scaling);
  out["features"] = model.features;
  if (model.data.statistics.known()) out["statistics"] = statistics_json(model.data.statistics);
  if (model.kernel)
    out["kernel"] = kernel_json(*model.kernel);
  else if (model.trees)
    out["trees"] = trees_json(model.trees->trees());
  else if (model.linear() || model.curves)
    out["weights"] = model.weights;
  if (model.curves) out["curves"] = curves_json(*model.curves, model.features);
  if (!model.signs.empty()) out["signs"] = signs_json(model);
  return out;
}

std::string to_json(const Model& model) { return json_text(json_of(model), 1) + "\n"; }

Json parse_model(std::string_view text, const std::string& name) {
  return parse_json(text, name, "a model written by dorm train");
}

Model model_from_json(std::string_view text, const std::string& name) {
  if (is_tree_file(text)) return model_of(read_trees(text, name));
  return model_from(parse_model(text, name), name);
}

Model model_from(const Json& json, const std::string& name) {
  const JsonFields fields(json, name, "a usable model");
  if (fields.required<std::string>("format", "\"dorm-model\"") != kFormat) fields.fail("format", "\"dorm-model\"");
  const auto version = fields.required<std::uint64_t>("version", "a whole number");
  if (version != kVersion)
    throw Error(ErrorCode::unsupported, {name},
                fmt::format("found a model of format version {}; expected version {}: train it again, or use the dorm "
                            "that wrote it",
                            version, kVersion));
  const auto kind = fields.optional<std::string>("kind", "a name", "linear");
  if (kind != "linear" && kind != "kernel" && kind != "trees" && kind != "sum" && kind != "curves")
    throw Error(ErrorCode::unsupported, {name},
                fmt::format("a model of kind \"{}\"; this library reads linear, curves, kernel, trees and sum", kind));
  Model model;
  model.features = fields.required<std::vector<std::string>>("features", "a list of names");
  require_distinct(fields, model.features);
  read_scorer(fields, kind, name, model);
  if (fields.has("signs")) model.signs = signs_from(fields.object("signs"), model);
  model.scaling = scaling_from(fields.object("scaling"), model.features.size());
  if (model.curves && takes_logarithm(model.scaling.kind) &&
      std::ranges::any_of(model.curves->features, [](const Curve& curve) { return curve.missing.has_value(); }))
    fields.fail("curves", "curves without weights of missing values, whose logarithms this scaling would take");
  model.method = fields.optional<std::string>("method", "a name", "dorm");
  model.measure = fields.required<std::string>("measure", "the name of a measure");
  model.convention = fields.optional<std::string>("convention", "a name", "standard");
  model.decay = fields.optional<std::string>("decay", "a name", "");
  model.target = fields.optional<std::string>("target", "a name", "");
  model.one_per = one_per_from(fields);
  model.bound = fields.optional<std::string>("bound", "a name", "");
  model.start = fields.optional<std::string>("start", "a name", "");
  model.rounds = fields.optional<std::size_t>("rounds", "a number", 0);
  model.explained_risk = fields.optional<double>("explained_risk", "a number", 0);
  model.validation = fields.optional<double>("validation", "a number", model.validation);
  if (fields.has("tested")) model.tested = tested_from(fields.object("tested"));
  model.certificate = certificate_from(fields.object("certificate"));
  if (fields.has("parts"))
    for (const JsonFields& part : fields.objects("parts", "a list of rankers"))
      model.parts.push_back(part_from(part, name));
  model.folds = fields.optional<std::size_t>("folds", "a number", 0);
  for (const ModelPart& part : model.parts) require_part(fields, model, part, kind == "sum");
  if (kind == "sum" && model.parts.empty()) fields.fail("parts", "a list of models");
  if (fields.has("options")) {
    const JsonFields options = fields.object("options");
    model.C = options.optional<double>("C", "a number", 0);
    model.tolerance = options.optional<double>("tolerance", "a number", 0);
    model.solver = options.optional<std::string>("solver", "a name", "");
    model.seed = options.optional<std::uint64_t>("seed", "a number", 0);
  }
  if (fields.has("data")) {
    const JsonFields data = fields.object("data");
    model.data.fingerprint = fingerprint_from(data);
    model.data.queries = data.optional<std::uint64_t>("queries", "a number", 0);
    model.data.usable_queries = data.optional<std::uint64_t>("usable_queries", "a number", 0);
    model.data.documents = data.optional<std::uint64_t>("documents", "a number", 0);
    model.data.features = data.optional<std::uint64_t>("features", "a number", 0);
  }
  if (fields.has("input")) model.data.input = input_from_json(fields.object("input"), model.features);
  if (fields.has("statistics"))
    model.data.statistics = statistics_from(fields.object("statistics"), model.features.size());
  return model;
}

}  // namespace dorm
