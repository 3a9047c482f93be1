// SPDX-License-Identifier: Apache-2.0
// Figures over all queries, the table of queries, and one query.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include "base/numeric.h"
#include "serve/explore/state.h"

namespace dorm::explore {
namespace {

constexpr std::size_t kMostAlso = 10;

using RankedPtr = std::shared_ptr<const Ranked>;

Json estimate_json(const MeasureResult& result) {
  return {{"mean", number_or_null(result.mean)},
          {"low", number_or_null(result.low)},
          {"high", number_or_null(result.high)}};
}

Json test_json(const PairedTest& test) {
  const bool some = test.queries > 0;
  return {{"mean", number_or_null(test.mean_difference)},
          {"low", number_or_null(test.low)},
          {"high", number_or_null(test.high)},
          {"p", some ? Json(test.p_permutation) : Json(nullptr)},
          {"wins", test.wins},
          {"losses", test.losses},
          {"ties", test.ties}};
}

Json summary(const Explorer::State& state, const Parameters& parameters) {
  const RankedPtr right = state.right(parameters);
  const MeasureResult& a = state.first->estimate();
  return {{"measure", state.measure->name()},
          {"queries", a.queries},
          {"skipped", a.skipped},
          {"a", estimate_json(a)},
          {"right", right ? estimate_json(right->estimate()) : Json(nullptr)},
          {"difference", right ? test_json(right->test()) : Json(nullptr)}};
}

// ---- the table ---------------------------------------------------------------------------------------------------

using Counts = std::unordered_map<std::string, std::size_t>;

/// What a request says of the table.
struct QueryTable {
  const Explorer::State& state;
  RankedPtr right;
  Counts judged;  // by id of a query
  std::vector<std::size_t> rows = {};

  double value(std::size_t q) const { return state.first->values()[q]; }
  double loss(std::size_t q) const { return state.ideal[q] - value(q); }
  double difference(std::size_t q) const { return right ? right->values()[q] - value(q) : kNaN; }
  double count_judged(std::size_t q) const {
    const auto found = judged.find(state.query_id(q));
    return found == judged.end() ? 0 : real(found->second);
  }

  std::vector<double> keys(const std::string& sort) const {
    std::vector<double> out(state.data().num_queries());
    const std::vector<std::uint64_t>* swaps = nullptr;
    if (sort == "swaps") swaps = &(right ? right : state.first)->swaps();
    for (const std::size_t q : rows)
      out[q] = sort == "loss"         ? loss(q)
               : sort == "difference" ? std::fabs(difference(q))
               : sort == "gain"       ? difference(q)
               : sort == "swaps"      ? real((*swaps)[q])
               : sort == "documents"  ? real(state.documents(q))
                                      : count_judged(q);
    return out;
  }
};

/// q:17 is one index, anything else part of an id.
std::vector<std::size_t> filtered_queries(const Explorer::State& state, const std::string& filter) {
  const std::size_t count = state.data().num_queries();
  std::vector<std::size_t> rows;
  if (filter.starts_with("q:")) {
    std::size_t q = count;
    const auto [end, error] = std::from_chars(filter.data() + 2, filter.data() + filter.size(), q);
    if (error == std::errc() && end == filter.data() + filter.size() && filter.size() > 2) {
      if (q < count) rows.push_back(q);
      return rows;
    }
  }
  for (std::size_t q = 0; q < count; ++q)
    if (filter.empty() || state.matches(q, filter)) rows.push_back(q);
  return rows;
}

void sort_queries(QueryTable& table, const std::string& sort, bool ascending) {
  if (sort == "id") {
    std::stable_sort(table.rows.begin(), table.rows.end(), [&](std::size_t p, std::size_t q) {
      const std::string_view one = table.state.data().query(p).id, other = table.state.data().query(q).id;
      return ascending ? one < other : other < one;
    });
    return;
  }
  constexpr const char* kSorts = "loss, difference, gain, swaps, documents, id or judged";
  if (sort != "loss" && sort != "difference" && sort != "gain" && sort != "swaps" && sort != "documents" &&
      sort != "judged")
    refuse_parameter(400, "sort", sort, kSorts);
  const std::vector<double> keys = table.keys(sort);
  std::stable_sort(table.rows.begin(), table.rows.end(), [&](std::size_t p, std::size_t q) {
    if (std::isnan(keys[p]) || std::isnan(keys[q])) return !std::isnan(keys[p]) && std::isnan(keys[q]);  // at the end
    return ascending ? keys[p] < keys[q] : keys[q] < keys[p];
  });
}

/// Of a request that may go without; empty where nobody judges.
std::string judge_named_by(const Explorer::State& state, const Parameters& parameters) {
  const std::string judge = parameters.text("judge");
  return judge.empty() || !state.judgments ? std::string() : checked_judge(judge);
}

/// Ascending or not: the default is not.
bool ascending_order(const Parameters& parameters) {
  const std::string order = parameters.text("order");
  if (!order.empty() && order != "asc" && order != "desc") refuse_parameter(400, "order", order, "asc or desc");
  return order == "asc";
}

Json queries(const Explorer::State& state, const Parameters& parameters) {
  const std::string judge = judge_named_by(state, parameters);
  QueryTable table{state, state.right(parameters), judge.empty() ? Counts() : state.judgments->counts(judge)};
  table.rows = filtered_queries(state, parameters.text("filter"));
  const std::string sort = parameters.text("sort");
  sort_queries(table, sort.empty() ? "loss" : sort, ascending_order(parameters));
  return paged(parameters, table.rows.size(), [&](std::size_t row) {
    const std::size_t q = table.rows[row];
    return Json{{"q", q},
                {"id", state.query_id(q)},
                {"text", text_or_null(state.query_text(q))},
                {"documents", state.documents(q)},
                {"relevant", state.profile->queries[q].relevant},
                {"a", number_or_null(table.value(q))},
                {"right", number_or_null(table.right ? table.right->values()[q] : kNaN)},
                {"difference", number_or_null(table.difference(q))},
                {"loss", number_or_null(table.loss(q))},
                {"swaps", (table.right ? table.right : state.first)->swaps_of(q)},
                {"judged", static_cast<std::size_t>(table.count_judged(q))}};
  });
}

// ---- one query ---------------------------------------------------------------------------------------------------

/// A ranking of one query, there or not.
struct Column {
  const char* name;
  bool there = false;
  Ranking order = {};
  std::vector<std::size_t> rank_of = {};  // by document, from 1

