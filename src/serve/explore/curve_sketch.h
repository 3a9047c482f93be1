// SPDX-License-Identifier: Apache-2.0
// What is drawn under and beside the curves of a model: where the values of features lie, and how far they move
// documents.
#pragma once

#include <cstdint>
#include <vector>

#include "dorm/model.h"

namespace dorm::explore {

struct CurveSketch {
  static constexpr std::size_t kBins = 40;
  struct Feature {
    double low = 0, high = 0;           // scaled: what is drawn, from the first point to the last and a little more
    std::vector<std::uint32_t> counts;  // of documents, by bin of what is drawn
    double moves = 0;                   // standard deviation within queries of what it adds
  };

  /// Of the first documents, some ten thousand.
  CurveSketch(const Model& model, const Dataset& data, std::size_t threads);

  std::vector<Feature> features;
  std::vector<std::size_t> order;  // those that move documents most first
};

}  // namespace dorm::explore
