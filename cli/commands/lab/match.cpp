// SPDX-License-Identifier: Apache-2.0
// `dorm lab match`: graph matching, learnt from pairs of graphs with known correspondences.
#include "dorm/matching/match.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <sstream>

#include "command.h"
#include "command_line.h"
#include "dorm/error.h"
#include "dorm/matching/read_graphs.h"
#include "input/input.h"
#include "options/option_group.h"
#include "options/written_files.h"
#include "run/output.h"
#include "run/progress.h"
#include "run/stop.h"
#include "text/help.h"
#include "text/match_text.h"

namespace dorm::cli {
namespace {

constexpr const char* kMatchDescription =
    "Match the nodes of graphs, with weights learnt from pairs of graphs with known correspondences.\n"
    "\n"
    "train learns weights of node and edge similarities, so that the best assignment of nodes is the true\n"
    "one (Hamming loss), and writes a model; eval evaluates models on pairs, predict writes the matched nodes.\n"
    "Without a model all similarities have equal weights. NODES is a CSV of graph,node and\n"
    "features, --edges one of graph,from,to and features, --pairs one with a column for either graph. Nodes\n"
    "of the same id belong together unless --matches says otherwise. See docs/matching.md.";

constexpr const char* kMatchExamples =
    "Examples:\n"
    "  dorm lab match eval nodes.csv --edges edges.csv --pairs pairs.csv --where part=test\n"
    "  dorm lab match train nodes.csv --edges edges.csv --pairs pairs.csv --where part=train \\\n"
    "    --valid-where part=valid -C 1,10,100 --model m.json\n"
    "  dorm lab match eval nodes.csv m.json --edges edges.csv --pairs pairs.csv --where part=test\n"
    "  dorm lab match predict nodes.csv m.json --edges edges.csv --pairs new.csv -o matches.csv\n";

constexpr CatalogEntry kMatchActions[] = {
    {.name = "train", .usage = "train", .help = "learn a model from pairs with known matches"},
    {.name = "eval", .usage = "eval", .help = "mean Hamming loss of models on pairs with known matches"},
    {.name = "predict", .usage = "predict", .help = "the matched nodes: graph1,graph2,node1,node2"},
};

struct MatchArguments {
  std::string action, nodes, edges, pairs, matches, model, columns, where, valid, valid_where, trade_offs = "10";
  std::vector<std::string> models;
  std::string kind = "quadratic", similarity = "gaussian", scale = "deviation", solver = "bcda";
  std::string output = "-";
  bool directed = false;
  MatchOptions options;
};

std::vector<std::string> pieces_of(const std::string& list) {
  std::vector<std::string> pieces;
  std::stringstream in(list);
  for (std::string piece; std::getline(in, piece, ',');) pieces.push_back(piece);
  return pieces;
}

GraphPairColumns pair_columns(const MatchArguments& arguments, const std::string& where, const char* option) {
  GraphPairColumns columns;
  if (!arguments.columns.empty()) {
    const std::vector<std::string> names = pieces_of(arguments.columns);
    if (names.size() != 2)
      throw Error(ErrorCode::bad_option,
                  fmt::format("--pair-columns {}; expected two names, e.g. frame1,frame2", arguments.columns));
    columns.first = names[0];
    columns.second = names[1];
  }
  for (const std::string& condition : pieces_of(where)) {
    const std::size_t cut = condition.find('=');
    if (cut == std::string::npos || cut == 0)
      throw Error(ErrorCode::bad_option, fmt::format("{} {}; expected COLUMN=VALUE", option, condition));
    columns.where.emplace_back(condition.substr(0, cut), condition.substr(cut + 1));
  }
  return columns;
}

std::vector<GraphPair> load_pairs(const MatchArguments& arguments, const std::string& file, const GraphSet& set,
                                  const std::string& where, const char* option) {
  std::vector<GraphPair> pairs = read_graph_pairs(file, set, pair_columns(arguments, where, option));
  if (!arguments.matches.empty())
    read_graph_matches(arguments.matches, set, pairs);
  else
    for (GraphPair& pair : pairs) pair = pair_by_id(set, pair.first, pair.second);
  return pairs;
}

MatchOptions match_options(const MatchArguments& arguments, const Settings& settings) {
  MatchOptions options = arguments.options;
  options.kind = parse_match_kind(arguments.kind);
  options.similarity = parse_similarity(arguments.similarity);
  options.scale = parse_match_scale(arguments.scale);
  options.solve.solver = parse_solver(arguments.solver);
  options.compute.threads = settings.threads;
  if (options.kind == MatchKind::quadratic && arguments.edges.empty())
    throw Error(ErrorCode::bad_option, "--kind quadratic needs the edges: expected --edges FILE, or --kind linear");
  return options;
}

std::vector<double> trade_offs_of(const MatchArguments& arguments) {
  std::vector<double> values;
  for (const std::string& piece : pieces_of(arguments.trade_offs))
    values.push_back(parse_number<double>("-C", piece, number_above(0)));
  require_option(!values.empty(), "-C", "expected a number above 0");
  return values;
}

void run_match_train(const MatchArguments& arguments, const GraphSet& set, const Settings& settings) {
  require_option(!arguments.model.empty(), "--model FILE", "expected where to write the model");
  if (!arguments.models.empty())
    throw Error(ErrorCode::bad_option, fmt::format("train takes no MODEL; found {}", arguments.models[0]));
  const MatchOptions options = match_options(arguments, settings);
  const std::vector<double> trade_offs = trade_offs_of(arguments);
  const bool choosing = !arguments.valid.empty() || !arguments.valid_where.empty();
  if (!choosing && trade_offs.size() > 1)
    throw Error(ErrorCode::bad_option, "several C; expected --valid or --valid-where with pairs to choose by");
  const std::vector<GraphPair> pairs = load_pairs(arguments, arguments.pairs, set, arguments.where, "--where");
  const StopRequest stop;
  LiveLine line;
  const Observer observer = [&](const Progress& progress) {
    if (!settings.quiet && line.due())
      line.show(
          fmt::format("dorm: pass {}, gap {:.2g}, {}", progress.pass, progress.gap, duration_text(line.seconds())));
    return stop.signal() == 0;
  };
  ChosenMatch chosen;
  if (choosing) {
    const std::string& file = arguments.valid.empty() ? arguments.pairs : arguments.valid;
    const std::vector<GraphPair> validation = load_pairs(arguments, file, set, arguments.valid_where, "--valid-where");
    chosen = choose_match(set, pairs, validation, trade_offs, options, observer);
  } else {
    MatchOptions at = options;
    at.C = trade_offs[0];
    chosen.best = train_match(set, pairs, at, observer);
  }
  save_match_model(chosen.best.model, arguments.model);
  if (stop.signal() != 0) warn(settings, "interrupted; the model is the best so far");
  if (arguments.model != "-")
    print(settings.json ? match_training_json(chosen, arguments.model) : match_training_text(chosen, arguments.model));
  if (stop.signal() != 0) throw Stopped{stop.signal()};
}

/// The models of the arguments, or one with equal weights.
std::vector<NamedMatchModel> load_match_models(const MatchArguments& arguments, const GraphSet& set,
                                               std::span<const GraphPair> pairs, const Settings& settings) {
  std::vector<NamedMatchModel> models;
  for (const std::string& path : arguments.models) models.push_back({path, load_match_model(path)});
  if (models.empty()) models.push_back({"unlearnt", unlearnt_match(set, pairs, match_options(arguments, settings))});
  return models;
}

void run_match_eval(const MatchArguments& arguments, const GraphSet& set, const Settings& settings) {
  if (arguments.output != "-") throw Error(ErrorCode::bad_option, "-o is for predict; eval prints its table");
  const std::vector<GraphPair> pairs = load_pairs(arguments, arguments.pairs, set, arguments.where, "--where");
  std::vector<EvaluatedMatchModel> evaluated;
  for (NamedMatchModel& model : load_match_models(arguments, set, pairs, settings)) {
    const auto outcomes = about_file(model.name, [&] {
      return predict_matches(model.model, set, pairs, arguments.options.steps, settings.threads);
    });
    evaluated.push_back(evaluate_matches(std::move(model), outcomes));
  }
  print(settings.json ? match_eval_json(evaluated) : match_eval_text(evaluated, pairs.size()));
}

void run_match_predict(const MatchArguments& arguments, const GraphSet& set, const Settings& settings) {
  if (arguments.models.size() > 1)
    throw Error(ErrorCode::bad_option, fmt::format("predict takes one MODEL; found {}", arguments.models.size()));
  const std::vector<GraphPair> pairs =
      read_graph_pairs(arguments.pairs, set, pair_columns(arguments, arguments.where, "--where"));
  const NamedMatchModel model = load_match_models(arguments, set, pairs, settings)[0];
  const auto outcomes = about_file(
      model.name, [&] { return predict_matches(model.model, set, pairs, arguments.options.steps, settings.threads); });
  write_text(arguments.output, settings.json ? matches_jsonl(set, pairs, outcomes) : matches_csv(set, pairs, outcomes));
}

void run_match(const MatchArguments& arguments, const Settings& settings) {
  require_option(!arguments.action.empty(), "ACTION", "expected train, eval or predict");
  const auto known = std::find_if(std::begin(kMatchActions), std::end(kMatchActions),
                                  [&](const CatalogEntry& entry) { return entry.name == arguments.action; });
  if (known == std::end(kMatchActions)) throw_unknown_name("action", arguments.action, kMatchActions);
  require_option(!arguments.nodes.empty(), "NODES", "expected a CSV of graph,node and features");
  require_option(!arguments.pairs.empty(), "--pairs FILE", "expected a CSV with a column for either graph");
  const GraphSet set = read_graphs(arguments.nodes, arguments.edges, arguments.directed);
  if (arguments.action == "train") return run_match_train(arguments, set, settings);
  if (arguments.action == "eval") return run_match_eval(arguments, set, settings);
  run_match_predict(arguments, set, settings);
}

void add_match_learning(CLI::App& app, MatchArguments& arguments) {
  const OptionGroup learning(app, "Learning problem"), solving(app, "Solving");
  MatchOptions& o = arguments.options;
  learning.add("--kind", arguments.kind, "NAME", "linear: nodes alone; quadratic: nodes and edges (quadratic)");
  learning.add("--similarity", arguments.similarity, "NAME", "of features: gaussian or squared (gaussian)");
  learning.add("--scale", arguments.scale, "NAME", "differences of features in: deviation or none (deviation)");
  learning.flag("--unmatched", o.unmatched,
                "any node may stay without a partner; else all of the smaller graph\nhave one");
  learning.list("-C,--C", arguments.trade_offs, "LIST",
                "weight of the loss against 1/2 |w|^2; several: the pairs to choose by\ndecide (10)");
  learning.number("--rounds", o.rounds, whole_from(1, 100), "N",
                  fmt::format("quadratic: solved so often, with a tighter bound every time ({})", o.rounds));
  learning.number("--edge-weight", o.edge_weight, number_from(0), "X",
                  "without a model: weight of the edges, that of the nodes being 1 (1)");
  solving.number("--steps", o.steps, whole_from(0, 1e6), "N",
                 fmt::format("quadratic: most steps of tightening a bound ({})", o.steps));
  solving.add("--solver", arguments.solver, "NAME", "how each round is solved, as in dorm train (bcda)");
  solving.number("--tolerance", o.solve.tolerance, number_within(0, 1), "X",
                 fmt::format("relative duality gap to reach ({})", o.solve.tolerance));
  solving.number("--passes", o.solve.max_passes, whole_from(1), "N",
                 fmt::format("most passes over the pairs in a round ({})", o.solve.max_passes));
  solving.number("--time-limit", o.solve.seconds, number_from(0), "S", "seconds of a training; 0: none (0)");
  solving.number("--seed", o.solve.seed, whole_from(0), "N", "of the order of pairs (1)");
}

}  // namespace

Action declare_lab_match(CLI::App& app, const Settings& settings) {
  auto arguments = std::make_shared<MatchArguments>();
  const OptionGroup files(app, "Files");
  app.add_option("ACTION", arguments->action, "train, eval or predict");
  app.add_option("NODES", arguments->nodes, "CSV of graph,node and features; .gz and .zst too");
  app.add_option("MODEL", arguments->models, "eval, predict: models of dorm lab match train; none: equal weights");
  files.add("--edges", arguments->edges, "FILE", "CSV of graph,from,to and features");
  files.flag("--directed", arguments->directed, "edges have a direction");
  files.add("--pairs", arguments->pairs, "FILE", "CSV with a column for either graph");
  files.add("--pair-columns", arguments->columns, "A,B", "names of these columns (the first two)");
  files.list("--where", arguments->where, "COLUMN=VALUE", "only pairs with these values");
  files.add("--matches", arguments->matches, "FILE",
            "true partners: CSV of graph1,graph2,node1,node2 (nodes of the same id)");
  files.add("--valid", arguments->valid, "FILE", "train: pairs to choose C by (those of --pairs)");
  files.list("--valid-where", arguments->valid_where, "COLUMN=VALUE", "train: only pairs with these values choose C");
  written(files.add("--model", arguments->model, "FILE", "train: where to write the model"));
  written(files.add("-o,--output", arguments->output, "FILE", "predict: where to write; - is standard output (-)"));
  add_match_learning(app, *arguments);
  app.description(kMatchDescription);
  app.footer(fmt::format("{}\n{}\n{}\n{}\n{}", kMatchExamples, catalog_text("Actions", kMatchActions),
                         catalog_text("Kinds", match_kind_catalog()),
                         catalog_text("Similarities", similarity_catalog()),
                         catalog_text("Scales", match_scale_catalog())));
  return [arguments, &settings] { run_match(*arguments, settings); };
}

}  // namespace dorm::cli
