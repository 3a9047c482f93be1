// SPDX-License-Identifier: Apache-2.0
// Runs of several retrievers: joined, fused, evaluated.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "arrays.h"
#include "bindings.h"
#include "data/runs/query_shares.h"
#include "dorm/error.h"
#include "dorm/fusion/fuse.h"
#include "dorm/fusion/fused_model.h"
#include "evaluation.h"
#include "watcher.h"

namespace dorm::python {
namespace {

using namespace nanobind::literals;

using RunColumns = std::tuple<std::vector<std::string>, std::vector<std::string>, Vector<double>>;

template <class Entry, class Number>
std::vector<Entry> entries_of(const RunColumns& columns) {
  const auto& [queries, documents, values] = columns;
  if (queries.size() != documents.size() || queries.size() != values.shape(0))
    throw Error(ErrorCode::bad_input, "queries, documents and values differ in number");
  std::vector<Entry> out;
  for (std::size_t i = 0; i < queries.size(); ++i)
    out.push_back({queries[i], documents[i], static_cast<Number>(values.data()[i])});
  return out;
}

/// Runs, joined with the judgments of their queries.
struct Fusion {
  std::vector<NamedRun> runs;
  JoinedRuns joined;
};

/// Names of columns, query ids, and a row of numbers for each.
using QueryTable = std::tuple<std::vector<std::string>, std::vector<std::string>, Matrix<double>>;
using QueryRanges = std::vector<std::tuple<std::string, double, double>>;

SideFeatures side_features(const QueryTable& table) {
  const auto& [names, ids, values] = table;
  if (values.shape(0) != ids.size() || values.shape(1) != names.size())
    throw Error(ErrorCode::bad_input, "query features: names, queries and values differ in number");
  SideFeatures out{names, IdTable(ids), {}};
  for (std::size_t i = 0; i < ids.size(); ++i)
    for (std::size_t j = 0; j < names.size(); ++j) out.values.push_back(values(i, j));
  return out;
}

QueryRanges ranges_of(const std::vector<QueryFeature>& features) {
  QueryRanges ranges;
  for (const QueryFeature& feature : features) ranges.emplace_back(feature.name, feature.low, feature.high);
  return ranges;
}

void make_fusion_input(FusionInput* place, std::vector<std::string> runs, std::vector<std::string> features,
                       const QueryRanges& query_features, const std::string& scale, const std::string& absent) {
  FusionInput input{std::move(runs), std::move(features), {}, parse_fusion_scale(scale), parse_absent(absent)};
  for (const auto& [name, low, high] : query_features) input.query_features.push_back({name, low, high});
  new (place) FusionInput(std::move(input));
}

QueryRanges judged_ranges(const QueryTable& table, const std::vector<std::string>& judged) {
  std::vector<Judgment> judgments;
  for (const std::string& query : judged) judgments.push_back({query, "", 0});
  return ranges_of(query_features_of(side_features(table), judgments));
}

/// The weights of the lists in a query with these values of query features, found by name.
std::vector<double> weights_of_query(const FusionInput& input, const std::vector<double>& weights,
                                     const std::vector<std::string>& names, const std::vector<double>& values) {
  if (weights.size() != input.num_columns() || names.size() != values.size())
    throw Error(ErrorCode::bad_input, "weights, names and values differ in number");
  const SideFeatures row{names, IdTable({""}), values};
  return input.weights_at(weights, QueryShares(input, &row).of(""));
}

void make_fusion(Fusion* place, const FusionInput& input, const std::vector<RunColumns>& lists,
                 const RunColumns& judged, const std::optional<QueryTable>& queries, std::size_t threads) {
  Fusion fusion;
  const std::vector<std::string> names = input.list_names();
  if (names.size() != lists.size()) throw Error(ErrorCode::bad_input, "names and lists differ in number");
  for (std::size_t r = 0; r < lists.size(); ++r)
    fusion.runs.push_back({names[r], entries_of<RunEntry, double>(lists[r])});
  const std::vector<Judgment> judgments = entries_of<Judgment, float>(judged);
  const std::optional<SideFeatures> table = queries ? std::optional(side_features(*queries)) : std::nullopt;
  {
    const nb::gil_scoped_release unlocked;
    fusion.joined =
        join_runs(fusion.runs, judgments, input, {.threads = threads, .query_features = table ? &*table : nullptr});
  }
  fusion.runs.resize(input.runs.size());
  new (place) Fusion(std::move(fusion));
}

/// What `work` returns without the lock, given an observer; signals stop it, and are raised.
template <class Work>
auto stoppable(const Work& work) {
  Watcher watcher{nb::object(nb::none())};
  auto result = [&] {
    const nb::gil_scoped_release unlocked;
    return work([&](std::size_t, std::size_t) { return watcher.go_on(false, [] { return nb::dict(); }); });
  }();
  watcher.rethrow();
  if (!watcher.interrupted()) return result;
  PyErr_SetNone(PyExc_KeyboardInterrupt);
  throw nb::python_error();
}

nb::tuple learn_fusion(const Fusion& fusion, const FuseOptions& options) {
  FusedWeights fused =
      stoppable([&](const FuseObserver& observer) { return learn_weights(fusion.joined, options, observer); });
  return nb::make_tuple(mean_weights(fusion.joined, judged_queries(fusion.joined), fused.weights), fused.share,
                        fused.usable_queries, std::move(fused.model));
}

nb::dict fusion_row(const FusionEvidence& evidence, std::size_t r) {
  const RankerRow& row = evidence.table.rows[r];
  nb::dict out;
  out["name"] = row.name;
  out["measure"] = to_dict(row.table.measures.front());
  out["judged"] = evidence.judged[r];
  out["if_good"] = evidence.if_good[r];
  if (r == evidence.table.reference) return out;
  out["against_mean"] = to_dict(row.tests.front());
  out["p_holm"] = row.p_holm.front();
  return out;
}

nb::tuple fusion_evidence(const Fusion& fusion, const FuseOptions& options) {
  const FusionEvidence evidence = stoppable(
      [&](const FuseObserver& observer) { return evaluate_fusion(fusion.joined, fusion.runs, options, observer); });
  nb::list rows;
  for (std::size_t r = 0; r < evidence.table.rows.size(); ++r) rows.append(fusion_row(evidence, r));
  const std::size_t learnt = evidence.row(FusionRowKind::learnt);
  const auto values = [&](std::size_t r) -> const std::vector<double>& {
    return evidence.table.rows[r].table.measures.front().per_query;
  };
  const bool by_query = evidence.row(FusionRowKind::by_query) < evidence.kinds.size();
  return nb::make_tuple(rows, evidence.fold_weights, queries_needed(values(learnt), values(evidence.table.reference)),
                        by_query ? nb::object(to_dict(evidence.by_query)) : nb::none());
}

/// Queries, documents and scores, best first within each query.
nb::tuple fused_run(const Fusion& fusion, const std::vector<double>& weights) {
  const Dataset& data = fusion.joined.data;
  if (weights.size() != data.num_features())
    throw Error(ErrorCode::bad_input, "another number of weights than of runs");
  const std::vector<double> scores = fused_scores(data, weights);
  nb::list queries, documents;
  std::vector<double> ordered;
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    const Query query = data.query(q);
    const std::string_view id = query.id;
    for (const std::uint32_t i : top_ranking(std::span(scores).subspan(query.first_document, query.size()))) {
      const std::string_view document = data.document_id(query.first_document + i);
      queries.append(nb::str(id.data(), id.size()));
      documents.append(nb::str(document.data(), document.size()));
      ordered.push_back(scores[query.first_document + i]);
    }
  }
  return nb::make_tuple(queries, documents, to_numpy(std::move(ordered)));
}

nb::list pairs_to_judge(const Fusion& fusion, std::size_t count) {
  nb::list out;
  for (const DocumentToJudge& each : documents_to_judge(fusion.joined, count))
    out.append(nb::make_tuple(each.query, each.document));
  return out;
}

nb::object fused_from_json(const nb::bytes& text, const std::string& name) {
  std::optional<FusedModel> fused = fused_model_from_json({text.c_str(), text.size()}, name);
  if (!fused) return nb::none();
  return nb::make_tuple(std::move(fused->model), std::move(fused->input), std::move(fused->low),
                        std::move(fused->high));
}

}  // namespace

