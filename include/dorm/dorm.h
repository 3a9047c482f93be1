// SPDX-License-Identifier: Apache-2.0
// Everything, in the order data flows.
#pragma once

// clang-format off
#include "dorm/error.h"       // IWYU pragma: export
#include "dorm/base/catalog.h"     // IWYU pragma: export
#include "dorm/data/input.h"       // IWYU pragma: export
#include "dorm/dataset.h"     // IWYU pragma: export
#include "dorm/data/prepare.h"  // IWYU pragma: export
#include "dorm/data/judgments.h"   // IWYU pragma: export
#include "dorm/recommend/ratings.h"     // IWYU pragma: export
#include "dorm/clicks/clicks.h"      // IWYU pragma: export
#include "dorm/clicks/click_gains.h" // IWYU pragma: export
#include "dorm/matching/graphs.h"      // IWYU pragma: export
#include "dorm/read.h"        // IWYU pragma: export
#include "dorm/matching/read_graphs.h" // IWYU pragma: export
#include "dorm/write.h"       // IWYU pragma: export
#include "dorm/clicks/click_log.h"   // IWYU pragma: export
#include "dorm/synth.h"       // IWYU pragma: export
#include "dorm/clicks/simulate_clicks.h"  // IWYU pragma: export
#include "dorm/data/scale.h"       // IWYU pragma: export
#include "dorm/measure.h"     // IWYU pragma: export
#include "dorm/ranking/convention.h"  // IWYU pragma: export
#include "dorm/ranking/group_lists.h"  // IWYU pragma: export
#include "dorm/ranking/subtopics.h"  // IWYU pragma: export
#include "dorm/data/one_per.h"     // IWYU pragma: export
#include "dorm/data/query_columns.h"  // IWYU pragma: export
#include "dorm/learning/assignment.h"  // IWYU pragma: export
#include "dorm/oracle.h"      // IWYU pragma: export
#include "dorm/ranking/decay.h"  // IWYU pragma: export
#include "dorm/ranking/list_problem.h"  // IWYU pragma: export
#include "dorm/learning/geometry.h"    // IWYU pragma: export
#include "dorm/base/compute.h"  // IWYU pragma: export
#include "dorm/learning/kernel.h"      // IWYU pragma: export
#include "dorm/learning/sets.h"        // IWYU pragma: export
#include "dorm/model.h"       // IWYU pragma: export
#include "dorm/export.h"      // IWYU pragma: export
#include "dorm/evaluate.h"    // IWYU pragma: export
#include "dorm/clicks/propensity.h"  // IWYU pragma: export
#include "dorm/clicks/click_evaluation.h"  // IWYU pragma: export
#include "dorm/clicks/interleave.h"  // IWYU pragma: export
#include "dorm/solver.h"      // IWYU pragma: export
#include "dorm/learning/solver_state.h"  // IWYU pragma: export
#include "dorm/objective.h"   // IWYU pragma: export
#include "dorm/train.h"       // IWYU pragma: export
#include "dorm/learning/task.h"  // IWYU pragma: export
#include "dorm/tune.h"  // IWYU pragma: export
#include "dorm/stream.h"  // IWYU pragma: export
#include "dorm/learning/train_shards.h"  // IWYU pragma: export
#include "dorm/learning/memory.h"      // IWYU pragma: export
#include "dorm/learning/baseline.h"    // IWYU pragma: export
#include "dorm/recommend/factorize.h"   // IWYU pragma: export
#include "dorm/recommend/factor_model.h"  // IWYU pragma: export
#include "dorm/recommend/joint.h"       // IWYU pragma: export
#include "dorm/matching/match.h"       // IWYU pragma: export
#include "dorm/recommend/joint_model.h" // IWYU pragma: export
#include "dorm/recommend/any_model.h"   // IWYU pragma: export
// clang-format on
