// SPDX-License-Identifier: Apache-2.0
// What a model is: its size and speed, its explained risk in words, its weights and what they do.
#pragma once

#include <string>

#include "dorm/apps/report.h"
#include "dorm/model.h"

namespace dorm::pages {

std::string explained_risk_words(double explained_risk);     // "confident"
std::string explained_risk_sentence(double explained_risk);  // what that means

report::Fact size_fact(const Model& model);

/// Documents per second on one thread, measured on some of the data.
report::Fact speed_fact(const Model& model, const Dataset& data);

/// The largest weights or the curves, and how much of the scores of `data` each feature makes.
report::Section weights_section(const Model& model, const Dataset& data, std::size_t threads);

}  // namespace dorm::pages
