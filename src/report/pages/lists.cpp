// SPDX-License-Identifier: Apache-2.0
#include "report/pages/lists.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "model/contributions.h"

namespace dorm::pages {
namespace {

constexpr std::size_t kListed = 10;        // documents of a list
constexpr std::size_t kMissed = 3;         // best documents below them
constexpr std::size_t kContributions = 3;  // features of a document

/// Weights of features, or curves.
bool is_additive(const Model& model) { return !model.weights.empty() && model.weights.size() == model.features.size(); }

/// The features that move a document most against the mean document of its query. All of them add up to its score less
/// the mean score.
class Contributions {
 public:
  /// `parts`: what features add to the scores of the documents of one query, row by row.
  Contributions(const Model& model, std::span<const double> parts)
      : model_(model), parts_(parts), mean_(model.features.size()) {
    const std::size_t documents = parts.size() / mean_.size();
    for (std::size_t k = 0; k < parts.size(); ++k) mean_[k % mean_.size()] += parts[k] / static_cast<double>(documents);
  }

  std::string of(std::size_t document) const {
    const std::span<const double> row = parts_.subspan(document * mean_.size(), mean_.size());
    std::vector<double> parts(row.begin(), row.end());
    for (std::size_t j = 0; j < parts.size(); ++j) parts[j] -= mean_[j];
    std::vector<std::size_t> order(parts.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const std::size_t shown = std::min(kContributions, order.size());
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(shown), order.end(),
                      [&](std::size_t a, std::size_t b) { return std::fabs(parts[a]) > std::fabs(parts[b]); });
    std::string text;
    for (std::size_t k = 0; k < shown; ++k)
      if (parts[order[k]] != 0)
        text += fmt::format("{}{} {:+.3g}", text.empty() ? "" : ", ", model_.features[order[k]], parts[order[k]]);
    return text;
  }

 private:
  const Model& model_;
  std::span<const double> parts_;
  std::vector<double> mean_;
};

/// Where the document stands in the best order: documents of one label share their places.
report::Cell ideal_places(const Query& query, std::size_t document) {
  const float label = query.labels[document];
  const auto above = std::count_if(query.labels.begin(), query.labels.end(), [=](float l) { return l > label; });
  const auto level = std::count(query.labels.begin(), query.labels.end(), label);
  report::Cell cell(static_cast<double>(above + 1));
  cell.text = level == 1 ? std::to_string(above + 1) : fmt::format("{}-{}", above + 1, above + level);
  return cell;
}

QueryList list_of(const Judgement& judgement, std::size_t q, const Contributions* contributions) {
  const Dataset& data = *judgement.data;
  const Query query = data.query(q);
  const std::span<const double> scores(judgement.scores.data() + query.first_document, query.size());
  const float largest = *std::max_element(query.labels.begin(), query.labels.end());
  QueryList list{.query = q, .rows = {}};
  std::size_t missed = 0, rank = 0;
  for (const std::size_t i : top_ranking(scores)) {
    ++rank;
    const bool best = query.labels[i] == largest;
    if (rank > kListed && (!best || missed++ >= kMissed)) continue;
    const std::size_t document = query.first_document + i;
    report::Cell label(query.labels[i]);
    label.best = best;
    list.rows.push_back({rank,
                         data.has_document_ids() ? std::string(data.document_id(document))
                                                 : fmt::format("row {}", data.source_row(document) + 1),
                         label, scores[i], ideal_places(query, i)});
    if (contributions) list.rows.back().emplace_back(contributions->of(i));
  }
  return list;
}

}  // namespace

std::vector<report::Column> list_columns(const Model& model, const Dataset& data) {
  std::vector<report::Column> columns = {
      report::count_column("rank"),
      report::text_column("document", data.has_document_ids() ? "its id" : "its row in the file"),
      report::significant_column("label", 4), report::significant_column("score", 5),
      report::count_column("ideal rank", "where the best order has it; documents of one label share their places")};
  if (is_additive(model))
    columns.push_back(
        report::text_column("largest contributions", "to the score, against the mean document of the query"));
  return columns;
}

std::vector<QueryList> lists_of(const Model& model, const Judgement& judgement, std::span<const std::size_t> queries,
                                std::size_t threads) {
  std::vector<QueryList> lists;
  const bool additive = is_additive(model);
  const Dataset shown = judgement.data->select(queries);
  const std::vector<double> parts =
      additive ? dorm::contributions_of(model, shown, threads)->values : std::vector<double>();
  for (std::size_t k = 0; k < queries.size(); ++k) {
    if (!additive) {
      lists.push_back(list_of(judgement, queries[k], nullptr));
      continue;
    }
    const std::size_t width = model.weights.size();
    const Contributions contributions(
        model, std::span(parts).subspan(shown.first_document(k) * width, shown.query(k).size() * width));
    lists.push_back(list_of(judgement, queries[k], &contributions));
  }
  return lists;
}

}  // namespace dorm::pages
