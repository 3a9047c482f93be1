// SPDX-License-Identifier: Apache-2.0
// Measures as trec_eval, ir_measures and ranx spell them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dorm {

/// ndcg_cut_10, P.5, iprec_at_recall_0.10 (trec_eval); AP(rel=2)@100, nDCG(gains={1:2,2:5})@10, IPrec@0.1
/// (ir_measures); hit_rate@10, rbp.95, ndcg@10-l2 (ranx), in DORM's spelling. What is none of these stays as it is.
std::string own_spelling(std::string_view spelling);

/// The names that own_spelling() knows beside DORM's.
std::vector<std::string> names_of_other_tools();

/// Whether a piece of a comma-separated list goes on with the measure before it: within its parentheses or its
/// coefficients, or as a key=value that is none of trec_eval's gains, as in ndcg_1=3.
bool continues_measure(std::string_view before, std::string_view piece);

/// Whether the measure ends in a number as trec_eval writes it, such as P_5: then its name up to that number.
std::string_view up_to_number(std::string_view spelling);

}  // namespace dorm
