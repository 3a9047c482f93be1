// SPDX-License-Identifier: Apache-2.0
#include "text/model_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>

#include "base/json.h"
#include "data/io/files/file.h"
#include "dorm/base/catalog.h"
#include "model/model_json.h"
#include "report/pages/words.h"
#include "run/output.h"

namespace dorm::cli {
namespace {

constexpr std::size_t kWeightsShown = 10;
constexpr const char* kBars[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

std::vector<std::size_t> by_size(const Model& model) {
  std::vector<std::size_t> order(model.weights.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
    return std::fabs(model.weights[i]) > std::fabs(model.weights[j]);
  });
  if (order.size() > kWeightsShown) order.resize(kWeightsShown);
  return order;
}

std::size_t nonzero(const Model& model) {
  return static_cast<std::size_t>(
      std::count_if(model.weights.begin(), model.weights.end(), [](double w) { return w != 0; }));
}

template <class Line>
void kernel_lines(const KernelExpansion& kernel, const Line& line) {
  const std::size_t size = kernel.support.num_documents();
  line("kind", kernel.fourier
                   ? fmt::format("kernel model of {} random frequencies", size)
                   : fmt::format("kernel model with {} support documents, of {} trained on", size, kernel.documents));
  line("kernel", kernel.kernel);
  line("approximation", kernel.approximation);
  if (kernel.pruned > 0)
    line("pruned", fmt::format("changes no score by more than {:.2g} sqrt(k(x, x))", kernel.pruned));
}

// Over all features, in training.
std::string values_text(const FeatureStatistics& statistics) {
  std::size_t constant = 0;
  for (std::size_t j = 0; j < statistics.mean.size(); ++j) constant += statistics.minimum[j] == statistics.maximum[j];
  const auto range = [](const std::vector<double>& low, const std::vector<double>& high) {
    return fmt::format("{:.6g} to {:.6g}", *std::min_element(low.begin(), low.end()),
                       *std::max_element(high.begin(), high.end()));
  };
  return fmt::format("{}, means of features {}{}", range(statistics.minimum, statistics.maximum),
                     range(statistics.mean, statistics.mean),
                     constant > 0 ? fmt::format("; {} constant", constant) : "");
}

std::string curves_kind(const Model& model) {
  const std::vector<Curve>& curves = model.curves->features;
  const auto curved = std::count_if(curves.begin(), curves.end(), [](const Curve& c) { return !c.knots.empty(); });
  return fmt::format("sum of {} functions of one feature, {} of them curves of {}", curves.size(), curved,
                     name_of(model.curves->shape));
}

/// Where a curve is drawn: its knots; of steps, what lies between them, too.
std::vector<double> drawn_at(const Curve& curve, CurveShape shape) {
  if (shape == CurveShape::lines) return curve.knots;
  std::vector<double> at = {curve.knots.front() - 1};
  at.insert(at.end(), curve.knots.begin(), curve.knots.end());
  return at;
}

/// The features whose functions rise and fall most, drawn in one line each.
std::string curves_text(const Model& model) {
  struct Row {
    std::size_t feature;
    double range;
    std::vector<double> values;
  };
  std::vector<Row> rows;
  for (std::size_t j = 0; j < model.features.size(); ++j) {
    const Curve& curve = model.curves->features[j];
    if (curve.knots.empty()) continue;
    Row row{j, 0, {}};
    for (const double x : drawn_at(curve, model.curves->shape))
      row.values.push_back(model.curves->value(j, model.weights[j], x));
    const auto [low, high] = std::minmax_element(row.values.begin(), row.values.end());
    row.range = *high - *low;
    rows.push_back(std::move(row));
  }
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.range > b.range; });
  if (rows.size() > kWeightsShown) rows.resize(kWeightsShown);
  std::vector<std::vector<std::string>> table = {{"feature", "weight", "range", "from", "to", "curve"}};
  for (const Row& row : rows) {
    const Curve& curve = model.curves->features[row.feature];
    const double low = *std::min_element(row.values.begin(), row.values.end());
    std::string drawn;
    for (const double value : row.values)
      drawn +=
          kBars[row.range > 0 ? std::min<std::size_t>(7, static_cast<std::size_t>(8 * (value - low) / row.range)) : 0];
    table.push_back({model.features[row.feature], fmt::format("{:+.4g}", model.weights[row.feature]),
                     fmt::format("{:.4g}", row.range), fmt::format("{:.4g}", curve.knots.front()),
                     fmt::format("{:.4g}", curve.knots.back()), drawn});
  }
  return "curves with the largest range (of the scaled features, at their knots)\n\n" + aligned(table);
}

