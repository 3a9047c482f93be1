// SPDX-License-Identifier: Apache-2.0
// Lists of queries as a model orders them: ranks, labels, scores, where a document could have stood, and which
// features put it there.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "dorm/apps/report.h"
#include "report/pages/quality.h"

namespace dorm::pages {

/// One document of a list per row; with the contributions of features where the model is linear.
std::vector<report::Column> list_columns(const Model& model, const Dataset& data);

struct QueryList {
  std::size_t query = 0;
  std::vector<std::vector<report::Cell>> rows;  // the top of the list, then best documents that were left below it
};

/// In the order of `queries`.
std::vector<QueryList> lists_of(const Model& model, const Judgement& judgement, std::span<const std::size_t> queries,
                                std::size_t threads);

}  // namespace dorm::pages
