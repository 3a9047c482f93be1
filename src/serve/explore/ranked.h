// SPDX-License-Identifier: Apache-2.0
// A model over all queries: scores, the measure of each query, and how it stands beside the first model.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "serve/explore/query_values.h"

namespace dorm::explore {

class Ranked {
 public:
  /// `first`: what it is compared with; null for the first model itself. All that is given must outlive this.
  Ranked(Model model, Dataset data, std::shared_ptr<const ScoreTable> scores, const QueryValues& measure,
         const Ranked* first);

  const Model& model() const { return model_; }
  const Dataset& data() const { return data_; }
  const std::shared_ptr<const ScoreTable>& scores() const { return scores_; }
  std::vector<double> scores_of(std::size_t q) const;

  const std::vector<double>& values() const { return values_; }  // of the measure, by query; NaN: none
  /// What follows is found when somebody asks for the first time, by any thread.
  const MeasureResult& estimate() const;
  const PairedTest& test() const;  // against the first
  /// By query: against the first; of the first itself by labels.
  const std::vector<std::uint64_t>& swaps() const;
  std::uint64_t swaps_of(std::size_t q) const;

 private:
  Model model_;
  Dataset data_;
  std::shared_ptr<const ScoreTable> scores_;
  const QueryValues& measure_;
  const Ranked* first_;
  std::vector<double> values_;
  mutable std::once_flag estimated_, tested_, counted_;
  mutable MeasureResult estimate_;
  mutable PairedTest test_;
  mutable std::vector<std::uint64_t> swaps_;
};

}  // namespace dorm::explore
