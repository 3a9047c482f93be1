// SPDX-License-Identifier: Apache-2.0
// What it costs to serve a model: the time of a score, its size, and the tools that can take it.
#pragma once

#include <string>
#include <vector>

#include "dorm/dataset.h"
#include "dorm/tune.h"

namespace dorm::pages {

struct ServingCost {
  std::string of;           // "this model", "linear alone"
  double milliseconds = 0;  // of 100 documents, on one thread
  std::size_t bytes = 0;    // of its file
  std::vector<std::string> targets;
  std::string text;  // all of it in words
};

/// Of the model, and of the linear one that it stands beside. Scores documents of `data` for some milliseconds.
std::vector<ServingCost> serving_costs(const TuneResult& tuned, const Dataset& data);

}  // namespace dorm::pages
