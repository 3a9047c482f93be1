// SPDX-License-Identifier: Apache-2.0
// `dorm explain`: contributions of features to the scores of documents.
#include "dorm/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>

#include "command.h"
#include "command_line.h"
#include "dorm/error.h"
#include "dorm/fusion/fused_model.h"
#include "input/input.h"
#include "input/runs_input.h"
#include "options/option_group.h"
#include "options/written_files.h"
#include "run/output.h"
#include "text/explain_text.h"
#include "text/help.h"
#include "text/messages.h"
#include "text/style.h"

namespace dorm::cli {
namespace {

constexpr const char* kExplainDescription =
    "Explain the ranking of a query by the contributions of features.\n"
    "\n"
    "A linear score is a sum: for each document, the largest contributions of features, and their differences\n"
    "to the mean over the documents of the query. With --against: the difference of two documents, feature by\n"
    "feature, and the value of one feature at which they would swap. For trees: Shapley values, which sum to the\n"
    "score less its mean in training. For a kernel: the change of the score when one feature is at its mean.\n"
    "Labels are not needed.";

constexpr const char* kExplainExamples =
    "Examples:\n"
    "  dorm explain m.json test.txt --query 812\n"
    "  dorm explain m.json test.txt --query 812 --top 3 --features 10\n"
    "  dorm explain m.json test.txt --query 812 --document d7 --against d3\n"
    "  dorm explain m.json test.txt --format jsonl -o why.jsonl\n";

constexpr std::array<CatalogEntry, 3> kExplainFormats = {{
    {.name = "text", .usage = "text", .help = "tables"},
    {.name = "jsonl", .usage = "jsonl", .help = "one JSON object per document; all features, all queries"},
    {.name = "csv", .usage = "csv", .help = "one line per document and feature; all features, all queries"},
}};
constexpr std::size_t kFeaturesInText = 5;

struct ExplainArguments {
  std::string model, data, format = "text", output = "-", against;
  std::vector<std::string> queries, documents;
  std::size_t top = 10;
  std::optional<std::size_t> features;
  InputArguments input;
};

void check(const ExplainArguments& arguments) {
  require_option(!arguments.model.empty(), "MODEL", "expected a model written by dorm train or dorm tune");
  require_option(!arguments.data.empty(), "DATA", "expected the documents to rank");
  if (std::none_of(kExplainFormats.begin(), kExplainFormats.end(),
                   [&](const CatalogEntry& entry) { return entry.name == arguments.format; }))
    throw_unknown_name("format", arguments.format, kExplainFormats);
  if (!arguments.against.empty() && arguments.documents.size() != 1)
    throw Error(ErrorCode::bad_option, "--against compares two documents; expected one --document ID");
}

/// A few names for a message.
template <class NameOf>
std::string some_names(std::size_t count, const NameOf& name) {
  constexpr std::size_t kNamed = 5;
  std::string text;
  for (std::size_t i = 0; i < std::min(count, kNamed); ++i) text += fmt::format("{}{}", i == 0 ? "" : ", ", name(i));
  return count > kNamed ? text + ", ..." : text;
}

std::vector<std::size_t> chosen_queries(const Dataset& data, const ExplainArguments& arguments) {
  const auto id = [&](std::size_t q) { return std::string(data.query(q).id); };
  std::vector<std::size_t> chosen;
  if (arguments.queries.empty()) {
    const bool open = arguments.format == "text" || !arguments.documents.empty();
    if (open && data.num_queries() > 1)
      throw Error(ErrorCode::bad_option, fmt::format("--query ID is missing; {} has {} queries: {}", arguments.data,
                                                     data.num_queries(), some_names(data.num_queries(), id)));
    for (std::size_t q = 0; q < data.num_queries(); ++q) chosen.push_back(q);
  }
  for (const std::string& wanted : arguments.queries) {
    std::size_t q = 0;
    while (q < data.num_queries() && data.query(q).id != wanted) ++q;
    if (q == data.num_queries())
      throw Error(ErrorCode::bad_input, {arguments.data},
                  fmt::format("no query \"{}\"; the data has {} queries: {}", wanted, data.num_queries(),
                              some_names(data.num_queries(), id)));
    chosen.push_back(q);
  }
  return chosen;
}

std::size_t find_document(const Dataset& data, std::size_t q, const std::string& name,
                          const ExplainArguments& arguments) {
  const Query query = data.query(q);
  const auto name_of_document = [&](std::size_t i) { return data.document_name(query.first_document + i); };
  for (std::size_t i = 0; i < query.size(); ++i)
    if (name_of_document(i) == name) return query.first_document + i;
  throw Error(ErrorCode::bad_input, {arguments.data},
              fmt::format("query {} has no document \"{}\"; its {} documents are {}", query.id, name, query.size(),
                          some_names(query.size(), name_of_document)));
}

std::string explained_difference(const ExplainView& view, const ExplainArguments& arguments, const Settings& settings) {
  const std::size_t one = find_document(view.data, view.query, arguments.documents.front(), arguments);
  const std::size_t other = find_document(view.data, view.query, arguments.against, arguments);
  if (one == other) throw Error(ErrorCode::bad_option, "--document and --against are the same; expected two documents");
  const QueryExplanation both =
      explain(view.model, view.data, view.query, 0, std::vector<std::size_t>{one, other}, settings.threads);
  const bool in_order = both.documents.front().document == one;
  const DocumentExplanation& first = both.documents[in_order ? 0 : 1];
  const DocumentExplanation& second = both.documents[in_order ? 1 : 0];
  return arguments.format == "text"    ? difference_text(view, first, second)
         : arguments.format == "jsonl" ? difference_jsonl(view, first, second)
                                       : difference_csv(view, first, second);
}

std::string explained_query(const ExplainView& view, const ExplainArguments& arguments, const Settings& settings) {
  std::vector<std::size_t> documents;
  for (const std::string& name : arguments.documents)
    documents.push_back(find_document(view.data, view.query, name, arguments));
  const QueryExplanation explanation =
      explain(view.model, view.data, view.query, arguments.top, documents, settings.threads);
  return arguments.format == "text"    ? explain_text(view, explanation)
         : arguments.format == "jsonl" ? explain_jsonl(view, explanation)
                                       : explain_csv(view, explanation);
}

Model load_explained(const std::string& path, bool pairs) {
  AnyModel any = load_any_model(path);
  if (std::holds_alternative<PositionModel>(any))
    throw Error(ErrorCode::unsupported, {path},
                "this model ranks by assigning documents to positions: where one stands depends on all others, and is "
                "no sum over its features; expected a model that sorts by score");
  Model model = std::get<Model>(std::move(any));
  if (pairs && model.kernel)
    throw Error(ErrorCode::unsupported, {path},
                "--against takes a difference apart feature by feature, and a kernel is no sum over features; expected "
                "a linear model or trees");
  return model;
}

void run_explain(ExplainArguments arguments, const Settings& settings) {
  if (settings.json) arguments.format = "jsonl";
  check(arguments);
  const bool pair = !arguments.against.empty(), csv = arguments.format == "csv";
  const Model model = load_explained(arguments.model, pair);
  Expected expected = expected_by(model, false);
  const std::optional<FusedModel> fused = names_runs(arguments.data) ? load_fused_model(arguments.model) : std::nullopt;
  if (fused) expected.fusion = &fused->input;
  const Dataset data = load(arguments.data, arguments.input, settings, expected).data;
  const ReadableTexts texts = fused ? ReadableTexts{} : load_texts(arguments.data, arguments.input, data);
  std::string text = !csv ? "" : pair ? difference_csv_heading() : explain_csv_heading();
  bool first = true;
  for (const std::size_t q : chosen_queries(data, arguments)) {
    const ExplainView view{model, data, q,
                           arguments.features.value_or(arguments.format == "text" ? kFeaturesInText : 0), texts};
    if (!first && arguments.format == "text") text += "\n";
    first = false;
    about_file(arguments.data, [&] {
      text += pair ? explained_difference(view, arguments, settings) : explained_query(view, arguments, settings);
    });
  }
  if (arguments.format != "text")
    write_text(arguments.output, text);
  else if (arguments.output == "-")
    print(text);
  else
    write_text(arguments.output, rendered(text, false));
}

}  // namespace

Action declare_explain(CLI::App& app, const Settings& settings) {
  auto arguments = std::make_shared<ExplainArguments>();
  const OptionGroup what(app, "Documents"), output(app, "Output");
  app.add_option("MODEL", arguments->model,
                 "model of dorm train or dorm tune, or trees of LightGBM, XGBoost,\nCatBoost, RankLib or ONNX");
  app.add_option(
      "DATA", arguments->data,
      "documents: LETOR, CSV, TSV or .dorm; labels are shown, not used; of a\nmodel of dorm fuse, RUN,RUN,...");
  what.add("--query", arguments->queries, "ID", "explain this query; may be repeated (jsonl, csv: all queries)")
      ->expected(1)
      ->take_all();
  what.number("--top", arguments->top, whole_from(0), "N", "the first N documents of the ranking; 0: all (10)");
  what.add("--document", arguments->documents, "ID", "explain these documents; may be repeated")
      ->expected(1)
      ->take_all();
  what.add("--against", arguments->against, "ID", "explain the difference of --document and this one");
  output.number("--features", arguments->features, whole_from(0), "N",
                "number of features to show; 0: all (text: 5, others: all)");
  output.add("--format", arguments->format, "NAME", "text, jsonl or csv; see below (text)");
  written(output.add("-o,--output", arguments->output, "FILE", "where to write; - is standard output (-)"));
  add_fusion_options(OptionGroup(app, "Fused models"), arguments->input, "--document-features");
  add_input_options(app, arguments->input);
  app.description(kExplainDescription);
  app.footer(fmt::format("{}\n{}", kExplainExamples, catalog_text("Formats", kExplainFormats)));
  return [arguments, &settings] { run_explain(*arguments, settings); };
}

}  // namespace dorm::cli
