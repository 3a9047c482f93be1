// SPDX-License-Identifier: Apache-2.0
#include "model/signs_json.h"

#include <algorithm>
#include <string>

namespace dorm {
namespace {

/// The names of the features whose weight has this sign.
std::vector<std::string> features_of_sign(const Model& model, std::int8_t sign) {
  std::vector<std::string> names;
  for (std::size_t j = 0; j < model.signs.size(); ++j)
    if (model.signs[j] == sign) names.push_back(model.features[j]);
  return names;
}

}  // namespace

Json signs_json(const Model& model) {
  return {{"increasing", features_of_sign(model, 1)}, {"decreasing", features_of_sign(model, -1)}};
}

std::vector<std::int8_t> signs_from(const JsonFields& fields, const Model& model) {
  std::vector<std::int8_t> signs(model.features.size(), 0);
  const auto read = [&](const char* field, std::int8_t sign) {
    for (const std::string& name : fields.required<std::vector<std::string>>(field, "a list of names")) {
      const auto found = std::find(model.features.begin(), model.features.end(), name);
      if (found == model.features.end()) fields.fail(field, "names of features of the model");
      signs[static_cast<std::size_t>(found - model.features.begin())] = sign;
    }
  };
  read("increasing", 1);
  read("decreasing", -1);
  return signs;
}

}  // namespace dorm
