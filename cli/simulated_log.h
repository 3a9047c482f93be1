// SPDX-License-Identifier: Apache-2.0
// `dorm synth --clicks`: the log of simulated users.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "command.h"
#include "dorm/clicks/simulate_clicks.h"
#include "dorm/dataset.h"
#include "input.h"

namespace dorm::cli {

struct SimulatedLogArguments {
  std::string model;  // empty: no clicks
  std::string judged, propensities;
  std::vector<std::string> scores;
  ClickSimulation simulation;
  InputArguments input;
};

void add_simulation_options(CLI::App& app, SimulatedLogArguments& arguments);

/// Throws Error(bad_option) for options of a log without --clicks.
void check_simulation(const SimulatedLogArguments& arguments);

/// Of `data`, unless a file of judged documents was named; another seed, other users.
void write_simulated_log(const SimulatedLogArguments& arguments, const std::function<Dataset()>& data,
                         std::uint64_t seed, const std::string& output, const Settings& settings);

}  // namespace dorm::cli
