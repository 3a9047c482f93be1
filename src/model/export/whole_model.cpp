// SPDX-License-Identifier: Apache-2.0
// Folders that hold the model itself, for tools that score through this library.
#include <fmt/format.h>

#include "dorm/error.h"
#include "model/export/formats.h"

namespace dorm {

Exported whole_model(std::string_view target, const Model& model, const ExportOptions& options) {
  if (!options.names.empty())
    throw Error(ErrorCode::unsupported,
                fmt::format("{} keeps the names of the model's features; expected no map of names", target));
  if (options.non_negative)
    throw Error(ErrorCode::unsupported,
                fmt::format("{} keeps the model's scores, negative ones, too; expected a target with weights", target));
  Exported exported;
  exported.files.push_back({std::string(kWholeModelFile), to_json(model)});
  exported.served.scores = [model](const Dataset& data) { return score(model, data); };
  return exported;
}

}  // namespace dorm
