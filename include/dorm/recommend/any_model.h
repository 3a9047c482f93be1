// SPDX-License-Identifier: Apache-2.0
// A saved model of any kind, whatever it ranks.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "dorm/model.h"
#include "dorm/recommend/factorize.h"
#include "dorm/recommend/implicit.h"
#include "dorm/recommend/joint_model.h"

namespace dorm {

using SavedModel = std::variant<Model, PositionModel, FactorModel, JointModel, ImplicitModel>;

/// Nothing when the file is no model at all. Throws Error(bad_input) for a model that is damaged or newer.
std::optional<SavedModel> load_saved_model(const std::string& path);

/// A model that ranks items for users; a file of another kind is refused as by load_factors().
using Recommender = std::variant<FactorModel, JointModel, ImplicitModel>;
Recommender load_recommender(const std::string& path);

}  // namespace dorm
