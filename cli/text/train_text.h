// SPDX-License-Identifier: Apache-2.0
// How a finished training is shown: text for the terminal, JSON for programs.
#pragma once

#include <string>

#include "base/json.h"
#include "dorm/train.h"

namespace dorm::cli {

/// The candidates as a table, why the chosen one won, the certificate of the model, and the effort.
std::string train_text(const TrainResult& result, const std::string& model_path);

/// The same of a model that consists of validated weights.
std::string delivered_text(const TrainResult& result, const std::string& model_path);

/// Why the chosen candidate won, and by how much; or why there is an average.
std::string choice_reason(const TrainReport& report, const std::string& measure);

/// The share of the solver's time in quadratic programs.
double qp_share(const SolveReport& solve);

Json train_json(const TrainResult& result, const std::string& model_path);

}  // namespace dorm::cli
