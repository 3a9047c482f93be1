// SPDX-License-Identifier: Apache-2.0
// How well a model ranks: the measure by cutoff, over queries, and where it fails.
#pragma once

#include <string>
#include <vector>

#include "dorm/apps/report.h"
#include "dorm/evaluate.h"
#include "dorm/model.h"

namespace dorm::pages {

/// A model on one set of judged documents.
struct Judgement {
  std::string name;  // "validation data" or "training data"
  const Dataset* data = nullptr;
  std::vector<double> scores;
  EvaluationTable table;            // the trained measure first, then by cutoff
  std::vector<double> random_mean;  // the same measures for a random order
  const ReadableTexts* texts = nullptr;
};

/// By this measure first; empty: the one the model was trained for.
Judgement judge(const Model& model, const Dataset& data, const std::string& name, const std::string& measure,
                std::size_t threads);

/// Measures by cutoff with intervals, for each of the sets; the first one is what counts.
report::Section cutoff_section(const std::vector<Judgement>& judgements);

/// The spread over queries, and the worst ones with their lists.
report::Section hardest_section(const Model& model, const Judgement& judgement, std::size_t threads);

}  // namespace dorm::pages
