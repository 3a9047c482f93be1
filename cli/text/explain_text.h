// SPDX-License-Identifier: Apache-2.0
// How explanations of scores are shown: text for people, JSON lines and CSV.
#pragma once

#include <string>

#include "dorm/data/texts.h"
#include "dorm/explain.h"

namespace dorm::cli {

/// What is explained, and how much of it is shown.
struct ExplainView {
  const Model& model;
  const Dataset& data;
  std::size_t query = 0;     // of the data
  std::size_t features = 0;  // shown of each document, the others summed up; 0: all
  const ReadableTexts& texts;
};

std::string explain_text(const ExplainView& view, const QueryExplanation& explanation);
std::string explain_jsonl(const ExplainView& view, const QueryExplanation& explanation);  // one line per document
std::string explain_csv(const ExplainView& view, const QueryExplanation& explanation);  // one per document and feature
std::string explain_csv_heading();

// Two documents: the difference of the first and the second, feature by feature. Of linear models.
std::string difference_text(const ExplainView& view, const DocumentExplanation& one, const DocumentExplanation& other);
std::string difference_jsonl(const ExplainView& view, const DocumentExplanation& one, const DocumentExplanation& other);
std::string difference_csv(const ExplainView& view, const DocumentExplanation& one, const DocumentExplanation& other);
std::string difference_csv_heading();

}  // namespace dorm::cli
