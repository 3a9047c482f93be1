// SPDX-License-Identifier: Apache-2.0
// Match models as JSON.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/json.h"
#include "data/io/files/file.h"
#include "dorm/error.h"
#include "dorm/matching/match.h"
#include "dorm/write.h"

namespace dorm {
namespace {

constexpr const char* kMatchFormat = "dorm-match";
constexpr std::uint64_t kMatchVersion = 1;

std::vector<double> numbers_per(const JsonFields& fields, const char* key, std::size_t count, const char* what) {
  auto numbers = fields.required<std::vector<double>>(key, "a list of finite numbers");
  if (numbers.size() != count) fields.fail(key, fmt::format("a list of {} numbers, one per {}", count, what));
  return numbers;
}

std::vector<std::string> distinct_names(const JsonFields& fields, const char* key) {
  auto names = fields.required<std::vector<std::string>>(key, "a list of names");
  std::vector<std::string> sorted = names;
  std::sort(sorted.begin(), sorted.end());
  if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end())
    fields.fail(key, fmt::format("distinct names; \"{}\" appears twice there", *twice));
  return names;
}

template <class Parse>
auto parsed(const JsonFields& fields, const char* key, Parse parse) {
  try {
    return parse(fields.required<std::string>(key, "a name"));
  } catch (const Error& error) {
    if (error.code() != ErrorCode::unknown_name) throw;
    fields.fail(key, fmt::format("a name ({})", error.what()));
  }
}

void read_certificate(const JsonFields& fields, MatchModel& model) {
  fields.read("status", model.status);
  fields.read("primal", model.primal);
  fields.read("dual", model.dual);
  fields.read("gap", model.gap);
  fields.read("loss_bound", model.loss_bound);
  fields.read("looseness", model.looseness);
  fields.read("training_loss", model.training_loss);
  model.below_truth = fields.required<std::uint64_t>("below_truth", "a whole number");
}

}  // namespace

std::string to_json(const MatchModel& model) {
  Json out;
  out["format"] = kMatchFormat;
  out["version"] = kMatchVersion;
  out["library"] = DORM_VERSION;
  out["kind"] = name_of(model.kind);
  out["similarity"] = name_of(model.similarity);
  out["unmatched"] = model.unmatched;
  out["directed"] = model.directed;
  if (model.learnt) {
    out["training"] = {{"C", model.C}, {"pairs", model.pairs}, {"rounds", model.rounds}};
    out["certificate"] = {{"status", model.status},
                          {"primal", model.primal},
                          {"dual", model.dual},
                          {"gap", model.gap},
                          {"loss_bound", model.loss_bound},
                          {"looseness", model.looseness},
                          {"training_loss", model.training_loss},
                          {"below_truth", model.below_truth}};
    if (!std::isnan(model.validation_loss)) out["validation_loss"] = model.validation_loss;
  }
  out["node_features"] = model.node_features;
  out["node_factors"] = model.node_factors;
  out["edge_features"] = model.edge_features;
  out["edge_factors"] = model.edge_factors;
  out["weight_names"] = model.weight_names();
  out["weights"] = model.weights;
  return json_text(out, 1) + "\n";
}

MatchModel match_model_from_json(std::string_view text, const std::string& name) {
  const Json json = parse_json(text, name, "a model written by dorm lab match");
  const JsonFields fields(json, name, "a usable match model");
  if (fields.required<std::string>("format", "\"dorm-match\"") != kMatchFormat) fields.fail("format", "\"dorm-match\"");
  if (const auto version = fields.required<std::uint64_t>("version", "a whole number"); version != kMatchVersion)
    throw Error(ErrorCode::unsupported, {name},
                fmt::format("found a match model of format version {}; expected version {}: train it again", version,
                            kMatchVersion));
  MatchModel model;
  model.kind = parsed(fields, "kind", parse_match_kind);
  model.similarity = parsed(fields, "similarity", parse_similarity);
  fields.read("unmatched", model.unmatched);
  fields.read("directed", model.directed);
  model.learnt = fields.has("certificate");
  if (model.learnt) {
    const JsonFields training = fields.object("training");
    training.read("C", model.C);
    model.pairs = training.required<std::uint64_t>("pairs", "a whole number");
    model.rounds = training.required<std::uint64_t>("rounds", "a whole number");
    read_certificate(fields.object("certificate"), model);
    model.validation_loss = fields.optional<double>("validation_loss", "a number", std::nan(""));
  }
  model.node_features = distinct_names(fields, "node_features");
  model.node_factors = numbers_per(fields, "node_factors", model.node_features.size(), "feature");
  model.edge_features = distinct_names(fields, "edge_features");
  model.edge_factors = numbers_per(fields, "edge_factors", model.edge_features.size(), "feature");
  if (model.kind == MatchKind::linear && !model.edge_features.empty())
    fields.fail("edge_features", "none, since the model is linear");
  model.weights = numbers_per(fields, "weights", model.dimension(), "name of weight_names");
  return model;
}

void save_match_model(const MatchModel& model, const std::string& path) {
  write_atomically(path, [&](std::ostream& out) { out << to_json(model); });
}

MatchModel load_match_model(const std::string& path) { return match_model_from_json(read_whole_file(path), path); }

}  // namespace dorm
