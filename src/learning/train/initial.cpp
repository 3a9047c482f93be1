// SPDX-License-Identifier: Apache-2.0
#include "learning/train/initial.h"

#include <fmt/format.h>

#include <unordered_map>

#include "dorm/base/catalog.h"
#include "dorm/error.h"

namespace dorm {

std::vector<double> initial_weights(const Model& model, const Model& training) {
  if (!model.linear())
    throw Error(ErrorCode::bad_option,
                fmt::format("the initial model is not linear ({}); expected one with weights", name_of(model.kind())));
  const Scaling &then = model.scaling, &now = training.scaling;
  if (then.kind != now.kind)
    throw Error(ErrorCode::bad_option,
                fmt::format("the initial model was trained on features scaled by {}, but here they are scaled "
                            "by {}; set the scaling to {}",
                            name_of(then.kind), name_of(now.kind), name_of(then.kind)));
  std::unordered_map<std::string, std::size_t> index;
  for (std::size_t k = 0; k < model.features.size(); ++k) index.emplace(model.features[k], k);
  std::vector<double> w(training.features.size(), 0.0);
  for (std::size_t j = 0; j < w.size(); ++j) {
    const auto found = index.find(training.features[j]);
    if (found == index.end()) continue;
    w[j] = model.weights[found->second];
    if (!now.factor.empty()) w[j] = now.factor[j] > 0 ? w[j] * then.factor[found->second] / now.factor[j] : 0.0;
  }
  return w;
}

}  // namespace dorm
