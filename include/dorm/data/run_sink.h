// SPDX-License-Identifier: Apache-2.0
// Runs query by query, for those who need no more of them at a time.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "dorm/data/judgments.h"

namespace dorm {

/// The documents of one query of a run, in its order; a view.
struct RunQuery {
  std::string_view id;
  std::span<const std::string_view> documents;
  std::span<const double> scores;
};

/// Takes a run query by query.
class RunSink {
 public:
  virtual ~RunSink() = default;
  /// A run begins, which up to `workers` threads hand on. What came before is void.
  virtual void begin(std::size_t workers) = 0;
  /// All documents of one query, valid during the call; one call at a time for each worker. False: it had come before,
  /// so that the documents of a query do not stand together in this run.
  virtual bool add(const RunQuery& query, std::size_t worker) = 0;
};

/// Hands on a run in memory, gathered by query in the order of their first documents.
void hand_on(std::span<const RunEntry> run, RunSink& sink, std::size_t threads);

}  // namespace dorm