std::string parts_text(const Model& model) {
  std::vector<std::vector<std::string>> rows = {{"share", "bound", "start", "trained for", "C", "decay", "rounds",
                                                 "gap", "status", "explained risk", "validation"}};
  const auto or_dash = [](const std::string& text) { return text.empty() ? "-" : text; };
  const bool curves = std::any_of(model.parts.begin(), model.parts.end(),
                                  [&](const ModelPart& part) { return part.curves != model.parts.front().curves; });
  if (curves) rows[0].push_back("curves");
  for (const ModelPart& part : model.parts) {
    rows.push_back({fmt::format("{:.3f}", part.share), part.bound, part.start, or_dash(part.measure),
                    fmt::format("{:.4g}", part.C), or_dash(part.decay), std::to_string(part.rounds),
                    fmt::format("{:.2g}", part.certificate.gap), part.certificate.status,
                    part.bound == "none" ? "-" : fmt::format("{:.4f}", part.explained_risk),
                    std::isnan(part.validation) ? "-" : fmt::format("{:.4f}", part.validation)});
    if (curves) rows.back().push_back(or_dash(part.curves));
  }
  return fmt::format("\nan average of {} rankers, each at unit spread{}\n\n{}", model.parts.size(),
                     model.folds > 0 ? fmt::format(" and a mean over {} folds", model.folds) : "", aligned(rows));
}

/// Splits by feature, the most first.
std::string splits_text(const TreeEnsemble& trees) {
  std::vector<std::size_t> splits(trees.features.size()), order(splits.size());
  for (const TreeNode& node : trees.nodes)
    if (!node.leaf()) ++splits[node.feature];
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return splits[i] > splits[j]; });
  std::vector<std::vector<std::string>> rows = {{"feature", "splits"}};
  for (const std::size_t j : order)
    if (splits[j] > 0 && rows.size() <= kWeightsShown) rows.push_back({trees.features[j], std::to_string(splits[j])});
  return aligned(rows);
}

std::string trees_text(const Model& model) {
  const TreeEnsemble& trees = model.trees->trees();
  std::size_t leaves = 0, categorical = 0, most = 0;
  for (std::size_t t = 0; t < trees.num_trees(); ++t) {
    const std::size_t own = (trees.tree(t).size() + 1) / 2;
    leaves += own;
    most = std::max(most, own);
  }
  for (const TreeNode& node : trees.nodes) categorical += !node.leaf() && node.categories > 0;
  const auto used = std::count(model.trees->used().begin(), model.trees->used().end(), true);
  std::string text =
      fmt::format("{:<15}{} trees with {} leaves, at most {} in one\n", "kind", trees.num_trees(), leaves, most);
  const auto line = [&text](const char* name, const std::string& value) {
    text += fmt::format("{:<15}{}\n", name, value);
  };
  line("grown by",
       trees.objective.empty() ? trees.library : fmt::format("{}, objective {}", trees.library, trees.objective));
  line("features", fmt::format("{}, {} of them used{}", trees.features.size(), used,
                               trees.by_number ? "; by number, since the file has no names" : ""));
  if (categorical > 0) line("categories", fmt::format("in {} splits", categorical));
  line("base score", fmt::format("{:.6g}", trees.base));
  line("contributions", trees.has_covers() ? "exact (TreeSHAP)" : "effects only: the file has no counts of documents");
  if (!model.parts.empty()) text += parts_text(model);
  return text + "\nfeatures with most splits\n\n" + splits_text(trees);
}

std::string sum_text(const Model& model) {
  std::string text =
      fmt::format("{:<15}weighted sum of {} models, {} features\n", "kind", model.parts.size(), model.features.size());
  if (!model.measure.empty()) text += fmt::format("{:<15}{}\n", "trained for", model.measure);
  std::vector<std::vector<std::string>> rows = {{"weight", "kind", "method", "trained for", "features", "scaling"}};
  for (const ModelPart& part : model.parts)
    rows.push_back({fmt::format("{:.6g}", part.weight), name_of(part.ranker->kind()), part.ranker->method,
                    part.measure.empty() ? "-" : part.measure, std::to_string(part.ranker->features.size()),
                    std::string(name_of(part.ranker->scaling.kind))});
  text += "\n" + aligned(rows);
  for (const ModelPart& part : model.parts)
    if (!part.ranker->parts.empty())
      text += fmt::format("\n{} of it:", name_of(part.ranker->kind())) + parts_text(*part.ranker);
  return text;
}

