// SPDX-License-Identifier: Apache-2.0
// Ensembles of trees within the JSON of a model.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "dorm/learning/trees.h"

namespace dorm {

Json trees_json(const TreeEnsemble& trees);

/// Throws Error(bad_input) for what is missing, mistyped or no ensemble of these features.
TreeEnsemble trees_from_json(const JsonFields& fields, const std::vector<std::string>& features,
                             const std::string& name);

}  // namespace dorm
