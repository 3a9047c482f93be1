// SPDX-License-Identifier: Apache-2.0
// `dorm rank`: the scores and rankings of a model.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <numeric>

#include "base/json.h"
#include "command.h"
#include "command_line.h"
#include "dorm/data/one_per.h"
#include "dorm/error.h"
#include "dorm/fusion/fused_model.h"
#include "dorm/model.h"
#include "dorm/ranking/group_lists.h"
#include "input/input.h"
#include "input/runs_input.h"
#include "options/device_options.h"
#include "options/list_options.h"
#include "options/option_group.h"
#include "options/written_files.h"
#include "run/output.h"
#include "text/help.h"

namespace dorm::cli {
namespace {

constexpr const char* kRankDescription =
    "Rank documents by a model.\n"
    "\n"
    "Features are matched by name. Printed numbers read back as the same doubles; equal scores keep the order of\n"
    "the file. A model with a function per position ranks by assignment, and its scores are minus the rank.\n"
    "With --topics and --limits each list of --top documents keeps the limits.";

constexpr const char* kRankExamples =
    "Examples:\n"
    "  dorm rank m.json test.txt -o test.scores\n"
    "  dorm rank m.json test.txt --format order --top 10\n"
    "  dorm rank m.json test.txt --format trec -o test.run\n"
    "  dorm rank m.json new.csv --format order --query 42\n"
    "  tail -n 100 new.jsonl | dorm rank m.json - --format jsonl\n"
    "  dorm rank m.json test.txt --format order --top 10 --topics topics.csv --limits limits.csv\n"
    "  dorm rank m.json test.csv --format order --one-per host --top 10\n"
    "  dorm rank fused.json bm25.run dense.run --format trec -o fused.run\n";

constexpr std::array<CatalogEntry, 4> kRankFormats = {{
    {.name = "scores", .usage = "scores", .help = "one score per line, in the order of the rows of DATA"},
    {.name = "order",
     .usage = "order",
     .help = "per query, best first: qid, rank, document, score; tab-separated, with a header"},
    {.name = "trec", .usage = "trec", .help = "TREC run: qid Q0 document rank score dorm"},
    {.name = "jsonl", .usage = "jsonl", .help = "one JSON object per query: qid, ranking of {document, row, score}"},
}};

struct RankArguments {
  std::string model, data, ranking_format = "scores", output = "-";
  std::vector<std::string> files;  // of DATA: several are the runs that a fused model fuses
  std::string one_per;             // empty: as the model was trained
  std::size_t top = 0;
  std::vector<std::string> queries;  // empty: all
  TopicArguments topics;
  DeviceArguments device;
  InputArguments input;
};

std::string scores_text(const Dataset& data, std::span<const double> scores) {
  std::vector<std::size_t> document_of(scores.size());
  std::iota(document_of.begin(), document_of.end(), std::size_t{0});
  std::sort(document_of.begin(), document_of.end(),
            [&](std::size_t a, std::size_t b) { return data.source_row(a) < data.source_row(b); });
  std::string text;
  for (const std::size_t d : document_of) text += fmt::format("{}\n", scores[d]);
  return text;
}

std::string json_line(const Dataset& data, std::string_view id, std::span<const std::size_t> order,
                      std::span<const double> scores) {
  Json ranking = Json::array();
  for (const std::size_t d : order)
    ranking.push_back({{"document", data.document_name(d)}, {"row", data.source_row(d) + 1}, {"score", scores[d]}});
  return printable_json({{"qid", id}, {"ranking", std::move(ranking)}}) + "\n";
}

std::string ranking_text(const Dataset& data, const std::vector<Ranking>& rankings, std::span<const double> scores,
                         const RankArguments& arguments) {
  const bool trec = arguments.ranking_format == "trec";
  std::string text = arguments.ranking_format == "order" ? "qid\trank\tdocument\tscore\n" : "";
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    const Query query = data.query(q);
    std::vector<std::size_t> order;
    for (const std::uint32_t i : rankings[q]) order.push_back(query.first_document + i);
    if (arguments.ranking_format == "jsonl") {
      text += json_line(data, query.id, order, scores);
      continue;
    }
    for (std::size_t rank = 0; rank < order.size(); ++rank) {
      const std::string name = data.document_name(order[rank]);
      text += trec ? fmt::format("{} Q0 {} {} {} dorm\n", query.id, name, rank + 1, scores[order[rank]])
                   : fmt::format("{}\t{}\t{}\t{}\n", query.id, rank + 1, name, scores[order[rank]]);
    }
  }
  return text;
}

// The mistakes that show before any file is read.
void check(const RankArguments& arguments) {
  require_option(!arguments.model.empty(), "MODEL", "expected a model written by dorm train");
  require_option(!arguments.data.empty(), "DATA", "expected the documents to rank");
  if (std::none_of(kRankFormats.begin(), kRankFormats.end(),
                   [&](const CatalogEntry& entry) { return entry.name == arguments.ranking_format; }))
    throw_unknown_name("format", arguments.ranking_format, kRankFormats);
  arguments.device.check();
  const bool one_per = !arguments.one_per.empty() && arguments.one_per != "none";
  if (one_per) parse_one_per(arguments.one_per);
  if (one_per && arguments.topics.given())
    throw Error(ErrorCode::unsupported, "--one-per excludes --topics; expected one of them");
  if (arguments.ranking_format != "scores") return;
  const auto refuse = [](std::string_view what) {
    throw Error(ErrorCode::bad_option, fmt::format("{}; expected --format order, trec or jsonl", what));
  };
  if (arguments.top > 0) refuse("--top needs a ranking");
  if (one_per) refuse("--one-per leaves documents out, so it needs a ranking");
  if (arguments.topics.given()) refuse("--topics gives lists, which scores cannot express");
}

std::vector<Ranking> rankings_of(const Model& model, const Dataset& data, std::span<const double> scores,
                                 const RankArguments& arguments, const Settings& settings) {
  if (arguments.topics.given())
    return ranked_under_topics(model, data, scores, arguments.topics, arguments.top, settings);
  const std::string one_per = arguments.one_per.empty()     ? model.one_per
                              : arguments.one_per == "none" ? ""
                                                            : arguments.one_per;
  if (one_per.empty()) return sorted_rankings(data, scores, arguments.top);
  const std::vector<GroupLimits> groups = group_limits(data, parse_one_per(one_per));
  std::vector<Ranking> rankings;
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    const Query query = data.query(q);
    const Ranking all = sorted_ranking(data, q, scores.subspan(query.first_document, query.size()));
    rankings.push_back(admit(all, groups[q], arguments.top));
  }
  return rankings;
}

