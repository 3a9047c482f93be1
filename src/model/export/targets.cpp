// SPDX-License-Identifier: Apache-2.0
// The targets that a model can be exported to.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include "base/quote.h"
#include "data/scale/scale_rules.h"
#include "dorm/error.h"
#include "model/export/formats.h"
#include "model/export/trees.h"

namespace dorm {
namespace {

constexpr Serving kSums{};
constexpr Serving kTrees{.trees = true, .linear = false};
constexpr Serving kSumsOrTrees{.trees = true};
constexpr Serving kLogarithmsOrTrees{.logarithms = true, .trees = true};
constexpr std::uint32_t bit_of(Encode rule) { return std::uint32_t{1} << static_cast<unsigned>(rule); }
constexpr std::uint32_t kAllRules = ~std::uint32_t{0};
constexpr std::uint32_t kValues = bit_of(Encode::onehot) | bit_of(Encode::boolean) | bit_of(Encode::indicator);
constexpr std::uint32_t kDays = bit_of(Encode::age) | bit_of(Encode::weekday);
constexpr std::uint32_t kFormats = bit_of(Encode::percent) | bit_of(Encode::thousands) | bit_of(Encode::decimal_comma);
constexpr Serving kGraphs{.logarithms = true,
                          .lists = true,
                          .kernels = true,
                          .trees = true,
                          .curves = true,
                          .gaps = true,
                          .sums = true,
                          .encodings = kValues,
                          .encodes_trees = true};
constexpr Serving kWholeModels{
    .logarithms = true, .lists = true, .kernels = true, .trees = true, .encodings = kAllRules, .encodes_trees = true};
constexpr Serving kPrograms{.logarithms = true,
                            .lists = true,
                            .trees = true,
                            .curves = true,
                            .gaps = true,
                            .sums = true,
                            .encodings = kAllRules,
                            .encodes_trees = true};
constexpr Serving kDatabases{.logarithms = true,
                             .trees = true,
                             .curves = true,
                             .gaps = true,
                             .sums = true,
                             .encodings = kValues | kFormats,
                             .encodes_trees = true};
constexpr Serving kExpressions{.logarithms = true, .curves = true};
constexpr Serving kRankProfiles{.logarithms = true, .curves = true, .gaps = true, .encodings = kValues | kDays};
constexpr Serving kFields{.logarithms = true,
                          .trees = true,
                          .curves = true,
                          .gaps = true,
                          .sums = true,
                          .encodings = kValues | kDays | bit_of(Encode::month)};

constexpr std::array kTargets{
    ExportTarget{{.name = "elasticsearch",
                  .usage = "elasticsearch",
                  .help = "a linear model or trees for the learning-to-rank plugin: the body of _createmodel"},
                 kLogarithmsOrTrees,
                 false,
                 export_elasticsearch},
    ExportTarget{{.name = "opensearch",
                  .usage = "opensearch",
                  .help = "a linear model or trees for the learning-to-rank plugin: the body of _createmodel"},
                 kLogarithmsOrTrees,
                 false,
                 export_opensearch},
    ExportTarget{{.name = "solr",
                  .usage = "solr",
                  .help = "a LinearModel or MultipleAdditiveTreesModel for the model store, and its\nfeatures"},
                 kLogarithmsOrTrees,
                 false,
                 export_solr},
    ExportTarget{{.name = "vespa", .usage = "vespa", .help = "a rank profile whose second phase is the model"},
                 kRankProfiles,
                 false,
                 export_vespa},
    ExportTarget{{.name = "lucene",
                  .usage = "lucene",
                  .help = "an expression of Lucene, also for scripts of Elasticsearch and OpenSearch"},
                 kExpressions,
                 false,
                 export_lucene},
    ExportTarget{{.name = "lightgbm", .usage = "lightgbm", .help = "trees as LightGBM reads them"},
                 kTrees,
                 false,
                 export_lightgbm},
    ExportTarget{{.name = "ranklib", .usage = "ranklib", .help = "a linear model or trees as RankLib reads them"},
                 kSumsOrTrees,
                 false,
                 export_ranklib},
    ExportTarget{{.name = "svmlight",
                  .usage = "svmlight",
                  .help = "the weights of a linear model as svm_rank_classify and svm_classify read them"},
                 kSums,
                 false,
                 export_svmlight},
    ExportTarget{{.name = "sql", .usage = "sql", .help = "the score as an SQL expression; features are columns"},
                 kDatabases,
                 false,
                 export_sql},
    ExportTarget{{.name = "onnx", .usage = "onnx", .help = "a graph of ONNX in double; kernels too"},
                 kGraphs,
                 false,
                 export_onnx,
                 true},
    ExportTarget{
        {.name = "pmml", .usage = "pmml", .help = "a RegressionModel of PMML 4.4, or a MiningModel of trees or sums"},
        kFields,
        false,
        export_pmml},
    ExportTarget{{.name = "c", .usage = "c", .help = "a header of C and C++ that needs nothing else"},
                 kPrograms,
                 false,
                 export_c},
    ExportTarget{{.name = "python", .usage = "python", .help = "a module of plain Python that needs nothing else"},
                 kPrograms,
                 false,
                 export_python},
    ExportTarget{{.name = "mlflow",
                  .usage = "mlflow",
                  .help = "a folder that MLflow loads and scores data frames by, with the Python package"},
                 kWholeModels,
                 true,
                 export_mlflow},
    ExportTarget{{.name = "modelcard",
                  .usage = "modelcard",
                  .help = "a folder for a hub of models: README.md with the fields of Hugging Face, and the model"},
                 kWholeModels,
                 true,
                 export_modelcard},
};

constexpr auto kTargetNames = [] {
  std::array<CatalogEntry, kTargets.size()> names{};
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = kTargets[i].entry;
  return names;
}();

bool encodes(const ExportTarget& target, const Model& model, Encode rule) {
  return (target.serving.encodings & bit_of(rule)) != 0 && (target.serving.encodes_trees || model.linear());
}

/// Features that the target cannot make of the documents have a name there, by which someone else makes them.
[[noreturn]] void refuse_feature(std::string_view what, const ExportTarget& target, const std::string& able,
                                 std::string_view feature) {
  throw Error(ErrorCode::unsupported,
              fmt::format("{}, which {} cannot; expected {}, dorm serve, or a map of names that says what the engine "
                          "calls the feature {} it has made itself",
                          what, target.entry.name, able, in_quotes(feature)));
}

template <class Can>
std::string targets_that(const Can& can) {
  std::string list;
  for (const ExportTarget& target : kTargets)
    if (can(target)) list += fmt::format("{}{}", list.empty() ? "" : ", ", target.entry.name);
  return list;
}

void require_encodings(const Model& model, const ExportTarget& target, const ExportOptions& options) {
  for (const EncodedFeatures::Rule& rule : EncodedFeatures(model, options).rules) {
    const ColumnEncoding& encoding = *rule.encoding;
    if (encodes(target, model, encoding.rule)) continue;
    const std::size_t first = *std::find_if(rule.features.begin(), rule.features.end(),
                                            [](std::size_t j) { return j != EncodedFeatures::kNone; });
    refuse_feature(fmt::format("the model encodes the column {}", encoding_sentence(encoding)), target,
                   targets_that([&](const ExportTarget& each) { return encodes(each, model, encoding.rule); }),
                   model.features[first]);
  }
}

/// A document by itself does not know the smallest value of its query.
void require_query_minima(const Model& model, const ExportTarget& target, const ExportOptions& options) {
  if (target.serving.lists) return;
  for (std::size_t j = 0; j < model.features.size(); ++j)
    if (takes_query_minimum(model, j, options))
      refuse_feature(fmt::format("the model replaces a missing {} by the smallest value of the query",
                                 in_quotes(model.features[j])),
                     target, targets_that([](const ExportTarget& each) { return each.serving.lists; }),
                     model.features[j]);
}

void require_known(const Model& model, const ExportOptions& options) {
  for (const auto& entry : options.names)
    if (std::find(model.features.begin(), model.features.end(), entry.first) == model.features.end())
      throw Error(
          ErrorCode::bad_input,
          fmt::format("the map of names has the feature {}, which the model does not have", in_quotes(entry.first)));
}

/// Two features of one name would be one to the target.
void require_distinct(const Model& model, const ExportOptions& options) {
  std::map<std::string_view, std::size_t> feature_of;
  for (std::size_t j = 0; j < model.features.size(); ++j) {
    const auto [place, is_new] = feature_of.emplace(spelling(model, options, j), j);
    if (!is_new)
      throw Error(ErrorCode::bad_input, fmt::format("the features {} and {} have one name, {}; expected distinct names",
                                                    in_quotes(model.features[place->second]),
                                                    in_quotes(model.features[j]), in_quotes(place->first)));
  }
}

/// What keeps scores from being negative is known of the training data, for terms of one feature each.
void require_ranges(const Model& model) {
  if (!model.linear() || model.scaling.per_query())
    throw Error(ErrorCode::unsupported,
                "scores can be kept from being negative for linear models whose scaling is the same in all queries");
  if (model.data.statistics.minimum.size() != model.features.size())
    throw Error(
        ErrorCode::unsupported,
        "the model does not know the range of its features in training, which scores that are not to be negative "
        "need; expected a model of version 1.1 or later");
}

/// A curve of lines is written by its knots, which are those of values by themselves.
void require_held(const Model& model, const ExportTarget& each, const ExportOptions& options) {
  const std::string_view target = each.entry.name;
  if (model.scaling.per_query())
    throw Error(ErrorCode::unsupported,
                fmt::format("the model scales features by {}, under which {} cannot evaluate curves; expected none, "
                            "minmax, zscore or log-zscore",
                            name_of(model.scaling.kind), target));
  const EncodedFeatures encoded(model, options);
  for (std::size_t j = 0; j < model.features.size(); ++j)
    if (model.curves->features[j].missing && (!each.serving.gaps || encoded.by_feature[j]))
      throw Error(
          ErrorCode::unsupported,
          fmt::format(
              "the curve of {} has a value for where the feature is missing, which {} cannot evaluate{}; expected {}",
              in_quotes(model.features[j]), target, encoded.by_feature[j] ? " of an encoded column" : "",
              encoded.by_feature[j] ? "mlflow, modelcard or dorm serve"
                                    : targets_that([](const ExportTarget& t) { return t.serving.gaps; }) +
                                          ", mlflow, modelcard or dorm serve, or curves of steps"));
}

/// Throws where a number that was written is none in the precision of the target.
void require_representable(const Model& model, const ServedModel& served, std::string_view target) {
  const double largest = served.single ? std::numeric_limits<float>::max() : std::numeric_limits<double>::max();
  const double smallest = served.single ? std::numeric_limits<float>::min() : std::numeric_limits<double>::min();
  const auto fits = [&](double value) { return std::fabs(value) <= largest; };
  for (const ServedModel::Term& term : served.terms)
    if (!fits(term.weight) || !fits(term.shift) || !fits(term.divisor) || term.divisor < smallest)
      throw Error(ErrorCode::unsupported,
                  fmt::format("the weight or the scaling of feature {} is beyond the numbers of {}",
                              in_quotes(model.features[term.feature]), target));
  if (!fits(served.constant))
    throw Error(ErrorCode::unsupported, fmt::format("the weights are beyond the numbers of {}", target));
}

/// What is written of a part by itself says whether the target can evaluate it, and how.
Exported export_sum(const Model& model, const ExportTarget& target, const ExportOptions& options) {
  const std::string_view name = target.entry.name;
  const Model sum = sum_for_export(model, name);
  if (sum.parts.size() == 1) return export_model(*sum.parts[0].ranker, target, options);
  if (!target.serving.sums) {
    std::string kinds;
    for (const ModelPart& part : sum.parts)
      kinds += fmt::format("{}{}", kinds.empty() ? "" : " and ", name_of(part.ranker->kind()));
    throw Error(
        ErrorCode::unsupported,
        fmt::format("the model is a sum of {}, which {} cannot evaluate; expected {}, mlflow or modelcard, or a "
                    "model of one kind: tune makes one of trees or of linear rankers only where it is told to",
                    kinds, name, targets_that([](const ExportTarget& each) { return each.serving.sums; })));
  }
  if (options.non_negative) require_ranges(model);
  std::vector<ServedModel> parts;
  std::vector<std::string> notes;
  for (const ModelPart& part : sum.parts) {
    Exported own = export_model(*part.ranker, target, options);
    parts.push_back(std::move(own.served));
    for (std::string& note : own.notes)
      if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(std::move(note));
  }
  Exported exported = target.write(sum, options);
  exported.served = served_sum(sum, std::move(parts));
  exported.notes = std::move(notes);
  return exported;
}

}  // namespace

bool can_serve(const Serving& serving, ScalingKind kind) {
  const bool per_query = Scaling{kind, {}, {}}.per_query();
  return (serving.lists || !per_query) && (serving.logarithms || !takes_logarithm(kind));
}

std::string servable_scalings(const Serving& serving) {
  std::string list;
  for (const CatalogEntry& entry : scaling_catalog())
    if (can_serve(serving, parse_scaling(entry.name)))
      list += fmt::format("{}{}", list.empty() ? "" : ", ", entry.name);
  return list;
}

std::span<const ExportTarget> export_targets() { return kTargets; }

const ExportTarget& find_export_target(std::string_view name) {
  for (const ExportTarget& target : kTargets)
    if (target.entry.name == name) return target;
  throw_unknown_name("target", name, kTargetNames);
}

Exported export_model(const Model& model, const ExportTarget& target, const ExportOptions& options) {
  const std::string_view name = target.entry.name;
  require_encodings(model, target, options);
  require_query_minima(model, target, options);
  if (model.curves && !target.folder) {
    const bool lines = model.curves->shape == CurveShape::lines;
    const auto can = [lines](const ExportTarget& each) { return lines ? each.serving.curves : each.serving.trees; };
    if (!can(target))
      throw Error(ErrorCode::unsupported,
                  fmt::format("the model has curves of {}, which {} cannot evaluate; expected {}{}",
                              name_of(model.curves->shape), name, targets_that(can),
                              lines ? ", or curves of steps (steps:8), which are exported as trees" : ""));
    if (!lines) return export_model(trees_of_curves(model, name), target, options);
    require_held(model, target, options);
  }
  if (model.kind() == Model::Kind::trees && !target.serving.trees)
    throw Error(ErrorCode::unsupported,
                fmt::format("the model has trees, which {} cannot evaluate; expected {}", name,
                            targets_that([](const ExportTarget& each) { return each.serving.trees; })));
  if (model.kind() == Model::Kind::sum && !target.folder) return export_sum(model, target, options);
  if (model.kernel && !target.serving.kernels)
    throw Error(ErrorCode::unsupported,
                fmt::format("the model has a kernel ({}), which {} cannot evaluate; expected a linear model",
                            model.kernel->kernel, name));
  if (!can_serve(target.serving, model.scaling.kind))
    throw Error(
        ErrorCode::unsupported,
        fmt::format("the model scales features by {}, which {}; expected a scaling that {} can evaluate: {}",
                    name_of(model.scaling.kind),
                    model.scaling.per_query() ? "depends on the other documents of the query" : "takes logarithms",
                    name, servable_scalings(target.serving)));
  require_known(model, options);
  require_distinct(model, options);
  if (options.non_negative && !target.folder) require_ranges(model);
  Exported exported = target.write(model, options);
  require_representable(model, exported.served, name);
  return exported;
}

}  // namespace dorm
