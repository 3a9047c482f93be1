// SPDX-License-Identifier: Apache-2.0
// `dorm rank`: the scores and rankings of a model.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <nlohmann/json.hpp>

#include "command.h"
#include "dorm/error.h"
#include "dorm/model.h"
#include "dorm/one_per.h"
#include "help.h"
#include "input.h"
#include "output.h"
#include "usage.h"

namespace dorm::cli {
namespace {

constexpr const char* kDescription =
    "Rank documents by a model.\n"
    "\n"
    "Features are matched by name. Numbers are printed so that they read back as the same doubles; equal\n"
    "scores keep the order of the file.";

constexpr const char* kExamples =
    "Examples:\n"
    "  dorm rank m.json test.txt -o test.scores\n"
    "  dorm rank m.json test.txt --format order --top 10\n"
    "  dorm rank m.json test.txt --format trec -o test.run\n"
    "  dorm rank m.json test.csv --format order --one-per host --top 10\n";

constexpr std::array<CatalogEntry, 4> kFormats = {{
    {.name = "scores", .usage = "scores", .help = "one score per line, in the order of the rows of DATA"},
    {.name = "order",
     .usage = "order",
     .help = "per query, best first: qid, rank, document, score; with tabs and a header"},
    {.name = "trec", .usage = "trec", .help = "TREC run: qid Q0 document rank score dorm"},
    {.name = "json",
     .usage = "json",
     .help = "one JSON object per query and line: qid, ranking of {document, row, score}"},
}};

struct RankArguments {
  std::string model, data, ranking_format = "scores", output = "-";
  std::string one_per;  // empty: as the model was trained
  std::size_t top = 0;
  InputArguments input;
};

// A document without an id is called by its row, counted from 1.
std::string document_name(const Dataset& data, std::size_t document) {
  const std::string_view id = data.document_id(document);
  return id.empty() ? std::to_string(data.source_row(document) + 1) : std::string(id);
}

std::string scores_text(const Dataset& data, std::span<const double> scores) {
  std::vector<std::size_t> document_of(scores.size());
  for (std::size_t d = 0; d < scores.size(); ++d) document_of[data.source_row(d)] = d;
  std::string text;
  for (const std::size_t d : document_of) text += fmt::format("{}\n", scores[d]);
  return text;
}

std::string json_line(const Dataset& data, std::string_view id, std::span<const std::size_t> order,
                      std::span<const double> scores) {
  nlohmann::ordered_json ranking = nlohmann::ordered_json::array();
  for (const std::size_t d : order)
    ranking.push_back(
        {{"document", document_name(data, d)}, {"row", data.source_row(d) + 1}, {"score", scores[d]}});
  return nlohmann::ordered_json({{"qid", id}, {"ranking", std::move(ranking)}}).dump() + "\n";
}

std::string ranking_text(const Dataset& data, std::span<const double> scores, const RankArguments& arguments,
                         const std::string& one_per) {
  std::vector<GroupLimits> groups;
  if (!one_per.empty()) groups = group_limits(data, parse_one_per(one_per));
  const bool trec = arguments.ranking_format == "trec";
  std::string text = arguments.ranking_format == "order" ? "qid\trank\tdocument\tscore\n" : "";
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    const Query query = data.query(q);
    std::vector<std::size_t> order;
    const std::span<const double> own = scores.subspan(query.first_document, query.size());
    for (const std::uint32_t i :
         groups.empty() ? top_ranking(own, arguments.top) : top_ranking(own, groups[q], arguments.top))
      order.push_back(query.first_document + i);
    if (arguments.ranking_format == "json") {
      text += json_line(data, query.id, order, scores);
      continue;
    }
    for (std::size_t rank = 0; rank < order.size(); ++rank) {
      const std::string name = document_name(data, order[rank]);
      text += trec ? fmt::format("{} Q0 {} {} {} dorm\n", query.id, name, rank + 1, scores[order[rank]])
                   : fmt::format("{}\t{}\t{}\t{}\n", query.id, rank + 1, name, scores[order[rank]]);
    }
  }
  return text;
}

void run_rank(RankArguments arguments, const Settings& settings) {
  require_option(!arguments.model.empty(), "MODEL", "expected a model written by dorm train");
  require_option(!arguments.data.empty(), "DATA", "expected the documents to rank");
  if (settings.json) arguments.ranking_format = "json";
  if (std::none_of(kFormats.begin(), kFormats.end(),
                   [&](const CatalogEntry& entry) { return entry.name == arguments.ranking_format; }))
    throw_unknown_name("format", arguments.ranking_format, kFormats);
  if (arguments.top > 0 && arguments.ranking_format == "scores")
    throw Error(ErrorCode::bad_option,
                "--top needs a ranking; expected --format order, trec or json beside it");
  if (!arguments.one_per.empty() && arguments.one_per != "none") {
    parse_one_per(arguments.one_per);
    if (arguments.ranking_format == "scores")
      throw Error(
          ErrorCode::bad_option,
          "--one-per leaves documents out, so it needs a ranking; expected --format order, trec or json "
          "beside it");
  }
  const Model model = load_model(arguments.model);
  const Dataset data = load(arguments.data, arguments.input, settings).data;
  const std::vector<double> scores = score(model, data, settings.threads);
  const std::string one_per = arguments.one_per.empty()     ? model.one_per
                              : arguments.one_per == "none" ? ""
                                                            : arguments.one_per;
  write_text(arguments.output, arguments.ranking_format == "scores"
                                   ? scores_text(data, scores)
                                   : ranking_text(data, scores, arguments, one_per));
}

}  // namespace

Action declare_rank(CLI::App& app, const Settings& settings) {
  auto arguments = std::make_shared<RankArguments>();
  app.add_option("MODEL", arguments->model, "model written by dorm train or dorm tune");
  app.add_option("DATA", arguments->data, "documents: LETOR, CSV, TSV or .dorm; labels are not used");
  app.add_option("--format", arguments->ranking_format, "scores, order, trec or json; see below (scores)")
      ->option_text("NAME")
      ->group("Output");
  app.add_option("--top", arguments->top, "only the first N documents of each query; 0: all (0)")
      ->option_text("N")
      ->group("Output");
  add_one_per_option(
      app, arguments->one_per, arguments->input, "Output",
      "best document (or k) of each group, then sorted; the others are\nleft out. group, host, "
      "domain, a CSV column, or none\n(as the model was trained)");
  app.add_option("-o,--output", arguments->output, "where to write; - is standard output (-)")
      ->option_text("FILE")
      ->group("Output");
  add_input_options(app, arguments->input, "--input-format");
  app.description(kDescription);
  app.footer(fmt::format("{}\n{}", kExamples, catalog_page("Formats", kFormats)));
  return [arguments, &settings] { run_rank(*arguments, settings); };
}

}  // namespace dorm::cli
