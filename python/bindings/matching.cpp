// SPDX-License-Identifier: Apache-2.0
// Graphs, and learning to match them.
#include <fmt/format.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.h"
#include "bindings.h"
#include "dorm/error.h"
#include "dorm/matching/match.h"
#include "reports.h"
#include "watcher.h"

namespace dorm::python {
namespace {

using namespace nb::literals;
template <class T>
using Table = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class T>
std::vector<T> values_of(const Table<T>& table) {
  return {table.data(), table.data() + table.size()};
}

void add_graph(GraphSet& set, const std::string& name, std::vector<std::string> ids, const Table<double>& nodes,
               const Table<std::uint32_t>& edges, const Table<double>& edge_values) {
  Graph graph;
  graph.nodes = IdTable(std::move(ids));
  graph.node_values = values_of(nodes);
  for (std::size_t e = 0; e < edges.shape(0); ++e)
    graph.edges.push_back({edges.data()[2 * e], edges.data()[2 * e + 1]});
  graph.edge_values = values_of(edge_values);
  if (set.names.add(name) != set.graphs.size())
    throw Error(ErrorCode::bad_input, fmt::format("graph {} appears twice", name));
  set.graphs.push_back(std::move(graph));
}

/// One row per pair: two graphs; and their true partners, -1 for none, or no list at all.
std::vector<GraphPair> pairs_of(const Table<std::uint32_t>& graphs, const std::vector<Vector<std::int64_t>>& matches) {
  std::vector<GraphPair> pairs;
  for (std::size_t p = 0; p < graphs.shape(0); ++p) {
    GraphPair pair{graphs.data()[2 * p], graphs.data()[2 * p + 1]};
    if (p < matches.size())
      for (const std::int64_t partner : span_of(matches[p])) {
        if (partner < -1 || partner >= std::int64_t{kUnmatched})
          throw Error(
              ErrorCode::bad_input,
              fmt::format("pair {}: partner {}; expected the number of a node, or -1 for none", p + 1, partner));
        pair.match.push_back(partner < 0 ? kUnmatched : static_cast<std::uint32_t>(partner));
      }
    pairs.push_back(std::move(pair));
  }
  return pairs;
}

nb::dict round_dict(const MatchRound& round) {
  nb::dict out;
  out["primal"] = round.primal;
  out["dual"] = round.dual;
  out["gap"] = round.gap;
  out["passes"] = round.passes;
  out["looseness"] = round.looseness;
  out["seconds"] = round.seconds;
  return out;
}

nb::dict report_of(const ChosenMatch& chosen, bool interrupted) {
  nb::list rounds, candidates;
  for (const MatchRound& round : chosen.best.rounds) rounds.append(round_dict(round));
  for (const MatchCandidate& each : chosen.candidates) {
    nb::dict entry;
    entry["C"] = each.C;
    entry["validation_loss"] = each.validation_loss;
    entry["training_loss"] = each.training_loss;
    entry["gap"] = each.gap;
    entry["looseness"] = each.looseness;
    entry["seconds"] = each.seconds;
    candidates.append(entry);
  }
  nb::dict out;
  out["rounds"] = rounds;
  out["candidates"] = candidates;
  out["seconds"] = chosen.best.seconds;
  out["interrupted"] = interrupted;
  return out;
}

/// The first `training` pairs are learnt from; the others, where there are any, choose among the trade-offs.
nb::tuple train_matches(const GraphSet& set, const Table<std::uint32_t>& graphs,
                        const std::vector<Vector<std::int64_t>>& matches, std::size_t training,
                        const std::vector<double>& trade_offs, const MatchOptions& options, nb::object callback) {
  const std::vector<GraphPair> all = pairs_of(graphs, matches);
  const std::span<const GraphPair> pairs = std::span(all).first(training),
                                   validation = std::span(all).subspan(training);
  Watcher watcher(std::move(callback));
  ChosenMatch chosen;
  {
    const nb::gil_scoped_release unlocked;
    const Observer observer = [&](const Progress& progress) {
      return watcher.go_on(progress.evaluated, [&] { return solver_progress(progress); });
    };
    if (validation.empty()) {
      MatchOptions at = options;
      at.C = trade_offs.at(0);
      chosen.best = train_match(set, pairs, at, observer);
    } else {
      chosen = choose_match(set, pairs, validation, trade_offs, options, observer);
    }
  }
  watcher.rethrow();
  nb::dict report = report_of(chosen, watcher.interrupted());
  return nb::make_tuple(std::move(chosen.best.model), report);
}

/// For every pair: partners (-1: none), score, bound.
nb::list predict_pairs(const MatchModel& model, const GraphSet& set, const Table<std::uint32_t>& graphs,
                       std::size_t steps, std::size_t threads) {
  const std::vector<GraphPair> pairs = pairs_of(graphs, {});
  std::vector<PairOutcome> outcomes;
  {
    const nb::gil_scoped_release unlocked;
    outcomes = predict_matches(model, set, pairs, steps, threads);
  }
  nb::list out;
  for (const PairOutcome& each : outcomes) {
    std::vector<std::int64_t> match;
    for (const std::uint32_t partner : each.match) match.push_back(partner == kUnmatched ? -1 : std::int64_t{partner});
    out.append(nb::make_tuple(to_numpy(std::move(match)), each.score, each.bound, each.proven()));
  }
  return out;
}

nb::dict match_certificate(const MatchModel& model) {
  nb::dict out;
  out["status"] = model.status;
  out["primal"] = model.primal;
  out["dual"] = model.dual;
  out["gap"] = model.gap;
  out["loss_bound"] = model.loss_bound;
  out["looseness"] = model.looseness;
  out["training_loss"] = model.training_loss;
  out["below_truth"] = model.below_truth;
  out["validation_loss"] = model.validation_loss;
  return out;
}

void bind_match_options(nb::module_& module) {
  using O = MatchOptions;
  nb::class_<O>(module, "MatchOptions")
      .def(nb::init<>())
      .def_prop_rw(
          "kind", [](const O& o) { return std::string(name_of(o.kind)); },
          [](O& o, const std::string& name) { o.kind = parse_match_kind(name); })
      .def_prop_rw(
          "similarity", [](const O& o) { return std::string(name_of(o.similarity)); },
          [](O& o, const std::string& name) { o.similarity = parse_similarity(name); })
      .def_prop_rw(
          "scale", [](const O& o) { return std::string(name_of(o.scale)); },
          [](O& o, const std::string& name) { o.scale = parse_match_scale(name); })
      .def_prop_rw(
          "solver", [](const O& o) { return std::string(solver_name(o.solve.solver)); },
          [](O& o, const std::string& name) { o.solve.solver = parse_solver(name); })
      .def_rw("unmatched", &O::unmatched)
      .def_rw("C", &O::C)
      .def_rw("rounds", &O::rounds)
      .def_rw("steps", &O::steps)
      .def_rw("edge_weight", &O::edge_weight)
      .def_prop_rw(
          "tolerance", [](const O& o) { return o.solve.tolerance; }, [](O& o, double x) { o.solve.tolerance = x; })
      .def_prop_rw(
          "max_passes", [](const O& o) { return o.solve.max_passes; },
          [](O& o, std::uint64_t n) { o.solve.max_passes = n; })
      .def_prop_rw(
          "seconds", [](const O& o) { return o.solve.seconds; }, [](O& o, double x) { o.solve.seconds = x; })
      .def_prop_rw(
          "threads", [](const O& o) { return o.compute.threads; }, [](O& o, std::size_t n) { o.compute.threads = n; })
      .def_prop_rw(
          "seed", [](const O& o) { return o.solve.seed; }, [](O& o, std::uint64_t n) { o.solve.seed = n; })
      .def("validate", &O::validate);
}

}  // namespace

void bind_matching(nb::module_& module) {
  nb::class_<GraphSet>(module, "GraphSet", "Graphs with the same features.")
      .def("__init__",
           [](GraphSet* set, std::vector<std::string> node_features, std::vector<std::string> edge_features,
              bool directed) {
             new (set) GraphSet{std::move(node_features), std::move(edge_features), directed, {}, {}};
           })
      .def("add", &add_graph, "name"_a, "ids"_a, "nodes"_a.noconvert(), "edges"_a.noconvert(),
           "edge_values"_a.noconvert())
      .def("validate", &GraphSet::validate)
      .def("__len__", [](const GraphSet& set) { return set.graphs.size(); });
  bind_match_options(module);
  nb::class_<MatchModel>(module, "MatchModel", "Weights of node and edge similarities.")
      .def_prop_ro("kind", [](const MatchModel& model) { return std::string(name_of(model.kind)); })
      .def_ro("unmatched", &MatchModel::unmatched)
      .def_ro("directed", &MatchModel::directed)
      .def_ro("learnt", &MatchModel::learnt)
      .def_ro("C", &MatchModel::C)
      .def_ro("node_features", &MatchModel::node_features)
      .def_ro("edge_features", &MatchModel::edge_features)
      .def_prop_ro("weights", [](const MatchModel& model) { return to_numpy(std::vector<double>(model.weights)); })
      .def("weight_names", &MatchModel::weight_names)
      .def("certificate", &match_certificate)
      .def("predict", &predict_pairs, "graphs"_a, "pairs"_a.noconvert(), "steps"_a, "threads"_a)
      .def("to_json", [](const MatchModel& model) { return to_json(model); })
      .def_static("from_json",
                  [](const std::string& text, const std::string& name) { return match_model_from_json(text, name); })
      .def("save", [](const MatchModel& model, const std::string& path) { save_match_model(model, path); })
      .def_static("load", &load_match_model, "path"_a);
  module.def("train_match", &train_matches, "graphs"_a, "pairs"_a.noconvert(), "matches"_a, "training"_a,
             "trade_offs"_a, "options"_a, "callback"_a.none(),
             "The model and a report. callback(progress) returns true to stop; so does Ctrl-C.");
  module.def(
      "unlearnt_match",
      [](const GraphSet& set, const Table<std::uint32_t>& graphs, const MatchOptions& options) {
        return unlearnt_match(set, pairs_of(graphs, {}), options);
      },
      "graphs"_a, "pairs"_a.noconvert(), "options"_a, "All similarities weigh the same.");
}

}  // namespace dorm::python
