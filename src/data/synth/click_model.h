// SPDX-License-Identifier: Apache-2.0
// One page of results and a user: clicks drawn, or their probabilities.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/rng.h"
#include "dorm/clicks/simulate_clicks.h"

namespace dorm {

class PageOfResults {
 public:
  /// `relevance` in [0, 1], from the top.
  PageOfResults(const ClickSimulation& options, std::vector<double> relevance);

  std::size_t size() const { return attraction_.size(); }

  /// Which positions one user clicks.
  void draw(Rng& rng, std::vector<bool>& clicked) const;

  /// The probabilities of a click and, of models that have it, of a look at each position.
  struct Expected {
    std::vector<double> click, look;
  };
  Expected expected() const;

 private:
  /// That position k (from 1) is looked at, the last click before it being at j.
  double look(std::size_t k, std::size_t j) const;
  double attraction(std::size_t k) const { return attraction_[k - 1]; }

  ClickModel model_;
  double go_on_;
  std::vector<double> attraction_;  // P(click | looked at)
  std::vector<double> by_rank_;     // k^-eta, or k^(-eta / 2) for ubm; from k = 1
};

/// Of trust bias: P(click) = alpha rel + beta at position k.
PositionPropensity true_propensity(const ClickSimulation& options, std::uint32_t k);

}  // namespace dorm
