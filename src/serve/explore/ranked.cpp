// SPDX-License-Identifier: Apache-2.0
#include "serve/explore/ranked.h"

#include <algorithm>

#include "base/parallel.h"
#include "serve/explore/swaps.h"

namespace dorm::explore {
namespace {

constexpr std::size_t kCountedAtOnce = 32;  // queries

}  // namespace

Ranked::Ranked(Model model, Dataset data, std::shared_ptr<const ScoreTable> scores, const QueryValues& measure,
               const Ranked* first)
    : model_(std::move(model)),
      data_(std::move(data)),
      scores_(std::move(scores)),
      measure_(measure),
      first_(first),
      values_(measure.values(*scores_)) {}

std::vector<double> Ranked::scores_of(std::size_t q) const {
  const std::size_t first = data_.first_document(q);
  return scores_->load(first, data_.first_document(q + 1) - first);
}

const MeasureResult& Ranked::estimate() const {
  std::call_once(estimated_, [this] { estimate_ = measure_.estimate(values_); });
  return estimate_;
}

const PairedTest& Ranked::test() const {
  std::call_once(tested_, [this] {
    if (first_) test_ = compare(values_, first_->values(), measure_.options());
  });
  return test_;
}

std::uint64_t Ranked::swaps_of(std::size_t q) const {
  if (!first_) return label_swaps(data_.query(q).labels, scores_of(q), measure_.cutoff());
  return ranking_swaps(first_->scores_of(q), scores_of(q), measure_.cutoff());
}

const std::vector<std::uint64_t>& Ranked::swaps() const {
  std::call_once(counted_, [this] {
    std::vector<std::uint64_t> swaps(data_.num_queries());
    const std::size_t pieces = (swaps.size() + kCountedAtOnce - 1) / kCountedAtOnce;
    parallel_for(pieces, measure_.options().threads, [&](std::size_t piece, std::size_t) {
      const std::size_t end = std::min(swaps.size(), (piece + 1) * kCountedAtOnce);
      for (std::size_t q = piece * kCountedAtOnce; q < end; ++q) swaps[q] = swaps_of(q);
    });
    swaps_ = std::move(swaps);
  });
  return swaps_;
}

}  // namespace dorm::explore
