// SPDX-License-Identifier: Apache-2.0
#include "dorm/any_model.h"

namespace dorm {

std::optional<SavedModel> load_saved_model(const std::string& path) {
  if (is_factor_file(path)) return load_factors(path);
  switch (kind_of_model_file(path)) {
    case ModelKind::none:
      return std::nullopt;
    case ModelKind::ranker:
      return load_model(path);
    case ModelKind::positions:
      return load_position_model(path);
  }
  return std::nullopt;
}

}  // namespace dorm
