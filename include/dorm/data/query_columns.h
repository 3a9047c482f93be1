// SPDX-License-Identifier: Apache-2.0
// Columns that all documents of a query share: features of the user who searches. A kernel that multiplies them with
// columns of the documents, as in linear(user:*) * linear(genre*), ranks for each user (docs/personalisation.md).
#pragma once

#include <cstddef>

#include "dorm/data/judgments.h"
#include "dorm/dataset.h"

namespace dorm {

/// The same data with the features of `users` behind its own, in columns called "user:NAME". The user of a query is the
/// row whose id is that of the query; queries without a row have 0 there, and `unknown`, if not nullptr, becomes their
/// number. Throws Error(bad_input) when no query has a row, for a value that is not finite, and when the data has a
/// column of such a name already.
Dataset with_user_columns(const Dataset& data, const SideFeatures& users, std::size_t* unknown = nullptr,
                          std::size_t threads = 0);

}  // namespace dorm
