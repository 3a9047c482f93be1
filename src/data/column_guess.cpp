// SPDX-License-Identifier: Apache-2.0
#include "data/column_guess.h"

#include <algorithm>
#include <array>
#include <string>

namespace dorm {
namespace {

// Not "rating": stars of customers are a feature of many shops.
constexpr std::array<std::string_view, 15> kLabels = {
    "clickgain", "label",     "labels",         "relevance",      "rel",  "relevancy", "grade", "y", "target",
    "judgment",  "judgement", "relevancelabel", "relevancegrade", "gain", "relevant"};
constexpr std::array<std::string_view, 13> kQueries = {"qid",       "query",    "queryid", "session", "sessionid",
                                                       "srchid",    "searchid", "search",  "topic",   "topicid",
                                                       "requestid", "groupid",  "keywords"};
constexpr std::array<std::string_view, 17> kDocuments = {
    "corpusid",  "docid",   "doc",  "document", "documentid", "url",        "uri",     "itemid",     "item",
    "productid", "product", "asin", "sku",      "propid",     "producturl", "pageurl", "documenturl"};

constexpr std::array<std::string_view, 8> kTitles = {"title",    "producttitle", "productname", "name",
                                                     "headline", "pagetitle",    "itemname",    "doctitle"};

std::string letters_of(std::string_view column) {
  std::string letters;
  for (const char c : column) {
    if (c >= 'A' && c <= 'Z') letters += static_cast<char>(c - 'A' + 'a');
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) letters += c;
  }
  return letters;
}

template <std::size_t n>
bool among(std::string_view column, const std::array<std::string_view, n>& names) {
  const std::string letters = letters_of(column);
  return std::find(names.begin(), names.end(), letters) != names.end();
}

}  // namespace

bool names_a_label(std::string_view column) { return among(column, kLabels); }
bool names_a_query(std::string_view column) { return among(column, kQueries); }
bool names_a_document(std::string_view column) { return among(column, kDocuments); }
bool names_a_title(std::string_view column) { return among(column, kTitles); }
bool names_an_id(std::string_view column) { return letters_of(column).ends_with("id"); }

}  // namespace dorm
