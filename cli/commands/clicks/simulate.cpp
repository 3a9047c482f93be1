// SPDX-License-Identifier: Apache-2.0
// `dorm clicks simulate`: the click log of simulated users.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "command.h"
#include "command_line.h"
#include "dorm/clicks/click_log.h"
#include "dorm/clicks/simulate_clicks.h"
#include "input/document_scores.h"
#include "input/input.h"
#include "options/option_group.h"
#include "options/written_files.h"
#include "run/output.h"

namespace dorm::cli {
namespace {

constexpr const char* kSimulateDescription =
    "Simulate users who click on the results of production rankers.\n"
    "\n"
    "Writes a click log with the columns session, qid, docid, position, click and ranker. Users see the first\n"
    "--top documents of a production ranker, and click by a click model: pbm, position-based; cascade, from the\n"
    "top until satisfied; ubm, more often after a recent click; trust, also on irrelevant documents at the top.\n"
    "The same options give the same bytes on every platform.";

constexpr const char* kSimulateFooter =
    "Examples:\n"
    "  dorm clicks simulate train.csv --sessions 50 --rankers 3 -o log.csv.gz\n"
    "  dorm clicks simulate train.csv --click-model ubm --scores old.txt --scores new.txt --expected -o counts.csv\n";

struct SimulateArguments {
  std::string data, output, propensities, model = "pbm";
  std::vector<std::string> scores;
  ClickSimulation simulation;
  InputArguments input;
};

/// Rows of the log, with the ids of the data.
class LogOfSimulation {
 public:
  LogOfSimulation(const Dataset& data, bool expected, std::ostream& out) : data_(data), writer_(out, expected) {}

  void add(const SimulatedClick& shown) {
    const std::string document = data_.document_name(shown.document);
    const std::string session = fmt::format("s{}", shown.session), ranker = fmt::format("r{}", shown.ranker + 1);
    writer_.add({.session = session,
                 .query = data_.query(shown.query).id,
                 .document = document,
                 .ranker = ranker,
                 .context = {},
                 .position = shown.position,
                 .impressions = shown.impressions,
                 .clicks = shown.clicks});
  }

 private:
  const Dataset& data_;
  ClickLogWriter writer_;
};

void add_simulation_options(CLI::App& app, SimulateArguments& arguments) {
  const OptionGroup users(app, "Users"), rankers(app, "Production rankers"), output(app, "Output");
  ClickSimulation& options = arguments.simulation;
  users.add("--click-model", arguments.model, "NAME", "pbm, cascade, ubm or trust (pbm)");
  users.number("--sessions", options.sessions, whole_from(1, 1e9), "N",
               fmt::format("sessions per query ({})", options.sessions));
  users.number("--eta", options.eta, number_from(0, 10), "X",
               fmt::format("position k is examined with probability k^-X ({})", options.eta));
  users.number("--click-noise", options.noise, number_from(0, 1), "X",
               fmt::format("probability of a click on an examined irrelevant document ({})", options.noise));
  users.number("--go-on", options.go_on, number_from(0, 1), "X",
               fmt::format("cascade: share of users who continue after a click ({})", options.go_on));
  users.number("--trust", options.trust, number_from(0, 0.9), "X",
               fmt::format("trust: probability of a click on an irrelevant first result ({})", options.trust));
  users.number("--seed", options.seed, whole_from(0), "N", "of the random numbers (0)");
  rankers.number("--top", options.top, whole_from(1, 1e6), "N", fmt::format("documents on a page ({})", options.top));
  rankers
      .add("--scores", arguments.scores, "FILE",
           "scores of a production ranker, one per document; repeated: several\nrankers, one for each session")
      ->expected(1)
      ->take_all();
  rankers.number("--rankers", options.rankers, whole_from(1, 1000), "N",
                 fmt::format("number of production rankers without --scores ({})", options.rankers));
  rankers.number("--ranker-noise", options.ranker_noise, number_from(0, 1000), "X",
                 fmt::format("their noise, for a relevance of 0 to 1 ({})", options.ranker_noise));
  written(output.add("-o,--output", arguments.output, "FILE",
                     "where to write; .gz and .zst compress; - is standard output"));
  output.flag("--expected", options.expected, "expected counts of each ranker's page instead of sessions");
  written(output.add("--true-propensities", arguments.propensities, "FILE",
                     "write the propensities of the positions (cascade, ubm: their means)"));
}

void run_simulate(const SimulateArguments& arguments, const Settings& settings) {
  require_option(!arguments.data.empty(), "DATA", "expected judged documents to click on");
  require_option(!arguments.output.empty(), "-o FILE", "expected a file to write, or - for standard output");
  ClickSimulation options = arguments.simulation;
  options.model = parse_click_model(arguments.model);
  options.validate();
  const Dataset data = load(arguments.data, arguments.input, settings).data;
  std::vector<std::vector<double>> scores;
  for (const std::string& file : arguments.scores) scores.push_back(scores_of_file(data, file));
  write_file(arguments.output, [&](std::ostream& out) {
    LogOfSimulation log(data, options.expected, out);
    simulate_clicks(data, options, scores, [&](const SimulatedClick& shown) { log.add(shown); });
  });
  if (arguments.propensities.empty()) return;
  const Propensities truth = simulated_propensities(data, options, scores);
  write_file(arguments.propensities, [&](std::ostream& out) { write_propensities(truth, out); });
}

}  // namespace

Action declare_clicks_simulate(CLI::App& app, const Settings& settings) {
  auto arguments = std::make_shared<SimulateArguments>();
  app.add_option("DATA", arguments->data, "judged documents: LETOR, CSV, TSV, JSON lines or .dorm");
  add_simulation_options(app, *arguments);
  add_input_options(app, arguments->input);
  app.description(kSimulateDescription);
  app.footer(kSimulateFooter);
  return [arguments, &settings] { run_simulate(*arguments, settings); };
}

}  // namespace dorm::cli
