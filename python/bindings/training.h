// SPDX-License-Identifier: Apache-2.0
// A training as it went, kept for a page about it. Views of Python's arrays stay alive with it.
#pragma once

#include <optional>

#include "dorm/apps/pages.h"
#include "dorm/train.h"

namespace dorm::python {

struct Training {
  Dataset train;
  std::optional<Dataset> valid = {};
  TrainResult result;
  pages::TrainingTrace trace = {};
  bool interrupted = false;
};

}  // namespace dorm::python