  void set(Ranking ranking) {
    there = true;
    order = std::move(ranking);
    rank_of.resize(order.size());
    for (std::size_t j = 0; j < order.size(); ++j) rank_of[order[j]] = j + 1;
  }
};

/// The documents that a page of these rankings shows, and those asked for beside, each once.
std::vector<std::size_t> shown_documents(const std::vector<Column>& columns, const Page& page,
                                         const std::vector<std::size_t>& also, std::size_t documents) {
  std::vector<std::size_t> shown;
  std::vector<char> has(documents);
  const auto show = [&](std::size_t d) {
    if (!std::exchange(has[d], 1)) shown.push_back(d);
  };
  for (const Column& column : columns)
    for (std::size_t j = page.offset; j < column.order.size() && j < page.offset + page.limit; ++j)
      show(column.order[j]);
  for (const std::size_t d : also) show(d);
  return shown;
}

Json slice(const Column& column, const Page& page) {
  if (!column.there) return nullptr;
  Json list = Json::array();
  for (std::size_t j = page.offset; j < column.order.size() && j < page.offset + page.limit; ++j)
    list.push_back(column.order[j]);
  return list;
}

/// All that is known of one query for an answer.
struct QueryView {
  const Explorer::State& state;
  std::size_t q;
  RankedPtr right;
  std::vector<double> scores, right_scores = {};
  std::vector<Column> columns = {{"a"}, {"right"}, {"ideal"}, {"violated"}};
  std::optional<Violated> violated = {};
  std::unordered_map<std::string, float> judged = {};  // by document

  QueryView(const Explorer::State& of, std::size_t number, RankedPtr beside)
      : state(of), q(number), right(std::move(beside)), scores(of.first->scores_of(number)) {
    const Labels labels = state.data().query(q).labels;
    columns[0].set(top_ranking(scores));
    if (right) columns[1].set(top_ranking(right_scores = right->scores_of(q)));
    columns[2].set(top_ranking(std::vector<double>(labels.begin(), labels.end())));
    if (state.violated) violated = state.violated->find(labels, scores);
    if (violated) columns[3].set(violated->order);
  }

  Json document(std::size_t d) const {
    const std::string name = state.document_name(q, d);
    Json doc = {{"d", d}, {"id", name}, {"label", label_json(state.data().query(q).labels[d])}};
    add_texts(state, {q, d}, doc);
    const auto given = judged.find(name);
    doc["judged"] = given == judged.end() ? Json(nullptr) : label_json(given->second);
    for (const Column& column : columns)
      doc["ranks"][column.name] = column.there ? Json(column.rank_of[d]) : Json(nullptr);
    doc["scores"] = {{"a", scores[d]}, {"right", right ? Json(right_scores[d]) : Json(nullptr)}};
    return doc;
  }
};

Json one_query(const Explorer::State& state, const Parameters& parameters) {
  const std::size_t q = parameters.index("q", state.data().num_queries());
  const std::size_t documents = state.documents(q);
  const Page page = page_of(parameters);
  QueryView view(state, q, state.right(parameters));
  if (const std::string judge = judge_named_by(state, parameters); !judge.empty())
    view.judged = state.judgments->labels(judge, state.query_id(q));
  Json out = {{"q", q},
              {"id", state.query_id(q)},
              {"text", text_or_null(state.query_text(q))},
              {"documents", documents},
              {"cutoff", state.measure->cutoff() > 0 ? Json(state.measure->cutoff()) : Json(nullptr)},
              {"a", number_or_null(state.first->values()[q])},
              {"right", number_or_null(view.right ? view.right->values()[q] : kNaN)},
              {"ideal", number_or_null(state.ideal[q])},
              {"offset", page.offset}};
  for (const Column& column : view.columns) out["order"][column.name] = slice(column, page);
  out["violated"] = nullptr;
  if (view.violated)
    out["violated"] = {{"measure", view.violated->measure},
                       {"loss", view.violated->loss},
                       {"gain", view.violated->gain},
                       {"violation", view.violated->violation}};
  out["docs"] = Json::array();
  const std::vector<std::size_t> also = parameters.indices("also", kMostAlso, documents, true);
  for (const std::size_t d : shown_documents(view.columns, page, also, documents))
    out["docs"].push_back(view.document(d));
  return out;
}

}  // namespace

void add_query_routes(const Explorer::State& state, serve::Router& router) {
  add_get(router, "summary", [&state](const Parameters& parameters) { return summary(state, parameters); });
  add_get(router, "queries", [&state](const Parameters& parameters) { return queries(state, parameters); });
  add_get(router, "query", [&state](const Parameters& parameters) { return one_query(state, parameters); });
}

}  // namespace dorm::explore
