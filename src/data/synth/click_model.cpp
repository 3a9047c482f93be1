// SPDX-License-Identifier: Apache-2.0
// All models are one: a document is clicked when it is looked at and attracts, and whether it is looked at depends on
// its position and on the last click above it.
#include "data/synth/click_model.h"

#include <algorithm>
#include <cmath>

#include "base/numeric.h"

namespace dorm {
namespace {

double looked_at(const ClickSimulation& options, std::size_t k) { return std::pow(1 / real(k), options.eta); }

double trusted(std::size_t k) { return 1 - (real(std::min<std::size_t>(k, 20)) + 1) / 100; }
double mistaken(const ClickSimulation& options, std::size_t k) {
  return options.trust / real(std::min<std::size_t>(k, 10));
}

}  // namespace

PositionPropensity true_propensity(const ClickSimulation& options, std::uint32_t k) {
  PositionPropensity out{.position = k, .propensity = looked_at(options, k)};
  if (options.model != ClickModel::trust) return out;
  out.alpha = out.propensity * (trusted(k) - mistaken(options, k));
  out.beta = out.propensity * mistaken(options, k);
  return out;
}

PageOfResults::PageOfResults(const ClickSimulation& options, std::vector<double> relevance)
    : model_(options.model), go_on_(options.go_on), attraction_(std::move(relevance)) {
  for (std::size_t k = 1; k <= size(); ++k) {
    double& rel = attraction_[k - 1];
    if (model_ == ClickModel::trust)
      rel = trusted(k) * rel + mistaken(options, k) * (1 - rel);
    else
      rel = options.noise + (1 - options.noise) * rel;
    const double look = looked_at(options, k);
    by_rank_.push_back(model_ == ClickModel::ubm ? std::sqrt(look) : look);
  }
}

double PageOfResults::look(std::size_t k, std::size_t j) const {
  if (model_ == ClickModel::ubm) return by_rank_[k - 1] * by_rank_[k - j - 1];
  return by_rank_[k - 1];
}

void PageOfResults::draw(Rng& rng, std::vector<bool>& clicked) const {
  clicked.assign(size(), false);
  std::size_t last = 0;
  for (std::size_t k = 1; k <= size(); ++k) {
    const double p = (model_ == ClickModel::cascade ? 1.0 : look(k, last)) * attraction(k);
    if (rng.uniform() >= p) continue;
    clicked[k - 1] = true;
    last = k;
    if (model_ == ClickModel::cascade && rng.uniform() >= go_on_) return;
  }
}

PageOfResults::Expected PageOfResults::expected() const {
  Expected out;
  std::vector<double> last_at(size() + 1, 0.0);  // P(the last click so far is at j)
  last_at[0] = 1;
  double reading = 1;  // of cascade: P(this far)
  for (std::size_t k = 1; k <= size(); ++k) {
    double looks = 0;
    if (model_ == ClickModel::cascade) {
      looks = reading;
      reading *= 1 - attraction(k) * (1 - go_on_);
    } else {
      for (std::size_t j = 0; j < k; ++j) looks += last_at[j] * look(k, j);
      for (std::size_t j = 0; j < k; ++j) last_at[j] *= 1 - look(k, j) * attraction(k);
      last_at[k] = looks * attraction(k);
    }
    out.look.push_back(looks);
    out.click.push_back(looks * attraction(k));
  }
  return out;
}

}  // namespace dorm
