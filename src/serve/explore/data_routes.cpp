// SPDX-License-Identifier: Apache-2.0
// What is odd about the data, and how features have moved since the training.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/numeric.h"
#include "serve/explore/state.h"

namespace dorm::explore {
namespace {

constexpr std::size_t kMostExamples = 20;

/// Collects what a check finds.
struct Finding {
  const char* kind;
  std::size_t count = 0;
  std::vector<std::string> examples = {};
  std::vector<std::size_t> queries = {};

  void add(std::size_t times, const std::string& example) {
    count += times;
    if (examples.size() < kMostExamples) examples.push_back(example);
  }
  void add_query(const Explorer::State& state, std::size_t q, std::size_t times = 1) {
    add(times, state.query_id(q));
    if (queries.size() < kMostExamples) queries.push_back(q);
  }

  /// `severity` where something was found; `none`, `one` ("{} feature is ..."), `many`: what is said.
  Json json(const char* severity, const char* none, std::string_view one, std::string_view many) const {
    const std::string title =
        count == 0 ? std::string(none) : fmt::format(fmt::runtime(count == 1 ? one : many), count);
    return {{"kind", kind},         {"severity", count == 0 ? "good" : severity},
            {"title", title},       {"count", count},
            {"examples", examples}, {"queries", queries}};
  }
};

void check_features(const Explorer::State& state, Json& out) {
  Finding constant{"constant"}, range{"range"}, missing{"missing"}, leak{"leak"};
  const Model& model = state.first->model();
  for (std::size_t j = 0; j < model.features.size(); ++j) {
    const FeatureProfile& feature = state.profile->features[j];
    if (!feature.present) {
      missing.add(1, model.features[j]);
      continue;
    }
    if (feature.low == feature.high) constant.add(1, model.features[j]);
    if (feature.outside > 0) range.add(1, model.features[j]);
  }
  for (const std::string& name : state.profile->leaks) leak.add(1, name);
  out.push_back(constant.json("warn", "no feature is constant", "{} feature is constant", "{} features are constant"));
  out.push_back(range.json("warn",
                           model.data.statistics.known() ? "all features are within the range of training"
                                                         : "the model does not say what range its features had",
                           "{} feature leaves the range of training", "{} features leave the range of training"));
  out.push_back(missing.json("warn", "the data have all features of the model",
                             "the data lack {} feature of the model, which counts as 0",
                             "the data lack {} features of the model, which count as 0"));
  out.push_back(leak.json("warn", "no feature gives the label away", "{} feature gives the label away",
                          "{} features give the label away"));
}

void check_queries(const Explorer::State& state, Json& out) {
  Finding one_label{"one-label"}, one_document{"one-document"}, duplicates{"duplicates"};
  for (std::size_t q = 0; q < state.data().num_queries(); ++q) {
    const QueryProfile& query = state.profile->queries[q];
    if (query.one_label) one_label.add_query(state, q);
    if (state.documents(q) == 1) one_document.add_query(state, q);
    if (query.duplicates > 0) duplicates.add_query(state, q, query.duplicates);
  }
  out.push_back(one_label.json("note", "every query has different labels", "{} query has one label only",
                               "{} queries have one label only"));
  out.push_back(one_document.json("note", "every query has several documents", "{} query has one document",
                                  "{} queries have one document"));
  out.push_back(duplicates.json("note", "no query has equal documents", "{} document equals another of its query",
                                "{} documents equal another of their query"));
}

void check_texts(const Explorer::State& state, Json& out) {
  if (!state.texts.given()) return;
  Finding unknown{"unknown-texts"};
  for (std::size_t q = 0; q < state.data().num_queries(); ++q) {
    std::size_t without = 0;
    for (std::size_t d = 0; d < state.documents(q); ++d) without += !state.texts.find(state.document_name(q, d));
    if (without > 0) unknown.add_query(state, q, without);
  }
  out.push_back(
      unknown.json("note", "every document has a text", "{} document has no text", "{} documents have no text"));
}

Json checks(const Explorer::State& state) {
  Json findings = Json::array();
  check_features(state, findings);
  check_queries(state, findings);
  check_texts(state, findings);
  return {{"findings", std::move(findings)}};
}

// ---- drift -------------------------------------------------------------------------------------------------------

struct DriftRow {
  std::size_t feature = 0;
  double low = kNaN, high = kNaN, mean = kNaN;  // of training
  double outside = kNaN, shift = kNaN;
};

DriftRow drift_of(const Explorer::State& state, std::size_t feature) {
  const FeatureStatistics& known = state.first->model().data.statistics;
  DriftRow row{feature};
  if (!known.known()) return row;
  const FeatureProfile& profile = state.profile->features[feature];
  row.low = known.minimum[feature];
  row.high = known.maximum[feature];
  row.mean = known.mean[feature];
  row.outside = real(profile.outside) / real(state.data().num_documents());
  const double moved = std::fabs(profile.mean - row.mean);
  if (row.high > row.low)
    row.shift = moved / (row.high - row.low);
  else if (moved == 0)
    row.shift = 0;
  return row;
}

Json drift_json(const Explorer::State& state, const DriftRow& row) {
  const Model& model = state.first->model();
  const FeatureProfile& profile = state.profile->features[row.feature];
  return {{"feature", row.feature},
          {"name", model.features[row.feature]},
          {"weight", model.linear() ? Json(model.weights[row.feature]) : Json(nullptr)},
          {"train_low", number_or_null(row.low)},
          {"train_high", number_or_null(row.high)},
          {"train_mean", number_or_null(row.mean)},
          {"data_low", profile.low},
          {"data_high", profile.high},
          {"data_mean", profile.mean},
          {"outside", number_or_null(row.outside)},
          {"shift", number_or_null(row.shift)}};
}

Json drift(const Explorer::State& state, const Parameters& parameters) {
  const Model& model = state.first->model();
  std::string sort = parameters.text("sort");
  if (sort.empty()) sort = "outside";
  if (sort != "outside" && sort != "shift" && sort != "name")
    refuse_parameter(400, "sort", sort, "outside, shift or name");
  const std::string order = parameters.text("order"), filter = parameters.text("filter");
  if (!order.empty() && order != "asc" && order != "desc") refuse_parameter(400, "order", order, "asc or desc");
  const bool ascending = order == "asc";
  std::vector<DriftRow> rows;
  for (std::size_t j = 0; j < model.features.size(); ++j)
    if (contains_text(model.features[j], filter)) rows.push_back(drift_of(state, j));
  std::stable_sort(rows.begin(), rows.end(), [&](const DriftRow& a, const DriftRow& b) {
    if (sort == "name") {
      const std::string &one = model.features[a.feature], &other = model.features[b.feature];
      return ascending ? one < other : other < one;
    }
    const double one = sort == "shift" ? a.shift : a.outside, other = sort == "shift" ? b.shift : b.outside;
    if (std::isnan(one) || std::isnan(other)) return !std::isnan(one) && std::isnan(other);  // at the end
    return ascending ? one < other : other < one;
  });
  return paged(parameters, rows.size(), [&](std::size_t row) { return drift_json(state, rows[row]); });
}

}  // namespace

void add_data_routes(const Explorer::State& state, serve::Router& router) {
  add_get(router, "checks", [&state](const Parameters&) { return checks(state); });
  add_get(router, "drift", [&state](const Parameters& parameters) { return drift(state, parameters); });
}

}  // namespace dorm::explore
