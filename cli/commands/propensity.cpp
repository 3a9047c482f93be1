// SPDX-License-Identifier: Apache-2.0
// `dorm propensity`: how likely each position is to be looked at.
#include "dorm/clicks/propensity.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <optional>

#include "base/json.h"
#include "click_log_input.h"
#include "command.h"
#include "dorm/clicks/click_log.h"
#include "help.h"
#include "input.h"
#include "option_group.h"
#include "output.h"
#include "text/eval_text.h"
#include "usage.h"
#include "written_files.h"

namespace dorm::cli {
namespace {

constexpr const char* kPropensityDescription =
    "Estimate from clicks how likely each position is to be looked at.\n"
    "\n"
    "Reads a log of what was shown where and what was clicked (columns qid, docid, position and click, or\n"
    "impressions and clicks), and writes the propensity of each position, that of the first being 1, with its\n"
    "standard error over queries. dorm clicks and dorm eval --clicks read the file. All methods assume that a\n"
    "click is a look times relevance; docs/click-evaluation.md says when not to trust them.";

constexpr const char* kPropensityExamples =
    "Examples:\n"
    "  dorm propensity log.csv -o p.csv\n"
    "  dorm propensity log.csv.zst -o p.csv --context device --isotonic\n"
    "  dorm propensity swapped.csv -o p.csv --method swaps --swaps swap\n"
    "  dorm propensity log.csv -o p.csv --method regression-em --data features.csv\n";

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

Action declare_propensity(CLI::App& app, const Settings& settings) {
  auto arguments = std::make_shared<PropensityArguments>();
  PropensityOptions& options = arguments->options;
  const OptionGroup how(app, "Estimation"), output(app, "Output");
  app.add_option("LOG", arguments->log, "click log: CSV, TSV or JSON lines, also .gz or .zst; - is standard\ninput");
  how.add("--method", options.method, "NAME", "how to estimate; see below (allpairs)");
  how.flag("--isotonic", options.isotonic, "propensities never increase with the position");
  how.number("--pivot", options.pivot, whole_from(1, 1e6), "N", "of pivot: what positions are compared with (1)");
  how.add(
      "--swaps", arguments->swaps, "COLUMN",
      "of swaps: the column that says which positions a session put in\nrandom order, as in 1-4 or all; empty, 0 or "
      "none: it did not (swap)");
  how.add("--data", arguments->data, "FILE", "of regression-em: features of the documents, which relevance depends on");
  how.number("--iterations", options.max_iterations, whole_from(1, 1e9), "N",
             fmt::format("of regression-em: at most so many ({})", options.max_iterations));
  how.number("--bootstrap", options.bootstrap, whole_from(0, 1e6), "N",
             fmt::format("of regression-em: resamples for standard errors, which the other\nmethods have in closed "
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
