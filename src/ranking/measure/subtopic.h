// SPDX-License-Identifier: Apache-2.0
// One factory per diversity-aware measure; src/ranking/names/subtopics.cpp gives each its name and help.
#pragma once

#include "dorm/measure.h"
#include "dorm/ranking/subtopics.h"

namespace dorm {

class SubtopicMeasure;
using SubtopicMeasurePtr = std::unique_ptr<const SubtopicMeasure>;

SubtopicMeasurePtr alpha_ndcg(const MeasureSpec& spec);
SubtopicMeasurePtr intent_aware_precision(const MeasureSpec& spec);
SubtopicMeasurePtr subtopic_recall(const MeasureSpec& spec);

}  // namespace dorm