void bind_fusion(nb::module_& module) {
  nb::class_<FuseOptions>(module, "FuseOptions")
      .def("__init__",
           [](FuseOptions* place, const std::string& measure, const std::string& convention, const std::string& weights,
              double C, double blend, std::size_t folds, std::uint64_t seed, std::size_t threads) {
             auto* const options = new (place) FuseOptions();
             options->measure = measure;
             options->convention = convention;
             options->learner = parse_fusion_learner(weights);
             options->C = C;
             options->blend = blend;
             options->folds = folds;
             options->seed = seed;
             options->threads = threads;
           });
  nb::class_<FusionInput>(module, "FusionInput")
      .def("__init__", &make_fusion_input, "runs"_a, "features"_a, "query_features"_a, "scale"_a, "absent"_a)
      .def_ro("runs", &FusionInput::runs)
      .def_ro("features", &FusionInput::features)
      .def_prop_ro("query_features", [](const FusionInput& input) { return ranges_of(input.query_features); })
      .def_prop_ro("scale", [](const FusionInput& input) { return std::string(name_of(input.scale)); })
      .def_prop_ro("absent", [](const FusionInput& input) { return std::string(name_of(input.absent)); })
      .def_prop_ro("columns", &FusionInput::column_names);
  nb::class_<Fusion>(module, "Fusion")
      .def("__init__", &make_fusion, "input"_a, "lists"_a, "judged"_a, "queries"_a.none(), "threads"_a)
      .def("learn", &learn_fusion, "options"_a)
      .def("evidence", &fusion_evidence, "options"_a)
      .def("run", &fused_run, "weights"_a)
      .def("to_judge", &pairs_to_judge, "count"_a)
      .def_prop_ro("input", [](const Fusion& fusion) { return fusion.joined.input; })
      .def_prop_ro("ranges", [](const Fusion& fusion) { return std::pair(fusion.joined.low, fusion.joined.high); })
      .def_prop_ro("judged_queries", [](const Fusion& fusion) { return fusion.joined.judged_queries; })
      .def_prop_ro("judged_by_run", [](const Fusion& fusion) { return fusion.joined.judged_by_run; });
  module.def("query_features_of", &judged_ranges, "table"_a, "judged"_a);
  module.def("weights_at", &weights_of_query, "input"_a, "weights"_a, "names"_a, "values"_a);
  module.def(
      "fused_to_json",
      [](const Model& model, const FusionInput& input, const std::vector<double>& low,
         const std::vector<double>& high) {
        const std::string text = to_json(FusedModel{model, input, low, high});
        return nb::bytes(text.data(), text.size());
      },
      "model"_a, "input"_a, "low"_a, "high"_a);
  module.def("fused_from_json", &fused_from_json, "text"_a, "name"_a);
}

}  // namespace dorm::python
