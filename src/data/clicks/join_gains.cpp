// SPDX-License-Identifier: Apache-2.0
// Gains find their documents: features from one place, labels from clicks.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "base/quote.h"
#include "dorm/clicks/click_gains.h"
#include "dorm/data/prepare.h"
#include "dorm/error.h"

namespace dorm {
namespace {

/// The gains of one query of the log, by document.
class GainsOfQuery {
 public:
  GainsOfQuery(const ClickCounts& counts, const ClickGains& gains) : counts_(counts), gains_(gains) {}

  void take(std::uint32_t query) {
    const auto [first, last] = std::equal_range(gains_.rows.begin(), gains_.rows.end(), ClickGain{.query = query},
                                                [](const auto& a, const auto& b) { return a.query < b.query; });
    gain_.clear();
    for (auto row = first; row != last; ++row) gain_.emplace(row->document, row->gain);
    shift_ = gains_.shift[query];
    found_ = 0;
  }

  /// That of a document never shown is the shift.
  float of(std::string_view document, std::size_t& never_shown) {
    const std::optional<std::uint32_t> number = counts_.documents.find(document);
    const auto row = number ? gain_.find(*number) : gain_.end();
    if (row == gain_.end()) {
      ++never_shown;
      return static_cast<float>(shift_);
    }
    ++found_;
    return static_cast<float>(row->second);
  }

  std::size_t without_features() const { return gain_.size() - found_; }

 private:
  const ClickCounts& counts_;
  const ClickGains& gains_;
  std::unordered_map<std::uint32_t, double> gain_;
  double shift_ = 0;
  std::size_t found_ = 0;
};

/// The index of each query of the features.
std::unordered_map<std::string, std::size_t> places_of_queries(const Dataset& features) {
  std::unordered_map<std::string, std::size_t> place;
  for (std::size_t q = 0; q < features.num_queries(); ++q) place.emplace(std::string(features.query(q).id), q);
  return place;
}

Dataset join_by_query(const ClickCounts& counts, const ClickGains& gains, const Dataset& features,
                      JudgedByClicks& out) {
  GainsOfQuery of_query(counts, gains);
  std::vector<float> labels(features.num_documents(), 0.0f);
  std::vector<std::size_t> kept;
  for (std::size_t q = 0; q < features.num_queries(); ++q) {
    const Query query = features.query(q);
    const std::optional<std::uint32_t> number = counts.queries.find(query.id);
    if (!number) {
      ++out.queries_not_logged;
      continue;
    }
    kept.push_back(q);
    of_query.take(*number);
    for (std::size_t d = query.first_document; d < query.first_document + query.size(); ++d)
      labels[d] = of_query.of(features.document_name(d), out.never_shown);
    out.without_features += of_query.without_features();
  }
  out.queries_without_features = counts.queries.size() - kept.size();
  return features.with_labels(labels).select(kept);
}

Dataset join_by_page(const ClickCounts& counts, const ClickGains& gains, const Dataset& features,
                     const std::vector<std::string>& query_of, JudgedByClicks& out) {
  const auto place = places_of_queries(features);
  GainsOfQuery of_query(counts, gains);
  DatasetBuilder builder;
  std::vector<float> row(features.num_features());
  std::vector<bool> used(features.num_queries(), false);
  for (std::uint32_t page = 0; page < counts.queries.size(); ++page) {
    const auto found = place.find(query_of[page]);
    if (found == place.end()) {
      ++out.queries_without_features;
      continue;
    }
    used[found->second] = true;
    const Query query = features.query(found->second);
    of_query.take(page);
    for (std::size_t i = 0; i < query.size(); ++i) {
      const std::size_t d = query.first_document + i;
      const std::string name = features.document_name(d);
      query.rows.load(i, row);
      builder.add({of_query.of(name, out.never_shown), counts.queries[page], name, features.group(d)}, row);
    }
    out.without_features += of_query.without_features();
  }
  out.queries_not_logged = static_cast<std::size_t>(std::count(used.begin(), used.end(), false));
  if (features.has_feature_names()) {
    std::vector<std::string> names;
    for (std::size_t j = 0; j < features.num_features(); ++j) names.push_back(features.feature_name(j));
    builder.set_feature_names(std::move(names));
  }
  if (out.queries_without_features == counts.queries.size()) return {};
  return builder.finish();
}

}  // namespace

JudgedByClicks join_gains(const ClickCounts& counts, const ClickGains& gains, const Dataset& features,
                          const std::vector<std::string>& query_of) {
  JudgedByClicks out;
  Dataset joined = query_of.empty() ? join_by_query(counts, gains, features, out)
                                    : join_by_page(counts, gains, features, query_of, out);
  if (joined.num_queries() == 0 || out.never_shown == joined.num_documents())
    throw Error(
        ErrorCode::bad_input,
        fmt::format("no document of the log has features: the log has document {} of query {}, the features "
                    "have {} of {}; expected the same ids in both",
                    in_quotes(counts.documents[0]), in_quotes(query_of.empty() ? counts.queries[0] : query_of[0]),
                    in_quotes(features.document_name(0)), in_quotes(features.query(0).id)));
  out.data = marked_as_clicks(joined);
  return out;
}

}  // namespace dorm