/// `positions`: what is to be said of them, if the model has a function for each.
std::string described(const Model& model, const std::string& path, const std::string& positions) {
  std::string text;
  const auto line = [&text](const char* name, const std::string& value) {
    text += fmt::format("{:<15}{}\n", name, value);
  };
  line("file", path);
  if (model.kernel)
    kernel_lines(*model.kernel, line);
  else if (model.trees)
    return text + trees_text(model);
  else if (model.curves)
    line("kind", curves_kind(model));
  else if (!model.linear())
    return text + sum_text(model);
  else
    line("kind", fmt::format("linear model of {} features, {} with weight", model.weights.size(), nonzero(model)));
  if (!positions.empty()) line("positions", positions);
  line("trained for", fmt::format("{} ({})", model.measure, model.convention));
  if (!model.one_per.empty()) line("one per", model.one_per);
  if (!model.parts.empty()) line("average", fmt::format("of {} rankers, below; the first is:", model.parts.size()));
  if (model.bound == "none") {
    line("method", fmt::format("{}, a baseline without certificate", model.start));
  } else {
    line("problem", fmt::format("C {:g}, decay {}, bound {} from {}, {} round{}", model.C, model.decay, model.bound,
                                model.start, model.rounds, model.rounds == 1 ? "" : "s"));
    line("certificate", fmt::format("primal {:.6g}, dual {:.6g}, relative gap {:.2g}: {}{}", model.certificate.primal,
                                    model.certificate.dual, model.certificate.gap, model.certificate.status,
                                    model.bound == "predicted" ? "; certifies the last round only" : ""));
    line("explained risk", fmt::format("{:.4f}", model.explained_risk));
  }
  if (!std::isnan(model.validation)) line("validation", fmt::format("{:.4f}", model.validation));
  if (const std::string signs = pages::signs_text(model); !signs.empty()) line("signs", signs);
  if (model.tested) line("tested", pages::tested_text(*model.tested));
  line("scaling",
       fmt::format("{}{}", name_of(model.scaling.kind), model.target.empty() ? "" : ", for " + model.target));
  line("data", fmt::format("{} queries ({} usable), {} documents, fingerprint {:016x}", model.data.queries,
                           model.data.usable_queries, model.data.documents, model.data.fingerprint));
  const InputDescription& input = model.data.input;
  if (!input.encodings.empty()) line("columns", encodings_text(input.encodings));
  if (input.missing != Missing::error || !input.missing_by_column.empty())
    line("missing values", missing_text(input.missing, input.missing_by_column));
  if (model.data.statistics.known()) line("values", values_text(model.data.statistics));
  if (!model.parts.empty()) text += parts_text(model);
  if (model.kernel) return text;
  std::vector<std::vector<std::string>> rows = {{"feature", "weight"}};
  for (const std::size_t j : by_size(model))
    rows.push_back({model.features[j], fmt::format("{:+.6g}", model.weights[j])});
  if (model.curves) return text + "\n" + curves_text(model);
  return text + "\nlargest weights (of the scaled features)\n\n" + aligned(rows);
}

}  // namespace

std::string model_text(const Model& model, const std::string& path) { return described(model, path, ""); }

std::string model_text(const PositionModel& model, const std::string& path) {
  return described(model.shared, path,
                   fmt::format("{}, {}", model.decay.size(),
                               model.blocks.empty() ? "one function for all, which is the linear model"
                                                    : "a function for each and a shared linear model"));
}

std::string model_json(const Model& model, const std::string& path) {
  Json json = json_of(model);
  json["file"] = path;
  if (model.kernel)
    json["kernel"].erase("values");  // the documents themselves are in the file
  else if (model.trees)
    json["trees"] = {{"count", model.trees->trees().num_trees()},
                     {"library", model.trees->trees().library},
                     {"objective", model.trees->trees().objective},
                     {"nodes", model.trees->trees().nodes.size()}};
  else if (model.linear())
    json["nonzero_weights"] = nonzero(model);
  return printable_json(json, 2) + "\n";
}

std::string model_json(const PositionModel& model, const std::string& path) {
  Json json = json_of(model);
  json["file"] = path;
  json["positions"] = model.decay.size();
  json["nonzero_weights"] = nonzero(model.shared);
  return printable_json(json, 2) + "\n";
}

}  // namespace dorm::cli
