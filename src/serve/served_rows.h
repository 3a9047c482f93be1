// SPDX-License-Identifier: Apache-2.0
// The documents of a request as the features of a model: encoded, and filled in where values are missing, as tables
// are.
#pragma once

#include <memory>
#include <vector>

#include "base/vector/vector_ops.h"
#include "serve/loaded_model.h"
#include "serve/rank_request.h"

namespace dorm::serve {

struct ServedRows {
  std::shared_ptr<const Layout> layout;
  std::vector<float> held;  // of `rows`, where those of the request would not do
  DenseRows rows;
};

/// Whether the model reads columns that are no numbers, so that requests are to be read with texts.
bool reads_texts(const LoadedModel& model);

/// `asked` must outlive the rows. Throws Error(bad_input) that says where something is wrong: a value that is missing
/// without a rule for it, a cell that the encoding cannot read, a name that the model does not know.
ServedRows served_rows(const LoadedModel& model, const RankRequest& asked);

}  // namespace dorm::serve
