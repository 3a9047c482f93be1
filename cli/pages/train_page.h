// SPDX-License-Identifier: Apache-2.0
// The reports of `dorm train --report` and `dorm tune --report`.
#pragma once

#include "dorm/report.h"
#include "dorm/train.h"
#include "report_files.h"
#include "training_options.h"
#include "training_trace.h"

namespace dorm::cli {

/// What a document about a training is made from; views.
struct TrainingStory {
  const TrainingArguments& arguments;
  const TrainingData& data;
  const TrainResult& result;  // without candidates for a baseline
  const TrainingTrace& trace;
  bool interrupted = false;
  std::string reason = {};  // why the chosen candidate won
};

report::Report train_page(const TrainingStory& story, const Settings& settings);

/// The same, with the grid that led to it. `reason`: why the cell won.
report::Report tune_page(const TrainingStory& story, const TuneResult& tuned, const TuneOptions& options,
                         const std::string& judged_on, const std::string& reason, const Settings& settings);

}  // namespace dorm::cli
