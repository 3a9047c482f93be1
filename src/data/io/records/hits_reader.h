// SPDX-License-Identifier: Apache-2.0
// Runs as Elasticsearch and OpenSearch answer: hits with _id and _score, of one search, of _msearch, by query id, or
// one answer per line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dorm/data/judgments.h"

namespace dorm {

/// Whether the text is such answers: JSON with an object called hits near its beginning, as in no nested numbers.
bool begins_as_hits(std::string_view beginning);
bool is_hits_file(const std::string& path);

/// The query of an answer is its field qid or query_id, or its key in an object of answers; without any, answers are
/// numbered from 1. Throws Error(bad_input) naming the query and the hit that is not as expected.
std::vector<RunEntry> run_from_hits(std::string_view text, const std::string& name);

}  // namespace dorm
