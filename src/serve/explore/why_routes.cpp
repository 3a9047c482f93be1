// SPDX-License-Identifier: Apache-2.0
// Why a document stands where it does, and what would have to change for two to swap.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "dorm/explain.h"
#include "serve/explore/state.h"

namespace dorm::explore {
namespace {

constexpr std::size_t kMostDocuments = 50, kMostParts = 30, kMostSwaps = 5;

Json part_json(const Model& model, const FeaturePart& part) {
  return {{"feature", part.feature},      {"name", model.features[part.feature]},
          {"value", part.value},          {"scaled", part.scaled},
          {"weight", part.weight},        {"contribution", part.contribution},
          {"above_mean", part.above_mean}};
}

Json document_json(const Model& model, const DocumentExplanation& document, std::size_t first, std::size_t most) {
  Json parts = Json::array();
  double rest = 0;
  for (std::size_t k = 0; k < document.parts.size(); ++k) {
    if (k < most)
      parts.push_back(part_json(model, document.parts[k]));
    else
      rest += document.parts[k].above_mean;
  }
  return {{"d", document.document - first},
          {"score", document.score},
          {"rank", document.rank},
          {"rest", rest},
          {"parts", std::move(parts)}};
}

/// Of these documents of a query, in this order. Those whose scores are edited by small changes have the scores of the
/// whole sum here.
std::vector<DocumentExplanation> explained(const Explorer::State& state, const Ranked& ranked, std::size_t q,
                                           const std::vector<std::size_t>& docs, QueryExplanation& all) {
  if (ranked.model().features.empty())
    throw serve::Refusal(409, "the ranker is a list of scores, which says nothing of features; expected a model");
  std::vector<std::size_t> documents;
  for (const std::size_t d : docs) documents.push_back(ranked.data().first_document(q) + d);
  all = explain(ranked.model(), ranked.data(), q, 0, documents, state.options.evaluation.threads);
  std::vector<DocumentExplanation> out;
  for (const std::size_t document : documents)
    for (const DocumentExplanation& each : all.documents)
      if (each.document == document) out.push_back(each);
  return out;
}

Json why(const Explorer::State& state, const Parameters& parameters) {
  const std::size_t q = parameters.index("q", state.data().num_queries());
  const auto ranked = state.model(parameters);
  const std::vector<std::size_t> docs = parameters.indices("docs", kMostDocuments, state.documents(q), false);
  const std::size_t most = parameters.whole("parts", 8, kMostParts), first = state.data().first_document(q);
  Json documents = Json::array();
  QueryExplanation all;
  all.additive = !ranked->model().kernel;  // where there is no document to tell by
  if (!docs.empty())
    for (const DocumentExplanation& each : explained(state, *ranked, q, docs, all))
      documents.push_back(document_json(ranked->model(), each, first, most));
  return {{"additive", all.additive}, {"mean_score", all.mean_score}, {"documents", std::move(documents)}};
}

/// One feature of one of two documents, at another value.
struct SwapIdea {
  std::size_t feature = 0;
  bool lower = true;  // the document that changes
  double from = 0, to = 0;
  double effort = 0;  // the change as a share of the feature's range
  bool seen = false;
};

/// The range of a feature in the data; none where model b has features of its own.
const FeatureProfile* range_of(const Explorer::State& state, const Model& model, std::size_t feature) {
  return model.features == state.first->model().features ? &state.profile->features[feature] : nullptr;
}

std::vector<SwapIdea> swap_ideas(const Explorer::State& state, const Model& model, const DocumentExplanation& upper,
                                 const DocumentExplanation& lower) {
  std::vector<SwapIdea> ideas;
  const double gap = upper.score - lower.score;
  const auto add = [&](const FeaturePart& part, bool is_lower) {
    const std::optional<double> to = value_for_gain(model, part.feature, part.value, is_lower ? gap : -gap);
    if (!to || *to == part.value) return;
    SwapIdea idea{part.feature, is_lower, part.value, *to, std::fabs(*to - part.value), false};
    if (const FeatureProfile* range = range_of(state, model, part.feature)) {
      idea.seen = *to >= range->low && *to <= range->high;
      idea.effort =
          range->high > range->low ? idea.effort / (range->high - range->low) : std::numeric_limits<double>::infinity();
    }
    ideas.push_back(idea);
  };
  for (const FeaturePart& part : lower.parts) add(part, true);
  for (const FeaturePart& part : upper.parts) add(part, false);
  std::stable_sort(ideas.begin(), ideas.end(),
                   [](const SwapIdea& a, const SwapIdea& b) { return a.effort < b.effort; });
  if (ideas.size() > kMostSwaps) ideas.resize(kMostSwaps);
  return ideas;
}

Json why_none(const Model& model, double gap) {
  if (model.curves && model.curves->shape == CurveShape::steps) return "steps jump over the gap; What if draws them";
  if (!model.linear() && !model.curves)
    return fmt::format("the model is not linear ({}): no feature moves the score on its own", name_of(model.kind()));
  if (model.scaling.per_query()) return "per-query scaling moves with the value";
  if (gap == 0) return "the scores are equal: the order of the data decides";
  return "no feature alone makes up for the gap";
}

Json swaps_json(const Model& model, const std::vector<SwapIdea>& ideas) {
  Json out = Json::array();
  for (const SwapIdea& idea : ideas)
    out.push_back({{"feature", idea.feature},
                   {"name", model.features[idea.feature]},
                   {"document", idea.lower ? "lower" : "upper"},
                   {"from", idea.from},
                   {"to", idea.to},
                   {"change", idea.to - idea.from},
                   {"seen", idea.seen}});
  return out;
}

Json pair(const Explorer::State& state, const Parameters& parameters) {
  const std::size_t q = parameters.index("q", state.data().num_queries()), documents = state.documents(q);
  const std::size_t one = parameters.index("first", documents), other = parameters.index("second", documents);
  if (one == other) refuse_parameter(400, "second", std::to_string(other), "another document than the first");
  const auto ranked = state.model(parameters);
  const Model& model = ranked->model();
  const std::size_t most = parameters.whole("parts", 12, kMostParts), first = state.data().first_document(q);
  QueryExplanation all;
  std::vector<DocumentExplanation> both = explained(state, *ranked, q, {one, other}, all);
  if (both[0].rank > both[1].rank) std::swap(both[0], both[1]);
  const auto &upper = both[0], &lower = both[1];
  Json parts = Json::array();
  double rest = 0;
  for (const PartPair& each : differences_of(upper, lower)) {
    if (parts.size() == most) {
      rest += each.difference;
      continue;
    }
    parts.push_back({{"feature", each.one.feature},
                     {"name", model.features[each.one.feature]},
                     {"upper", each.one.value},
                     {"lower", each.other.value},
                     {"weight", each.one.weight},
                     {"difference", each.difference}});
  }
  const auto place = [&](const DocumentExplanation& each) {
    return Json{{"d", each.document - first}, {"rank", each.rank}, {"score", each.score}};
  };
  const double gap = upper.score - lower.score;
  const std::vector<SwapIdea> ideas = swap_ideas(state, model, upper, lower);
  return {{"upper", place(upper)},
          {"lower", place(lower)},
          {"gap", gap},
          {"additive", all.additive},
          {"parts", std::move(parts)},
          {"rest", rest},
          {"swaps", swaps_json(model, ideas)},
          {"why_none", ideas.empty() ? why_none(model, gap) : Json(nullptr)}};
}

}  // namespace

void add_why_routes(const Explorer::State& state, serve::Router& router) {
  add_get(router, "why", [&state](const Parameters& parameters) { return why(state, parameters); });
  add_get(router, "pair", [&state](const Parameters& parameters) { return pair(state, parameters); });
}

}  // namespace dorm::explore
