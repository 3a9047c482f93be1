// SPDX-License-Identifier: Apache-2.0
// `dorm clicks propensity`: the probability that users examine each position.
#include "dorm/clicks/propensity.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <optional>

#include "base/json.h"
#include "command.h"
#include "command_line.h"
#include "dorm/clicks/click_log.h"
#include "input/click_log_input.h"
#include "input/input.h"
#include "options/option_group.h"
#include "options/written_files.h"
#include "run/output.h"
#include "text/eval_text.h"
#include "text/help.h"

namespace dorm::cli {
namespace {

constexpr const char* kPropensityDescription =
    "Estimate the propensities of positions from a click log.\n"
    "\n"
    "Reads a log of shown documents and clicks (columns qid, docid, position and click, or impressions and\n"
    "clicks), and writes the propensity of each position, relative to the first, with its standard error over\n"
    "queries. dorm clicks gains and dorm clicks evaluate read the file. All methods assume that the click\n"
    "probability is examination times relevance; docs/click-evaluation.md explains the limits.";

constexpr const char* kPropensityExamples =
    "Examples:\n"
    "  dorm clicks propensity log.csv -o p.csv\n"
    "  dorm clicks propensity log.csv.zst -o p.csv --context device --isotonic\n"
    "  dorm clicks propensity swapped.csv -o p.csv --method swaps --swaps swap\n"
    "  dorm clicks propensity log.csv -o p.csv --method regression-em --data features.csv\n";

struct PropensityArguments {
  std::string log, output, swaps = "swap", data;
  PropensityOptions options;
  ClickLogArguments reading;
  InputArguments input;
};

constexpr double kTwoSided = 1.959963984540054;  // of the normal distribution, 95 %

std::string propensity_text(const PropensityEstimate& estimate) {
  const Propensities& p = estimate.propensities;
  std::string text;
  for (std::size_t c = 0; c < p.contexts().size(); ++c) {
    const PropensityEvidence& evidence = estimate.evidence[c];
    if (c > 0) text += "\n";
    if (!evidence.context.empty()) text += fmt::format("{}: ", evidence.context);
    text += fmt::format("{} queries, {} documents", evidence.queries, evidence.documents);
    text += evidence.iterations > 0
                ? fmt::format(", {} iterations{}", evidence.iterations, evidence.converged ? "" : " (not converged)")
                : fmt::format(", {} pairs of positions", evidence.pairs);
    std::vector<std::vector<std::string>> rows = {{"position", "propensity", "error", "95 % interval"}};
    for (const PositionPropensity& row : p.of_context(c)) {
      const double spread = std::exp(kTwoSided * row.error / row.propensity);
      rows.push_back({std::to_string(row.position), fmt::format("{:.4f}", row.propensity),
                      std::isnan(row.error) ? "-" : fmt::format("{:.4f}", row.error),
                      interval_text(row.propensity / spread, row.propensity * spread)});
    }
    text += fmt::format("\n\n{}", aligned(rows));
  }
  return text;
}

Json propensity_json(const PropensityEstimate& estimate, const PropensityOptions& options) {
  Json contexts = Json::array();
  for (std::size_t c = 0; c < estimate.evidence.size(); ++c) {
    const PropensityEvidence& evidence = estimate.evidence[c];
    Json positions = Json::array();
    for (const PositionPropensity& row : estimate.propensities.of_context(c))
      positions.push_back({{"position", row.position}, {"propensity", row.propensity}, {"se", row.error}});
    contexts.push_back({{"context", evidence.context},
                        {"queries", evidence.queries},
                        {"documents", evidence.documents},
                        {"pairs", evidence.pairs},
                        {"iterations", evidence.iterations},
                        {"converged", evidence.converged},
                        {"positions", std::move(positions)}});
  }
  return {{"method", options.method}, {"isotonic", options.isotonic}, {"contexts", std::move(contexts)}};
}

void run_propensity(PropensityArguments& arguments, const Settings& settings) {
  require_option(!arguments.log.empty(), "LOG", "expected a click log to read, or - for standard input");
  require_option(!arguments.output.empty(), "-o FILE", "expected a file to write, or - for standard output");
  arguments.options.threads = settings.threads;
  ClickLogOptions reading =
      click_log_options(arguments.reading, arguments.input.columns.query, arguments.input.columns.document, settings);
  if (arguments.options.method == "swaps") reading.columns.context.push_back(arguments.swaps);
  std::optional<Dataset> data;
  if (!arguments.data.empty()) data = load(arguments.data, arguments.input, settings, {.labels = false}).data;
  const ClickCounts counts = load_click_counts(arguments.log, std::move(reading), settings);
  const PropensityEstimate estimate = about_file(
      arguments.log, [&] { return estimate_propensities(counts, arguments.options, data ? &*data : nullptr); });
  for (const PropensityEvidence& evidence : estimate.evidence)
    if (!evidence.converged)
      warn(settings, fmt::format("{}: regression-em did not converge in {} iterations; see --iterations", arguments.log,
                                 evidence.iterations));
  write_file(arguments.output, [&](std::ostream& out) { write_propensities(estimate.propensities, out); });
  if (arguments.output == "-") return;
  print(settings.json ? printable_json(propensity_json(estimate, arguments.options), 2) + "\n"
                      : propensity_text(estimate));
}

}  // namespace

Action declare_clicks_propensity(CLI::App& app, const Settings& settings) {
  auto arguments = std::make_shared<PropensityArguments>();
  PropensityOptions& options = arguments->options;
  const OptionGroup how(app, "Estimation"), output(app, "Output");
  app.add_option("LOG", arguments->log, "click log: CSV, TSV or JSON lines, also .gz or .zst; - is standard\ninput");
  how.add("--method", options.method, "NAME", "method of estimation; see below (allpairs)");
  how.flag("--isotonic", options.isotonic, "propensities never increase with the position");
  how.number("--pivot", options.pivot, whole_from(1, 1e6), "N",
             "of pivot: the position that others are compared with (1)");
  how.add(
      "--swaps", arguments->swaps, "COLUMN",
      "of swaps: column of the positions that a session shuffled, such as\n1-4 or all; empty, 0 or none: no shuffle "
      "(swap)");
  how.add("--data", arguments->data, "FILE", "of regression-em: features of the documents, to predict relevance");
  how.number("--iterations", options.max_iterations, whole_from(1, 1e9), "N",
             fmt::format("of regression-em: largest number of iterations ({})", options.max_iterations));
  how.number("--bootstrap", options.bootstrap, whole_from(0, 1e6), "N",
             fmt::format("of regression-em: resamples for standard errors, which the other\nmethods compute in closed "
                         "form ({})",
                         options.bootstrap));
  how.number("--seed", options.seed, whole_from(0), "N", "of the resamples (0)");
  written(output.add("-o,--output", arguments->output, "FILE",
                     "where to write position,propensity,se[,context]; - is standard\noutput"));
  add_click_log_options(app, arguments->reading);
  add_input_options(app, arguments->input);
  app.description(kPropensityDescription);
  app.footer(fmt::format("{}\n{}", kPropensityExamples, catalog_text("Methods", propensity_catalog())));
  return [arguments, &settings] { run_propensity(*arguments, settings); };
}

}  // namespace dorm::cli
