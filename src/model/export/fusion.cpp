// SPDX-License-Identifier: Apache-2.0
// Fused models as requests and configurations of search engines. Queries, fields and vectors are the user's: they stand
// as {{query of RUN}}.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/json.h"
#include "base/quote.h"
#include "dorm/error.h"
#include "dorm/fusion/export_fused.h"
#include "model/export/fusion_rules.h"

namespace dorm {
namespace {

struct Fused {
  const FusedModel& model;
  std::string_view target;
  std::size_t window;

  std::size_t runs() const { return model.input.runs.size(); }
  const std::string& name(std::size_t r) const { return model.input.runs[r]; }
  /// Six digits: what is below is not known of weights from some hundred queries.
  double weight(std::size_t r) const { return std::stod(fmt::format("{:.6f}", model.model.weights[r])); }
  std::vector<double> weights() const {
    std::vector<double> all;
    for (std::size_t r = 0; r < runs(); ++r) all.push_back(weight(r));
    return all;
  }
  std::string placeholder(std::size_t r, std::string_view what) const {
    return fmt::format("{{{{{} of {}}}}}", what, name(r));
  }
};

/// What the engine does to scores against what the weights were learnt for.
void note_scale(const Fused& fused, FusionScale scale, Absent absent, ExportedFusion& out) {
  if (fused.model.input.scale != scale)
    out.notes.push_back(fmt::format(
        "{} fuses scores by {}, and the weights were learnt for {}: learn them for {}, or check what changes",
        fused.target, name_of(scale), name_of(fused.model.input.scale), name_of(scale)));
  else if (fused.model.input.absent != absent)
    out.notes.push_back(
        fmt::format("{} gives documents that a list lacks by the rule {}, and the weights were learnt for {}: check "
                    "what changes",
                    fused.target, name_of(absent), name_of(fused.model.input.absent)));
}

/// The queries that are to be filled in.
void note_placeholders(ExportedFusion& out) { out.notes.push_back("fill in what stands in double braces"); }

std::string body_text(const Json& body) { return json_text(body, 2) + "\n"; }

Json retriever_json(const Fused& fused, std::size_t r) {
  return {{"standard", {{"query", {{"match", {{fused.placeholder(r, "field"), fused.placeholder(r, "query")}}}}}}}};
}

ExportedFusion to_elasticsearch(const Fused& fused) {
  Json retrievers = Json::array();
  for (std::size_t r = 0; r < fused.runs(); ++r)
    retrievers.push_back(
        {{"retriever", retriever_json(fused, r)}, {"weight", fused.weight(r)}, {"normalizer", "minmax"}});
  ExportedFusion out;
  out.text = body_text(
      {{"retriever", {{"linear", {{"retrievers", std::move(retrievers)}, {"rank_window_size", fused.window}}}}}});
  out.weights = fused.weights();
  out.rule = min_max_rule(0, std::nullopt);
  note_scale(fused, FusionScale::minmax, Absent::minimum, out);
  return out;
}

ExportedFusion to_elasticsearch_rrf(const Fused& fused) {
  Json retrievers = Json::array();
  for (std::size_t r = 0; r < fused.runs(); ++r)
    retrievers.push_back({{"retriever", retriever_json(fused, r)}, {"weight", fused.weight(r)}});
  ExportedFusion out;
  out.text = body_text({{"retriever",
                         {{"rrf",
                           {{"retrievers", std::move(retrievers)},
                            {"rank_constant", static_cast<int>(kRankConstant)},
                            {"rank_window_size", fused.window}}}}}});
  out.weights = fused.weights();
  out.rule = rank_rule();
  note_scale(fused, FusionScale::rank, fused.model.input.absent, out);
  return out;
}

ExportedFusion to_opensearch(const Fused& fused) {
  Json queries = Json::array();
  for (std::size_t r = 0; r < fused.runs(); ++r)
    queries.push_back({{"match", {{fused.placeholder(r, "field"), {{"query", fused.placeholder(r, "query")}}}}}});
  const Json combination = {{"technique", "arithmetic_mean"}, {"parameters", {{"weights", fused.weights()}}}};
  const Json processor = {
      {"normalization-processor", {{"normalization", {{"technique", "min_max"}}}, {"combination", combination}}}};
  ExportedFusion out;
  out.text = body_text({{"query", {{"hybrid", {{"queries", std::move(queries)}, {"pagination_depth", fused.window}}}}},
                        {"search_pipeline", {{"phase_results_processors", Json::array({processor})}}}});
  out.weights = fused.weights();
  out.rule = min_max_rule(0.001, 1.0);
  if (fused.runs() > 5)
    throw Error(ErrorCode::unsupported,
                fmt::format("the model fuses {} runs, and a hybrid query of OpenSearch has 5 at most", fused.runs()));
  note_scale(fused, FusionScale::minmax, Absent::minimum, out);
  return out;
}

ExportedFusion to_weaviate(const Fused& fused) {
  if (fused.runs() != 2)
    throw Error(ErrorCode::unsupported,
                fmt::format("the model fuses {} runs; a hybrid query of Weaviate fuses two, by keywords (first) and by "
                            "vector (second)",
                            fused.runs()));
  ExportedFusion out;
  out.text = fmt::format(
      "{{\n  Get {{\n    {{{{collection}}}}(\n      limit: 10\n      hybrid: {{query: \"{{{{query}}}}\", alpha: {}, "
      "fusionType: relativeScoreFusion}}\n    ) {{\n      _additional {{ id score }}\n    }}\n  }}\n}}\n",
      fused.weight(1));
  out.weights = {1 - fused.weight(1), fused.weight(1)};
  out.rule = min_max_rule(0, 1.0);
  out.notes.push_back(fmt::format("alpha is the weight of the vector search, here {}", in_quotes(fused.name(1))));
  note_scale(fused, FusionScale::minmax, Absent::minimum, out);
  return out;
}

void require_ranges(const Fused& fused) {
  if (fused.model.low.size() < fused.runs())
    throw Error(ErrorCode::unsupported,
                fmt::format("the model does not know the range of scores, which {} needs; expected one of dorm fuse",
                            fused.target));
}

/// Weights of scores whose lists have these ends on the average; an empty range leaves the weight as it is.
double per_unit(double weight, double low, double high) { return high > low ? weight / (high - low) : weight; }

ExportedFusion to_qdrant(const Fused& fused) {
  require_ranges(fused);
  ExportedFusion out;
  Json prefetch = Json::array(), sum = Json::array(), defaults = Json::object();
  for (std::size_t r = 0; r < fused.runs(); ++r) {
    const std::string score = fmt::format("$score[{}]", r);
    out.weights.push_back(per_unit(fused.weight(r), fused.model.low[r], fused.model.high[r]));
    prefetch.push_back({{"query", fused.placeholder(r, "vector")},
                        {"using", fused.placeholder(r, "name of the vector")},
                        {"limit", fused.window}});
    sum.push_back({{"mult", Json::array({out.weights.back(), score})}});
    defaults[score] = fused.model.low[r];
  }
  out.text = body_text({{"prefetch", std::move(prefetch)},
                        {"query", {{"formula", {{"sum", std::move(sum)}}}, {"defaults", std::move(defaults)}}},
                        {"limit", 10}});
  out.rule = as_they_are(fused.model.low);
  out.notes.push_back("a formula sees no list as a whole: scores are scaled by the mean range of the lists");
  return out;
}

ExportedFusion to_milvus(const Fused& fused) {
  require_ranges(fused);
  ExportedFusion out;
  std::vector<bool> cosine;
  double largest = 0;
  for (std::size_t r = 0; r < fused.runs(); ++r) {
    const double low = fused.model.low[r], high = fused.model.high[r];
    cosine.push_back(low >= -1 && high <= 1);
    out.weights.push_back(
        per_unit(fused.weight(r), arctan_scaled(low, cosine.back()), arctan_scaled(high, cosine.back())));
    largest = std::max(largest, out.weights.back());
  }
  for (double& weight : out.weights) weight = std::stod(fmt::format("{:.6f}", weight / largest));
  Json searches = Json::array();
  for (std::size_t r = 0; r < fused.runs(); ++r)
    searches.push_back({{"data", Json::array({fused.placeholder(r, "vector or text")})},
                        {"annsField", fused.placeholder(r, "field")},
                        {"limit", fused.window}});
  out.text =
      body_text({{"collectionName", "{{collection}}"},
                 {"search", std::move(searches)},
                 {"rerank", {{"strategy", "weighted"}, {"params", {{"weights", out.weights}, {"norm_score", true}}}}},
                 {"limit", 10}});
  out.rule = arctan_rule(std::move(cosine));
  out.notes.push_back(
      "weights are those of scores after the arctangent of norm_score (of cosines, (1 + x) / 2), scaled to 1 at most");
  return out;
}

/// A name that Vespa and SQL take.
std::string plain_name(std::string_view name) {
  std::string out;
  for (const char c : name) out += (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ? c : '_';
  return out.empty() || (out[0] >= '0' && out[0] <= '9') ? "run_" + out : out;
}

std::vector<std::string> plain_names(const Fused& fused) {
  std::vector<std::string> names;
  for (std::size_t r = 0; r < fused.runs(); ++r) {
    std::string name = plain_name(fused.name(r));
    while (std::find(names.begin(), names.end(), name) != names.end()) name += "_";
    names.push_back(std::move(name));
  }
  return names;
}

ExportedFusion to_vespa(const Fused& fused) {
  const std::vector<std::string> names = plain_names(fused);
  ExportedFusion out;
  out.text = "rank-profile fused {\n";
  std::string sum;
  for (std::size_t r = 0; r < fused.runs(); ++r) {
    out.text +=
        fmt::format("    function {}() {{\n        expression: {}\n    }}\n", names[r], fused.placeholder(r, "score"));
    sum += fmt::format("{}{} * normalize_linear({})", r == 0 ? "" : " + ", fused.weight(r), names[r]);
  }
  std::string first;
  for (std::size_t r = 0; r < fused.runs(); ++r) first += fmt::format("{}{}", r == 0 ? "" : " + ", names[r]);
  out.text += fmt::format(
      "    first-phase {{\n        expression: {}\n    }}\n    global-phase {{\n        rerank-count: {}\n        "
      "expression: {}\n    }}\n}}\n",
      first, fused.window, sum);
  out.weights = fused.weights();
  out.rule = min_max_rule(0, 0.0);
  out.notes.push_back("Vespa computes every score for every document of the global phase: none is absent from a list");
  note_scale(fused, FusionScale::minmax, fused.model.input.absent, out);
  return out;
}

ExportedFusion to_sql(const Fused& fused) {
  const std::vector<std::string> names = plain_names(fused);
  std::string lists, parts;
  for (std::size_t r = 0; r < fused.runs(); ++r) {
    lists += fmt::format("{} AS (\n  SELECT id, score FROM {{{{list of {}}}}} ORDER BY score DESC LIMIT {}\n),\n",
                         names[r], fused.name(r), fused.window);
    parts += fmt::format(
        "{}  SELECT id, {} * COALESCE((score - MIN(score) OVER ()) / NULLIF(MAX(score) OVER () - MIN(score) OVER (), "
        "0), "
        "1) AS part FROM {}\n",
        r == 0 ? "" : "  UNION ALL\n", fused.weight(r), names[r]);
  }
  ExportedFusion out;
  out.text = fmt::format(
      "WITH {}parts AS (\n{})\nSELECT id, SUM(part) AS score FROM parts GROUP BY id ORDER BY score DESC, "
      "id LIMIT 10;\n",
      lists, parts);
  out.weights = fused.weights();
  out.rule = min_max_rule(0, 1.0);
  out.notes.push_back(
      "{{list of RUN}} is a table or a subquery with id and score, larger scores being better: for "
      "pgvector, SELECT id, 1 - (embedding <=> query) AS score");
  note_scale(fused, FusionScale::minmax, Absent::minimum, out);
  return out;
}

struct Target {
  CatalogEntry entry;
  ExportedFusion (*write)(const Fused& fused);
};

// clang-format off
constexpr std::array kFusionTargets{
    Target{{"elasticsearch", "elasticsearch", "body of _search with the linear retriever (8.18 and later)"}, to_elasticsearch},
    Target{{"elasticsearch-rrf", "elasticsearch-rrf", "body of _search with the weighted rrf retriever (9.2 and later)"}, to_elasticsearch_rrf},
    Target{{"opensearch", "opensearch", "body of _search: a hybrid query and its normalization processor"}, to_opensearch},
    Target{{"weaviate", "weaviate", "a hybrid query with alpha, of two runs: keywords, vector"}, to_weaviate},
    Target{{"qdrant", "qdrant", "body of points/query: prefetches and a formula"}, to_qdrant},
    Target{{"vespa", "vespa", "a rank profile with a global phase"}, to_vespa},
    Target{{"milvus", "milvus", "body of hybrid_search with the weighted ranker"}, to_milvus},
    Target{{"sql", "sql", "a query over lists, as of PostgreSQL with pgvector"}, to_sql},
};
// clang-format on

constexpr auto kFusionNames = [] {
  std::array<CatalogEntry, kFusionTargets.size()> names{};
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = kFusionTargets[i].entry;
  return names;
}();

}  // namespace

std::span<const CatalogEntry> fusion_targets() { return kFusionNames; }

bool is_fusion_target(std::string_view name) {
  return std::any_of(kFusionNames.begin(), kFusionNames.end(),
                     [&](const CatalogEntry& entry) { return entry.name == name; });
}

ExportedFusion export_fused(const FusedModel& model, std::string_view target, std::size_t window) {
  if (!model.input.features.empty())
    throw Error(ErrorCode::unsupported,
                fmt::format("the model has the feature {} beside runs, which is no list of {}; expected runs alone",
                            in_quotes(model.input.features.front()), target));
  if (!model.input.query_features.empty())
    throw Error(ErrorCode::unsupported,
                fmt::format("the weights of the model depend on the query feature {}, and {} has one weight for each "
                            "retriever; expected a model without them",
                            in_quotes(model.input.query_features.front().name), target));
  for (const Target& each : kFusionTargets)
    if (each.entry.name == target) {
      ExportedFusion out = each.write({model, target, window});
      note_placeholders(out);
      return out;
    }
  throw_unknown_name("target", target, kFusionNames);
}

}  // namespace dorm
