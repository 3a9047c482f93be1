// SPDX-License-Identifier: Apache-2.0
// What a model is: its size and speed, its health in words, its weights and what they do.
#pragma once

#include <string>

#include "dorm/model.h"
#include "dorm/apps/report.h"

namespace dorm::pages {

std::string health_words(double health);     // "confident"
std::string health_sentence(double health);  // what that means

report::Fact size_fact(const Model& model);

/// Documents per second on one thread, measured on some of the data.
report::Fact speed_fact(const Model& model, const Dataset& data);

/// The largest weights, and how much of the scores of `data` each feature makes.
report::Section weights_section(const Model& model, const Dataset& data, std::size_t threads);

}  // namespace dorm::pages
