// SPDX-License-Identifier: Apache-2.0
// A folder that MLflow loads, though MLflow has not written it: the model, what MLflow has to know of it, and the
// packages it needs. python/dorm/mlflow.py is the loader that the folder names.
#include <fmt/format.h>

#include "base/json.h"
#include "model/export/formats.h"

namespace dorm {
namespace {

constexpr std::string_view kQueryColumn = "qid";

/// The columns of a data frame to score: the features and the queries, whose ids may be of any type. As JSON in ASCII:
/// no reader of YAML has to understand a name.
std::string mlflow_columns(const Model& model) {
  Json columns = Json::array();
  for (const std::string& feature : model.features) {
    if (feature == kQueryColumn) refuse_name("mlflow", feature, "the column of that name holds the queries");
    columns.push_back({{"type", "double"}, {"name", feature}, {"required", true}});
  }
  columns.push_back({{"type", "any"}, {"name", kQueryColumn}, {"required", model.scaling.per_query()}});
  return columns.dump(-1, ' ', true);
}

constexpr std::string_view kScores = R"([{"type": "tensor", "tensor-spec": {"dtype": "float64", "shape": [-1]}}])";

std::string mlflow_description(const Model& model, const ExportOptions& options) {
  std::string out = fmt::format(
      "flavors:\n"
      "  dorm:\n"
      "    data: {0}\n"
      "    dorm_version: {1}\n"
      "  python_function:\n"
      "    data: {0}\n"
      "    env:\n"
      "      virtualenv: python_env.yaml\n"
      "    loader_module: dorm.mlflow\n"
      "metadata:\n",
      kWholeModelFile, yaml_text(DORM_VERSION));
  const std::pair<std::string_view, std::string> facts[] = {
      {"name", options.name},
      {"measure", model.measure},
      {"convention", model.convention},
      {"scaling", std::string(name_of(model.scaling.kind))},
      {"data_fingerprint", fmt::format("{:016x}", model.data.fingerprint)},
  };
  for (const auto& [key, value] : facts) out += fmt::format("  {}: {}\n", key, yaml_text(value));
  return out +
         fmt::format("signature:\n  inputs: {}\n  outputs: {}\n", yaml_text(mlflow_columns(model)), yaml_text(kScores));
}

}  // namespace

Exported export_mlflow(const Model& model, const ExportOptions& options) {
  Exported exported = whole_model("mlflow", model, options);
  exported.files.push_back({"MLmodel", mlflow_description(model, options)});
  exported.files.push_back({"python_env.yaml", "dependencies:\n- -r requirements.txt\n"});
  exported.files.push_back({"requirements.txt", fmt::format("mlflow\npandas\ndorm-rank>={}\n", DORM_VERSION)});
  if (model.scaling.per_query())
    exported.notes.push_back(
        fmt::format("the model scales features within each query ({}): data frames to score need "
                    "a column {}",
                    name_of(model.scaling.kind), kQueryColumn));
  return exported;
}

}  // namespace dorm
