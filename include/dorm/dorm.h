// SPDX-License-Identifier: Apache-2.0
// Everything, in the order data flows.
#pragma once

// clang-format off
#include "dorm/error.h"       // IWYU pragma: export
#include "dorm/catalog.h"     // IWYU pragma: export
#include "dorm/input.h"       // IWYU pragma: export
#include "dorm/dataset.h"     // IWYU pragma: export
#include "dorm/judgments.h"   // IWYU pragma: export
#include "dorm/ratings.h"     // IWYU pragma: export
#include "dorm/clicks.h"      // IWYU pragma: export
#include "dorm/click_gains.h" // IWYU pragma: export
#include "dorm/graphs.h"      // IWYU pragma: export
#include "dorm/read.h"        // IWYU pragma: export
#include "dorm/read_graphs.h" // IWYU pragma: export
#include "dorm/write.h"       // IWYU pragma: export
#include "dorm/click_log.h"   // IWYU pragma: export
#include "dorm/synth.h"       // IWYU pragma: export
#include "dorm/simulate_clicks.h"  // IWYU pragma: export
#include "dorm/scale.h"       // IWYU pragma: export
#include "dorm/measure.h"     // IWYU pragma: export
#include "dorm/one_per.h"     // IWYU pragma: export
#include "dorm/query_columns.h"  // IWYU pragma: export
#include "dorm/assignment.h"  // IWYU pragma: export
#include "dorm/oracle.h"      // IWYU pragma: export
#include "dorm/geometry.h"    // IWYU pragma: export
#include "dorm/compute_place.h"  // IWYU pragma: export
#include "dorm/kernel.h"      // IWYU pragma: export
#include "dorm/sets.h"        // IWYU pragma: export
#include "dorm/model.h"       // IWYU pragma: export
#include "dorm/export.h"      // IWYU pragma: export
#include "dorm/evaluate.h"    // IWYU pragma: export
#include "dorm/propensity.h"  // IWYU pragma: export
#include "dorm/click_evaluation.h"  // IWYU pragma: export
#include "dorm/interleave.h"  // IWYU pragma: export
#include "dorm/solver.h"      // IWYU pragma: export
#include "dorm/objective.h"   // IWYU pragma: export
#include "dorm/train.h"       // IWYU pragma: export
#include "dorm/baseline.h"    // IWYU pragma: export
#include "dorm/factorize.h"   // IWYU pragma: export
#include "dorm/joint.h"       // IWYU pragma: export
#include "dorm/match.h"       // IWYU pragma: export
#include "dorm/joint_model.h" // IWYU pragma: export
#include "dorm/any_model.h"   // IWYU pragma: export
// clang-format on
