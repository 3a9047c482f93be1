// SPDX-License-Identifier: Apache-2.0
#include "data/io/binary/input_json.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "data/encode/encoding_words.h"
#include "dorm/error.h"

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

/// As the command takes them.
MissingRules missing_from(const JsonFields& fields) {
  const std::string rules = fields.optional<std::string>("missing", "a rule", "error");
  try {
    return parse_missing(rules);
  } catch (const Error&) {
    fields.fail("missing", "rules such as \"mean\" or \"mean,bm25=query-min\"");
  }
}

Json encoding_json(const ColumnEncoding& encoding) {
  Json out = {{"column", encoding.column}, {"rule", std::string(rule_name(encoding.rule))}};
  if (encoding.fewest > 0) out["fewest"] = encoding.fewest;
  if (encoding.order != DateOrder::unknown) out["order"] = encoding.order == DateOrder::day_first ? "dmy" : "mdy";
  if (encoding.rule == Encode::onehot) out["values"] = encoding.values;
  if (encoding.others) out["others"] = true;
  if (encoding.rule == Encode::age) out["reference"] = encoding.reference;
  return out;
}

ColumnEncoding encoding_from(const JsonFields& fields) {
  ColumnEncoding out;
  out.column = fields.required<std::string>("column", "the name of a column");
  const auto rule = fields.required<std::string>("rule", "the name of an encoding");
  const auto order = fields.optional<std::string>("order", "dmy or mdy", "");
  out.rule = Encode::indicator;
  for (std::size_t k = 0; k < encoding_catalog().size(); ++k)
    if (encoding_catalog()[k].name == rule) out.rule = static_cast<Encode>(k);
  if (out.rule == Encode::indicator && rule != rule_name(out.rule)) fields.fail("rule", "the name of an encoding");
  if (!order.empty() && order != "dmy" && order != "mdy") fields.fail("order", "\"dmy\" or \"mdy\"");
  if (!order.empty()) out.order = order == "dmy" ? DateOrder::day_first : DateOrder::month_first;
  out.fewest = fields.optional<std::size_t>("fewest", "a whole number", 0);
  out.values = fields.optional<std::vector<std::string>>("values", "a list of texts", {});
  if (!std::is_sorted(out.values.begin(), out.values.end())) fields.fail("values", "a sorted list");
  out.others = fields.optional<bool>("others", "true or false", false);
  out.reference = fields.optional<double>("reference", "a number of days", 0);
  if (std::fabs(out.reference) > 1e7) fields.fail("reference", "days from 1970-01-01");
  out.fitted = true;
  return out;
}

}  // namespace

Json encodings_json(const std::vector<ColumnEncoding>& encodings) {
  Json out = Json::array();
  for (const ColumnEncoding& encoding : encodings) out.push_back(encoding_json(encoding));
  return out;
}

std::vector<ColumnEncoding> encodings_from_json(const JsonFields& fields) {
  std::vector<ColumnEncoding> out;
  for (const JsonFields& encoding : fields.objects("encodings", "a list of encodings"))
    out.push_back(encoding_from(encoding));
  return out;
}

Json input_json(const InputDescription& input, const std::vector<std::string>& features) {
  Json out = Json::object();
  for (const auto& [key, role] : kRoles)
    if (input.columns.*role != ColumnRoles().*role) out["columns"][key] = input.columns.*role;
  if (!input.columns.ignored.empty()) out["ignored"] = input.columns.ignored;
  if (!input.encodings.empty()) out["encodings"] = encodings_json(input.encodings);
  if (input.missing == Missing::error && input.missing_by_column.empty()) return out;
  out["missing"] = missing_text(input.missing, input.missing_by_column);
  if (input.fills()) {
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
  const MissingRules rules = missing_from(fields);
  input.missing = rules.missing;
  input.missing_by_column = rules.by_column;
  const auto means = fields.optional<std::vector<double>>("means", "a list of finite numbers", {});
  if (means.size() != (input.fills() ? features.size() : 0))
    fields.fail("means", "a list of one number per feature beside a rule for missing values that needs it");
  if (fields.has("encodings")) input.encodings = encodings_from_json(fields);
  for (std::size_t j = 0; j < means.size(); ++j) input.means.emplace(features[j], means[j]);
  return input;
}

}  // namespace dorm
