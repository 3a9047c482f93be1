// SPDX-License-Identifier: Apache-2.0
// The tie rule for algorithms that compare sums rather than documents.
#pragma once

#include "ranking/oracle/algorithms.h"

namespace dorm::oracle {

/// Permutes documents with equal score and equal gain inside work.ranking so that they stand by index; the value does
/// not change. work.order must hold the documents by descending score.
void settle_ties(const PreparedQuery& query, Scores g, OracleWorkspace::Buffers& work);

}  // namespace dorm::oracle
