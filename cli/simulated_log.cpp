// SPDX-License-Identifier: Apache-2.0
#include "simulated_log.h"

#include <fmt/format.h>

#include "document_scores.h"
#include "dorm/clicks/click_log.h"
#include "dorm/error.h"
#include "option_group.h"
#include "output.h"
#include "written_files.h"

namespace dorm::cli {
namespace {

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

}  // namespace

void add_simulation_options(CLI::App& app, SimulatedLogArguments& arguments) {
  const OptionGroup clicks(app, "Clicks");
  ClickSimulation& options = arguments.simulation;
  clicks.add("--clicks", arguments.model, "MODEL", "write a click log instead of data: pbm, cascade, ubm or trust");
  clicks.add("--judged", arguments.judged, "FILE", "clicks on these judged documents instead of generated ones");
  clicks
      .add("--scores", arguments.scores, "FILE",
           "scores of a production ranker, one per document; repeated: several\nrankers, one of which each session "
           "meets")
      ->expected(1)
      ->take_all();
  clicks.number("--rankers", options.rankers, whole_from(1, 1000), "N",
                fmt::format("production rankers where no scores are given ({})", options.rankers));
  clicks.number("--ranker-noise", options.ranker_noise, number_from(0, 1000), "X",
                fmt::format("their noise against a relevance of 0 to 1 ({})", options.ranker_noise));
  clicks.number("--sessions", options.sessions, whole_from(1, 1e9), "N",
                fmt::format("sessions per query ({})", options.sessions));
  clicks.number("--top", options.top, whole_from(1, 1e6), "N", fmt::format("documents on a page ({})", options.top));
  clicks.number("--eta", options.eta, number_from(0, 10), "X",
                fmt::format("position k is looked at with probability k^-X ({})", options.eta));
  clicks.number("--click-noise", options.noise, number_from(0, 1), "X",
                fmt::format("clicks per look at what is not relevant ({})", options.noise));
  clicks.number("--go-on", options.go_on, number_from(0, 1), "X",
                fmt::format("cascade: share of users who read on after a click ({})", options.go_on));
  clicks.number("--trust", options.trust, number_from(0, 0.9), "X",
                fmt::format("trust: clicks on the first result if it is not relevant ({})", options.trust));
  clicks.flag("--expected", options.expected, "expected counts of each ranker's page instead of sessions");
  written(clicks.add("--true-propensities", arguments.propensities, "FILE",
                     "write how likely positions are looked at (cascade, ubm: on average)"));
}

void check_simulation(const SimulatedLogArguments& arguments) {
  if (!arguments.model.empty()) return;
  for (const auto& [given, option] :
       {std::pair(!arguments.judged.empty(), "--judged"), std::pair(!arguments.scores.empty(), "--scores"),
        std::pair(arguments.simulation.expected, "--expected"),
        std::pair(!arguments.propensities.empty(), "--true-propensities")})
    if (given)
      throw Error(ErrorCode::bad_option, fmt::format("{} without --clicks; expected a model of users", option));
}

void write_simulated_log(const SimulatedLogArguments& arguments, const std::function<Dataset()>& make,
                         std::uint64_t seed, const std::string& output, const Settings& settings) {
  ClickSimulation options = arguments.simulation;
  options.model = parse_click_model(arguments.model);
  options.seed = seed;
  options.validate();
  const Dataset data = arguments.judged.empty() ? make() : load(arguments.judged, arguments.input, settings).data;
  std::vector<std::vector<double>> scores;
  for (const std::string& file : arguments.scores) scores.push_back(scores_of_file(data, file));
  write_file(output, [&](std::ostream& out) {
    LogOfSimulation log(data, options.expected, out);
    simulate_clicks(data, options, scores, [&](const SimulatedClick& shown) { log.add(shown); });
  });
  if (arguments.propensities.empty()) return;
  const Propensities truth = simulated_propensities(data, options, scores);
  write_file(arguments.propensities, [&](std::ostream& out) { write_propensities(truth, out); });
}

}  // namespace dorm::cli