Dataset selected(const Dataset& data, const RankArguments& arguments) {
  if (arguments.queries.empty()) return data;
  std::map<std::string_view, std::size_t> place;
  for (std::size_t q = 0; q < data.num_queries(); ++q) place.emplace(data.query(q).id, q);
  std::vector<std::size_t> chosen;
  for (const std::string& id : arguments.queries) {
    const auto found = place.find(id);
    if (found != place.end()) {
      chosen.push_back(found->second);
      continue;
    }
    std::vector<std::string> ids;
    for (const auto& entry : place) ids.emplace_back(entry.first);
    std::vector<CatalogEntry> known;
    for (const std::string& each : ids) known.push_back({.name = each, .usage = {}, .help = {}});
    throw_unknown_name(fmt::format("query of {}", arguments.data), id,
                       std::span(known).first(std::min<std::size_t>(known.size(), 1000)));
  }
  return data.select(chosen);
}

// A feature that is scaled within a query says nothing where the query has one document.
void warn_of_single_documents(const Model& model, const Dataset& data, const RankArguments& arguments,
                              const Settings& settings) {
  std::size_t single = 0;
  for (std::size_t q = 0; q < data.num_queries(); ++q) single += data.query(q).size() == 1;
  if (!model.scaling.per_query() || single == 0) return;
  warn(settings, fmt::format("{}: {} of {} queries have one document, and the model scales features within each query "
                             "({}): such a document always has the same score. A model trained with --scale "
                             "log-zscore scores documents by themselves",
                             arguments.data, single, data.num_queries(), name_of(model.scaling.kind)));
}

