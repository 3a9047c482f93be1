// SPDX-License-Identifier: Apache-2.0
// What all routes of the page share.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/json.h"
#include "dorm/apps/explore.h"
#include "serve/explore/curve_sketch.h"
#include "serve/explore/data_profile.h"
#include "serve/explore/edited_model.h"
#include "serve/explore/judgment_store.h"
#include "serve/explore/parameters.h"
#include "serve/explore/query_values.h"
#include "serve/explore/ranked.h"
#include "serve/explore/scaled_columns.h"
#include "serve/explore/texts.h"
#include "serve/explore/violated.h"
#include "serve/router.h"

namespace dorm::explore {

struct DocumentPlace {
  std::size_t q = 0, d = 0;
};

struct Explorer::State {
  explicit State(Options given);

  const Dataset& data() const { return first->data(); }
  std::string query_id(std::size_t q) const { return std::string(data().query(q).id); }
  std::string document_name(std::size_t q, std::size_t d) const {
    return data().document_name(data().first_document(q) + d);
  }
  std::size_t documents(std::size_t q) const { return data().first_document(q + 1) - data().first_document(q); }

  /// What `right` of a request means: b, edited, or null for nothing. Throws Refusal.
  std::shared_ptr<const Ranked> right(const Parameters& parameters) const;
  /// What `model` of a request means: a, b or edited.
  std::shared_ptr<const Ranked> model(const Parameters& parameters) const;
  /// Model a with other weights or points; the last few are kept.
  std::shared_ptr<const Ranked> edited(const std::vector<Edit>& edits) const;

  /// What people type; empty: not known.
  const std::string& query_text(std::size_t q) const;
  /// Whether its id, its text or the title of one of its documents contains this.
  bool matches(std::size_t q, const std::string& filter) const;

  /// Throws Refusal(409) where nobody judges.
  JudgmentStore& judging() const;
  /// Where a document of the data stands; none: q is the number of queries.
  DocumentPlace find(const std::string& query, const std::string& document) const;

  /// Features of model a, the largest |weight| times spread first.
  std::vector<std::size_t> features_by_weight() const;

  Options options;
  std::unique_ptr<const QueryValues> measure;
  std::shared_ptr<const Ranked> first, second;  // second: may be null
  std::vector<double> ideal;                    // value of the ideal order, by query
  std::unique_ptr<const DataProfile> profile;
  std::unique_ptr<const ViolatedRankings> violated;  // null: model a has no bound
  std::unique_ptr<ScaledColumns> columns;            // null: scores are made anew for other weights
  std::unique_ptr<const CurveSketch> sketch;         // null: model a has no curves
  std::vector<double> trained_share;                 // by model: of these queries that it was trained on
  Texts texts;
  std::unique_ptr<JudgmentStore> judgments;  // null: nobody judges
  std::vector<DocumentPlace> queue;          // what to judge, in this order

 private:
  std::shared_ptr<const ScoreTable> edited_scores(const Model& model, const std::vector<Edit>& edits) const;

  std::unordered_map<std::string, std::size_t> query_number_;  // by id
  mutable std::mutex edits_mutex_;
  mutable std::vector<std::pair<std::vector<Edit>, std::shared_ptr<const Ranked>>> edited_;  // the last used first
};

/// The routes, by what they are about.
void add_page_routes(const Explorer::State& state, serve::Router& router);      // the page, info
void add_query_routes(const Explorer::State& state, serve::Router& router);     // summary, queries, query
void add_why_routes(const Explorer::State& state, serve::Router& router);       // why, pair
void add_weight_routes(const Explorer::State& state, serve::Router& router);    // weights, model.json
void add_curve_routes(const Explorer::State& state, serve::Router& router);     // curves
void add_change_routes(const Explorer::State& state, serve::Router& router);    // change
void add_judgment_routes(const Explorer::State& state, serve::Router& router);  // judgments, undo, agreement, exports
void add_blind_routes(const Explorer::State& state, serve::Router& router);     // blind
void add_data_routes(const Explorer::State& state, serve::Router& router);      // checks, drift

// ---- what they are made of ---------------------------------------------------------------------------------------

/// {"total", "offset", "rows"} of the rows that a page of `total` shows; row(i) makes one.
template <class Row>
Json paged(const Parameters& parameters, std::size_t total, const Row& row) {
  const Page page = page_of(parameters);
  Json rows = Json::array();
  for (std::size_t i = page.offset; i < total && i < page.offset + page.limit; ++i) rows.push_back(row(i));
  return {{"total", total}, {"offset", page.offset}, {"rows", std::move(rows)}};
}

/// null for NaN.
inline Json number_or_null(double x) { return x == x ? Json(x) : Json(nullptr); }
inline Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }
/// Whole labels without a point.
Json label_json(float label);
template <class T>
Json value_or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

serve::Answer json_answer(const Json& json);
/// A file to be saved under this name.
serve::Answer attachment(std::string_view name, std::string_view type, std::string body);

/// Adds GET /api/`path`; body(parameters) makes the JSON.
template <class Body>
void add_get(serve::Router& router, std::string_view path, Body body) {
  router.add("GET", "/api/" + std::string(path), [body](serve::Request& request, const std::vector<std::string_view>&) {
    return json_answer(body(Parameters(request.target)));
  });
}

/// The fields of a body; 415, 413 or 400 for another type, size or form.
class BodyFields {
 public:
  explicit BodyFields(const serve::Request& request);
  const Json& field(const char* name, std::string_view expected) const;
  std::size_t index(const char* name, std::size_t count) const;  // 404 beyond
  std::string text(const char* name, std::string_view expected) const;
  std::string judge() const;

 private:
  Json json_;
};

/// Adds POST /api/`path`; body(fields) makes the JSON.
template <class Body>
void add_post(serve::Router& router, std::string_view path, Body body) {
  router.add("POST", "/api/" + std::string(path),
             [body](serve::Request& request, const std::vector<std::string_view>&) {
               return json_answer(body(BodyFields(request)));
             });
}

/// Throws Refusal(400) unless it is a judge's name.
std::string checked_judge(std::string name);
/// {"title", "text", "url"} added.
void add_texts(const Explorer::State& state, const DocumentPlace& place, Json& out);
/// Whether the scores are a sum over features; a run or a file of scores has none.
inline bool has_weights(const Model& model) { return model.linear() && !model.features.empty(); }

}  // namespace dorm::explore
