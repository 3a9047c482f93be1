// SPDX-License-Identifier: Apache-2.0
#include "text/explain_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/json.h"
#include "dorm/apps/report.h"
#include "run/output.h"

namespace dorm::cli {
namespace {

std::size_t shown(const ExplainView& view, const std::vector<FeaturePart>& parts) {
  return view.features == 0 ? parts.size() : std::min(view.features, parts.size());
}

std::string significant(double x) { return fmt::format("{:.5g}", x); }
std::string signed_figure(double x) { return fmt::format("{:+.4f}", x); }

std::string query_id(const ExplainView& view) { return std::string(view.data.query(view.query).id); }

/// " \"running shoes\"", where there is such a text.
std::string quoted(const std::vector<std::string>& texts, std::size_t i) {
  return i < texts.size() && !texts[i].empty() ? fmt::format(" \"{}\"", texts[i]) : std::string();
}

void add_text(const char* key, const std::vector<std::string>& texts, std::size_t i, Json& out) {
  if (i < texts.size() && !texts[i].empty()) out[key] = texts[i];
}

double label_of(const ExplainView& view, std::size_t document) {
  const Query query = view.data.query(view.query);
  return query.labels[document - query.first_document];
}

/// As linear_parts(), without weights and scaling.
std::string shapley_parts(const ExplainView& view, const DocumentExplanation& document,
                          const QueryExplanation& explanation) {
  std::vector<std::vector<std::string>> rows = {{"  feature", "value", "contribution", "above mean"}};
  const std::size_t count = shown(view, document.parts);
  double others = 0, others_above = 0;
  for (std::size_t k = 0; k < document.parts.size(); ++k) {
    const FeaturePart& part = document.parts[k];
    if (k < count) {
      rows.push_back({"  " + view.model.features[part.feature], significant(part.value),
                      signed_figure(part.contribution), signed_figure(part.above_mean)});
      continue;
    }
    others += part.contribution;
    others_above += part.above_mean;
  }
  if (count < document.parts.size())
    rows.push_back({fmt::format("  {} others", document.parts.size() - count), "", signed_figure(others),
                    signed_figure(others_above)});
  if (!view.model.curves) rows.push_back({"  mean in training", "", signed_figure(explanation.base), ""});
  rows.push_back(
      {"  score", "", signed_figure(document.score), signed_figure(document.score - explanation.mean_score)});
  return aligned(rows);
}

std::string linear_parts(const ExplainView& view, const DocumentExplanation& document, double mean_score) {
  std::vector<std::vector<std::string>> rows = {
      {"  feature", "value", "scaled", "weight", "contribution", "above mean"}};
  const std::size_t count = shown(view, document.parts);
  double others = 0, others_above = 0;
  for (std::size_t k = 0; k < document.parts.size(); ++k) {
    const FeaturePart& part = document.parts[k];
    if (k < count) {
      rows.push_back({"  " + view.model.features[part.feature], significant(part.value), significant(part.scaled),
                      significant(part.weight), signed_figure(part.contribution), signed_figure(part.above_mean)});
      continue;
    }
    others += part.contribution;
    others_above += part.above_mean;
  }
  if (count < document.parts.size())
    rows.push_back({fmt::format("  {} others", document.parts.size() - count), "", "", "", signed_figure(others),
                    signed_figure(others_above)});
  rows.push_back({"  score", "", "", "", signed_figure(document.score), signed_figure(document.score - mean_score)});
  return aligned(rows);
}

std::string kernel_parts(const ExplainView& view, const DocumentExplanation& document) {
  std::vector<std::vector<std::string>> rows = {{"  feature", "value", "scaled", "effect"}};
  for (std::size_t k = 0; k < shown(view, document.parts); ++k) {
    const FeaturePart& part = document.parts[k];
    rows.push_back({"  " + view.model.features[part.feature], significant(part.value), significant(part.scaled),
                    signed_figure(part.contribution)});
  }
  return aligned(rows);
}

std::string bar_of(double difference, double largest) {
  constexpr double kWidth = 20;
  const auto length = static_cast<std::size_t>(std::lround(kWidth * std::fabs(difference) / largest));
  return std::string(length, difference < 0 ? '-' : '+');
}

std::string swaps_text(const ExplainView& view, const std::vector<PartPair>& pairs, const DocumentExplanation& one,
                       const DocumentExplanation& other) {
  const bool first_is_lower = one.rank > other.rank;
  const std::string lower = view.data.document_name(first_is_lower ? one.document : other.document);
  if (view.model.scaling.per_query())
    return fmt::format(
        "\nchanges that swap them are not computed: under {} the other documents of the query change with the "
        "feature\n",
        name_of(view.model.scaling.kind));
  std::vector<std::vector<std::string>> rows = {{"  feature", "is", "would have to be"}};
  for (const PartPair& pair : pairs) {
    if (view.features > 0 && rows.size() > view.features) break;
    const FeaturePart& part = first_is_lower ? pair.one : pair.other;
    const std::optional<double> value = level_value(view.model, pair, one, other);
    if (value)
      rows.push_back({"  " + view.model.features[part.feature], significant(part.value),
                      fmt::format("{} {:.5g}", *value < part.value ? "below" : "above", *value)});
  }
  if (rows.size() == 1) return "";
  return fmt::format("\n{} would pass the other if one feature alone were otherwise:\n{}", lower, aligned(rows));
}

}  // namespace

std::string explain_text(const ExplainView& view, const QueryExplanation& explanation) {
  const Query query = view.data.query(view.query);
  std::string text = fmt::format("query {}{}: {} documents, mean score {:.4f}\n", query.id,
                                 quoted(view.texts.queries, view.query), query.size(), explanation.mean_score);
  text += !explanation.additive
              ? fmt::format(
                    "{} no contributions that sum to the score; effect: the score less what it would be with "
                    "this\nfeature at its mean in the query\n",
                    view.model.kernel ? "a kernel has" : "trees without counts of training documents have")
          : view.model.linear()
              ? "contribution = weight x scaled value; above mean: less the mean contribution in this query\n"
          : view.model.curves
              ? "contribution: the curve of the feature at this value; above mean: less the mean in this query\n"
              : "contributions are Shapley values; above mean: less the mean contribution in this query\n";
  for (const DocumentExplanation& document : explanation.documents) {
    text += fmt::format("\nrank {}: {}{}, score {:.4f}", document.rank, view.data.document_name(document.document),
                        quoted(view.texts.titles, document.document), document.score);
    if (view.data.has_labels()) text += fmt::format(", label {:g}", label_of(view, document.document));
    text += fmt::format("\n{}", !explanation.additive ? kernel_parts(view, document)
                                : view.model.linear() ? linear_parts(view, document, explanation.mean_score)
                                                      : shapley_parts(view, document, explanation));
  }
  return text;
}

std::string explain_jsonl(const ExplainView& view, const QueryExplanation& explanation) {
  std::string text;
  for (const DocumentExplanation& document : explanation.documents) {
    Json features = Json::array();
    for (std::size_t k = 0; k < shown(view, document.parts); ++k) {
      const FeaturePart& part = document.parts[k];
      Json out = {{"feature", view.model.features[part.feature]}, {"value", part.value}, {"scaled", part.scaled}};
      if (explanation.additive) {
        if (view.model.linear()) out["weight"] = part.weight;
        out["contribution"] = part.contribution;
        out["above_mean"] = part.above_mean;
      } else {
        out["effect"] = part.contribution;
      }
      features.push_back(std::move(out));
    }
    Json line = {{"qid", query_id(view)},
                 {"document", view.data.document_name(document.document)},
                 {"row", view.data.source_row(document.document) + 1},
                 {"rank", document.rank},
                 {"score", document.score},
                 {"mean_score", explanation.mean_score}};
    if (view.data.has_labels()) line["label"] = label_of(view, document.document);
    add_text("query_text", view.texts.queries, view.query, line);
    add_text("title", view.texts.titles, document.document, line);
    add_text("url", view.texts.urls, document.document, line);
    line["additive"] = explanation.additive;
    if (explanation.additive && !view.model.linear()) line["base"] = explanation.base;
    line["features"] = std::move(features);
    text += printable_json(line) + "\n";
  }
  return text;
}

std::string explain_csv_heading() {
  return "qid,document,rank,score,label,feature,value,scaled,weight,contribution,above_mean\n";
}

std::string explain_csv(const ExplainView& view, const QueryExplanation& explanation) {
  std::string text;
  for (const DocumentExplanation& document : explanation.documents)
    for (std::size_t k = 0; k < shown(view, document.parts); ++k) {
      const FeaturePart& part = document.parts[k];
      text += report::csv_line(std::vector<std::string>{
          query_id(view), view.data.document_name(document.document), std::to_string(document.rank),
          fmt::format("{}", document.score),
          view.data.has_labels() ? fmt::format("{}", label_of(view, document.document)) : std::string(),
          view.model.features[part.feature], fmt::format("{}", part.value), fmt::format("{}", part.scaled),
          view.model.linear() ? fmt::format("{}", part.weight) : std::string(), fmt::format("{}", part.contribution),
          fmt::format("{}", part.above_mean)});
    }
  return text;
}

std::string difference_text(const ExplainView& view, const DocumentExplanation& one, const DocumentExplanation& other) {
  const auto name = [&](const DocumentExplanation& each) { return view.data.document_name(each.document); };
  const auto place = [&](const DocumentExplanation& each) {
    return fmt::format(
        "{}{} (rank {}, score {:.4f}{})", name(each), quoted(view.texts.titles, each.document), each.rank, each.score,
        view.data.has_labels() ? fmt::format(", label {:g}", label_of(view, each.document)) : std::string());
  };
  const std::vector<PartPair> pairs = differences_of(one, other);
  const std::size_t count = view.features == 0 ? pairs.size() : std::min(view.features, pairs.size());
  std::vector<std::vector<std::string>> rows = {{"  feature", name(one), name(other), "difference", "so far", ""}};
  const double largest = pairs.empty() ? 1 : std::max(std::fabs(pairs.front().difference), 1e-300);
  double sum = 0;
  std::size_t bar_width = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const PartPair& pair = pairs[k];
    sum += pair.difference;
    const std::string bar = bar_of(pair.difference, largest);
    bar_width = std::max(bar_width, bar.size());
    rows.push_back({"  " + view.model.features[pair.one.feature], significant(pair.one.value),
                    significant(pair.other.value), signed_figure(pair.difference), signed_figure(sum), bar});
  }
  if (count < pairs.size())
    rows.push_back({fmt::format("  {} others", pairs.size() - count), "", "",
                    signed_figure(one.score - other.score - sum), signed_figure(one.score - other.score), ""});
  for (std::vector<std::string>& row : rows) row.back().resize(bar_width, ' ');
  return fmt::format("query {}{}: {} against {}: {:+.4f}\n\n{}{}", query_id(view),
                     quoted(view.texts.queries, view.query), place(one), place(other), one.score - other.score,
                     without_trailing_blanks(aligned(rows)), swaps_text(view, pairs, one, other));
}

