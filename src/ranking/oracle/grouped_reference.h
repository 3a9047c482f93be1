// SPDX-License-Identifier: Apache-2.0
// The reference rankings of dorm/oracle.h for queries with limits on groups: lists of `shown` documents, coefficient 0
// for all others. Arguments have been checked.
#pragma once

#include "dorm/oracle.h"

namespace dorm::oracle {

void grouped_reference_given(const PreparedQuery& query, Labels labels, Reference& out);
void grouped_reference_average(const PreparedQuery& query, Labels labels, Reference& out);
void grouped_reference_best(const PreparedQuery& query, std::span<const double> scores, Reference& out);
void grouped_reference_predicted(const PreparedQuery& query, std::span<const double> scores, Reference& out);

}  // namespace dorm::oracle
