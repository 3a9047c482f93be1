// SPDX-License-Identifier: Apache-2.0
#include "data/io/binary/input_json.h"

#include <array>

namespace dorm {
namespace {

struct Role {
  const char* key;
  std::string ColumnRoles::*column;
};
constexpr std::array<Role, 5> kRoles = {{{"label", &ColumnRoles::label},
                                         {"query", &ColumnRoles::query},
                                         {"document", &ColumnRoles::document},
                                         {"group", &ColumnRoles::group},
                                         {"weight", &ColumnRoles::weight}}};

Missing missing_from(const JsonFields& fields) {
  const std::string name = fields.optional<std::string>("missing", "a name", "error");
  if (name == "error") return Missing::error;
  if (name == "zero") return Missing::zero;
  if (name == "mean") return Missing::mean;
  if (name == "keep") return Missing::keep;
  fields.fail("missing", "\"error\", \"zero\", \"mean\" or \"keep\"");
}

}  // namespace

Json input_json(const InputDescription& input, const std::vector<std::string>& features) {
  Json out = Json::object();
  for (const auto& [key, role] : kRoles)
    if (input.columns.*role != ColumnRoles().*role) out["columns"][key] = input.columns.*role;
  if (!input.columns.ignored.empty()) out["ignored"] = input.columns.ignored;
  if (input.missing == Missing::error) return out;
  out["missing"] = input.missing == Missing::zero ? "zero" : input.missing == Missing::mean ? "mean" : "keep";
  if (input.missing == Missing::mean) {
    std::vector<double> means;
    for (const std::string& feature : features) {
      const auto mean = input.means.find(feature);
      means.push_back(mean == input.means.end() ? 0 : mean->second);
    }
    out["means"] = means;
  }
  return out;
}

InputDescription input_from_json(const JsonFields& fields, const std::vector<std::string>& features) {
  InputDescription input;
  if (fields.has("columns")) {
    const JsonFields columns = fields.object("columns");
    for (const auto& [key, role] : kRoles)
      input.columns.*role = columns.optional<std::string>(key, "the name of a column", input.columns.*role);
  }
  input.columns.ignored = fields.optional<std::vector<std::string>>("ignored", "a list of names", {});
  input.missing = missing_from(fields);
  const auto means = fields.optional<std::vector<double>>("means", "a list of finite numbers", {});
  if (means.size() != (input.missing == Missing::mean ? features.size() : 0))
    fields.fail("means", "a list of one number per feature beside \"missing\": \"mean\"");
  for (std::size_t j = 0; j < means.size(); ++j) input.means.emplace(features[j], means[j]);
  return input;
}

}  // namespace dorm