std::string difference_jsonl(const ExplainView& view, const DocumentExplanation& one,
                             const DocumentExplanation& other) {
  Json features = Json::array();
  const std::vector<PartPair> pairs = differences_of(one, other);
  for (std::size_t k = 0; k < (view.features == 0 ? pairs.size() : std::min(view.features, pairs.size())); ++k) {
    const PartPair& pair = pairs[k];
    const std::optional<double> level = level_value(view.model, pair, one, other);
    features.push_back({{"feature", view.model.features[pair.one.feature]},
                        {"value", pair.one.value},
                        {"other_value", pair.other.value},
                        {"difference", pair.difference},
                        {"level_at", level ? Json(*level) : Json()}});
  }
  const auto place = [&](const DocumentExplanation& each) {
    return Json{{"document", view.data.document_name(each.document)}, {"rank", each.rank}, {"score", each.score}};
  };
  return printable_json({{"qid", query_id(view)},
                         {"one", place(one)},
                         {"other", place(other)},
                         {"difference", one.score - other.score},
                         {"features", std::move(features)}}) +
         "\n";
}

std::string difference_csv_heading() { return "qid,document,against,feature,value,other_value,difference,level_at\n"; }

std::string difference_csv(const ExplainView& view, const DocumentExplanation& one, const DocumentExplanation& other) {
  std::string text;
  const std::vector<PartPair> pairs = differences_of(one, other);
  for (std::size_t k = 0; k < (view.features == 0 ? pairs.size() : std::min(view.features, pairs.size())); ++k) {
    const PartPair& pair = pairs[k];
    const std::optional<double> level = level_value(view.model, pair, one, other);
    text += report::csv_line(std::vector<std::string>{
        query_id(view), view.data.document_name(one.document), view.data.document_name(other.document),
        view.model.features[pair.one.feature], fmt::format("{}", pair.one.value), fmt::format("{}", pair.other.value),
        fmt::format("{}", pair.difference), level ? fmt::format("{}", *level) : std::string()});
  }
  return text;
}

}  // namespace dorm::cli
