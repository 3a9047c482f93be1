// SPDX-License-Identifier: Apache-2.0
// Queries stand in the page as JSON, in which what would be markup is escaped; its script shows them. Figures are
// rounded, so that pages stay small.
#include "report/html_queries.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <set>

#include "base/json.h"
#include "report/text.h"

namespace dorm::report {
namespace {

/// Six digits; null where there is no figure.
Json rounded(double value) {
  if (!std::isfinite(value)) return nullptr;
  const double short_value = std::strtod(fmt::format("{:.6g}", value).c_str(), nullptr);
  const auto whole = static_cast<std::int64_t>(short_value);
  return static_cast<double>(whole) == short_value ? Json(whole) : Json(short_value);
}

Json rounded(const std::vector<double>& values) {
  Json out = Json::array();
  for (const double value : values) out.push_back(rounded(value));
  return out;
}

Json rounded(const std::vector<std::vector<double>>& rows) {
  Json out = Json::array();
  for (const std::vector<double>& row : rows) out.push_back(rounded(row));
  return out;
}

Json names_json(const std::vector<std::string>& names) {
  Json out = Json::array();
  for (const std::string& name : names) out.push_back(clean(name));
  return out;
}

Json contributions_json(const std::optional<Queries::Contributions>& why) {
  if (!why) return nullptr;
  return {{"features", why->features},
          {"mean", rounded(why->mean_score)},
          {"means", rounded(why->means)},
          {"values", rounded(why->values)},
          {"above", rounded(why->above)}};
}

Json lists_json(const Queries::Lists& lists) {
  Json documents = Json::array(), order = Json::array(), ranks = Json::array(), scores = Json::array(),
       why = Json::array(), ideal_ranks = Json::array();
  for (const Queries::Document& document : lists.documents) {
    documents.push_back(Json::array({clean(document.name), rounded(document.label)}));
    if (!document.title.empty()) documents.back().push_back(clean(document.title));
    ideal_ranks.push_back(document.ideal_rank);
  }
  for (const Queries::Ranked& ranker : lists.rankers) {
    order.push_back(ranker.order);
    Json own = Json::array();
    for (const std::size_t rank : ranker.ranks) own.push_back(rank > 0 ? Json(rank) : Json(nullptr));
    ranks.push_back(std::move(own));
    scores.push_back(rounded(ranker.scores));
    why.push_back(contributions_json(ranker.why));
  }
  return {{"docs", std::move(documents)}, {"order", std::move(order)}, {"ranks", std::move(ranks)},
          {"scores", std::move(scores)},  {"ideal", lists.ideal},      {"idealRanks", std::move(ideal_ranks)},
          {"kept", lists.positions},      {"why", std::move(why)}};
}

Json queries_json(const Queries& block) {
  Json ids = Json::array(), documents = Json::array(), relevant = Json::array(), ideal = Json::array(),
       lists = Json::object(), rankers = Json::array(), texts = Json::object();
  std::set<double> labels;
  for (std::size_t q = 0; q < block.queries.size(); ++q) {
    const Queries::Query& query = block.queries[q];
    ids.push_back(clean(query.name));
    if (!query.text.empty()) texts[std::to_string(q)] = clean(query.text);
    documents.push_back(query.documents);
    relevant.push_back(query.relevant);
    ideal.push_back(rounded(query.ideal));
    if (!query.lists) continue;
    lists[std::to_string(q)] = lists_json(*query.lists);
    for (const Queries::Document& document : query.lists->documents) labels.insert(document.label);
  }
  for (const Queries::Ranker& ranker : block.rankers)
    rankers.push_back({{"name", clean(ranker.name)},
                       {"values", rounded(ranker.values)},
                       {"features", names_json(ranker.features)},
                       {"weights", rounded(ranker.weights)}});
  Json out = {{"measure", clean(block.measure)},
              {"cutoff", block.cutoff ? Json(*block.cutoff) : Json(nullptr)},
              {"data", clean(block.data)},
              {"labels", rounded(std::vector<double>(labels.begin(), labels.end()))},
              {"ids", std::move(ids)},
              {"documents", std::move(documents)},
              {"relevant", std::move(relevant)},
              {"ideal", std::move(ideal)},
              {"rankers", std::move(rankers)},
              {"lists", std::move(lists)},
              {"compared", Json::array({block.first, block.second ? Json(*block.second) : Json(nullptr)})}};
  if (!texts.empty()) out["texts"] = std::move(texts);
  return out;
}

/// JSON without < > and &, which stand in its strings only.
std::string harmless(const std::string& json) {
  std::string out;
  out.reserve(json.size());
  for (const char c : json) {
    if (c == '<' || c == '>' || c == '&')
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      out += c;
  }
  return out;
}

}  // namespace

std::string queries_html(const Queries& queries) {
  std::string out =
      "<div class=\"queries-block\">\n<p class=\"plain\">Queries are sorted, compared and opened here by JavaScript; "
      "every figure is in the CSV form.</p>\n<div class=\"shown\"></div>\n";
  if (!queries.caption.empty()) out += fmt::format("<p class=\"foot\">{}</p>\n", escape_html(queries.caption));
  return out + fmt::format("<div class=\"data\" hidden=\"hidden\">{}</div>\n</div>\n",
                           harmless(printable_json(queries_json(queries))));
}

}  // namespace dorm::report