void run_rank(RankArguments arguments, const Settings& settings) {
  if (settings.json || arguments.ranking_format == "json") arguments.ranking_format = "jsonl";
  arguments.data = fmt::format("{}", fmt::join(arguments.files, ","));
  check(arguments);
  const AnyModel any = load_any_model(arguments.model);
  const auto* by_position = std::get_if<PositionModel>(&any);
  if (by_position && (arguments.topics.given() || !arguments.one_per.empty()))
    throw Error(ErrorCode::unsupported, {arguments.model},
                "--topics and --one-per need a linear model; this one ranks by position");
  if (by_position) arguments.device.require_cpu("models by position are");
  const Model& expecting = by_position ? by_position->shared : std::get<Model>(any);
  Expected expected = expected_by(expecting, false);
  const std::optional<FusedModel> fused = names_runs(arguments.data) ? load_fused_model(arguments.model) : std::nullopt;
  if (fused) expected.fusion = &fused->input;
  const Dataset data = selected(load(arguments.data, arguments.input, settings, expected).data, arguments);
  warn_of_single_documents(expecting, data, arguments, settings);
  std::vector<Ranking> rankings;
  std::vector<double> scores;
  if (by_position) {
    rankings = about_file(arguments.data, [&] { return rank(*by_position, data, settings.threads); });
    scores = scores_of_rankings(data, rankings);
    if (arguments.top > 0) rankings = sorted_rankings(data, scores, arguments.top);
  } else {
    const Model& model = std::get<Model>(any);
    about_file(arguments.data, [&] {
      scores = score(model, data, arguments.device.with(settings));
      if (arguments.ranking_format != "scores") rankings = rankings_of(model, data, scores, arguments, settings);
    });
  }
  write_text(arguments.output, arguments.ranking_format == "scores" ? scores_text(data, scores)
                                                                    : ranking_text(data, rankings, scores, arguments));
}

}  // namespace

Action declare_rank(CLI::App& app, const Settings& settings) {
  auto arguments = std::make_shared<RankArguments>();
  app.add_option("MODEL", arguments->model,
                 "model of dorm train or dorm tune, or trees of LightGBM, XGBoost,\nCatBoost, RankLib or ONNX");
  app.add_option("DATA", arguments->files,
                 "documents: LETOR, CSV, TSV, JSON lines or .dorm; labels may be\nmissing; - is standard input; "
                 "a\nfolder or quoted pattern of .dorm files; of a model of dorm fuse, its runs");
  app.add_option("--format", arguments->ranking_format, "scores, order, trec or jsonl; see below (scores)")
      ->option_text("NAME")
      ->group("Output");
  OptionGroup(app, "Output")
      .number("--top", arguments->top, whole_from(0), "N", "only the first N documents of each query; 0: all (0)");
  app.add_option("--query", arguments->queries, "only this query; may be repeated")
      ->option_text("ID")
      ->expected(1)
      ->take_all()
      ->group("Output");
  add_one_per_option(app, arguments->one_per, arguments->input, "Output",
                     "only the best document (or k) of each group: group, host, domain, a\nCSV column, or none "
                     "(that of the model)");
  written(app.add_option("-o,--output", arguments->output, "where to write; - is standard output (-)"))
      ->option_text("FILE")
      ->group("Output");
  add_device_options(app, arguments->device, "Scoring");
  add_topic_options(app, arguments->topics);
  add_fusion_options(OptionGroup(app, "Fused models"), arguments->input);
  add_input_options(app, arguments->input);
  app.description(kRankDescription);
  app.footer(fmt::format("{}\n{}", kRankExamples, catalog_text("Formats", kRankFormats)));
  return [arguments, &settings] { run_rank(*arguments, settings); };
}

}  // namespace dorm::cli
