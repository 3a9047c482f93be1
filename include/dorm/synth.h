// SPDX-License-Identifier: Apache-2.0
// Generated data that looks like web search: log-normal list lengths, five grades with the mix 52/32/13/2/1,
// query-level effects, sites as groups. The same options give the same bytes on every platform.
#pragma once

#include <cstddef>
#include <cstdint>

#include "dorm/dataset.h"

namespace dorm {

struct SynthOptions {
  std::uint64_t queries = 1000;
  std::uint64_t features = 136;
  double documents_median = 50;   // per query; log-normal
  double documents_spread = 0.5;  // standard deviation of the logarithm; 0 makes all lists equally long
  std::uint64_t documents_min = 1, documents_max = 1000000;
  double density = 1.0;  // share of non-zero features; below 0.25 the data is stored compressed
  // standard deviation of the label noise against a signal of 1; at 1 a linear ranker reaches an NDCG@10 of about .7
  double noise = 1.0;
  double query_effect = 0.5;  // standard deviation of the shift all documents of a query share
  std::uint64_t groups = 0;   // sites the documents fall into, with Zipf-like shares in a query; 0: none
  std::uint64_t seed = 0;
  std::size_t threads = 0;  // 0: all cores; the result does not depend on it

  void validate() const;  // throws Error(bad_option) naming the field, its value and the range
};

Dataset synthesize(const SynthOptions& options);

}  // namespace dorm
