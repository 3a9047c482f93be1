// SPDX-License-Identifier: Apache-2.0
// A module of plain Python, without imports but math. A scaling within queries needs the documents of a query at once,
// so that only score_list is there.
#include <fmt/format.h>

#include "data/scale/scale_rules.h"
#include "model/export/formats.h"
#include "model/export/trees.h"

namespace dorm {

std::string python_string(std::string_view name) {
  std::string out = "\"";
  for (const char32_t c : code_points("python", name)) {
    const auto code = static_cast<std::uint32_t>(c);
    if (c >= ' ' && c <= '~' && c != '"' && c != '\\')
      out += static_cast<char>(c);
    else
      out += code < 0x100 ? fmt::format("\\x{:02x}", code)
                          : (code < 0x10000 ? fmt::format("\\u{:04x}", code) : fmt::format("\\U{:08x}", code));
  }
  return out + '"';
}

namespace {

std::string python_features(const Model& model, const ExportOptions& options) {
  std::string text = "FEATURES = (\n";
  for (std::size_t j = 0; j < model.features.size(); ++j)
    text += fmt::format("    {},\n", python_string(spelling(model, options, j)));
  return text + ")\n";
}

std::string python_tables(const Model& model, const ServedModel& served, const ExportOptions& options) {
  std::string text = python_features(model, options);
  text += fmt::format("\n_CONSTANT = {}\n_TERMS = (  # feature, weight, shift, divisor, value where missing\n",
                      number_text(served.constant));
  for (const ServedModel::Term& term : served.terms)
    text += fmt::format("    ({}, {}, {}, {}, {}),\n", term.feature, number_text(term.weight), number_text(term.shift),
                        number_text(term.divisor), number_text(value_where_missing(model, term.feature)));
  return text + ")\n";
}

/// The values of a document's features that have a term.
std::string python_values(const Model& model, const ServedModel& served, bool columns) {
  const bool fills = fills_gaps(model);
  return fmt::format(
      "\n\ndef _values(features):\n"
      "    named = hasattr(features, \"keys\")\n"
      "    if not named and len(features) != len(FEATURES):\n"
      "        raise ValueError(f\"{{len(features)}} features; expected {{len(FEATURES)}}\")\n"
      "    values = []\n"
      "    for feature, _, _, _, missing in _TERMS:\n"
      "        name = FEATURES[feature]\n"
      "        value = (features[name] if name in features else None) if named else features[feature]\n"
      "{}"
      "        value = missing if value is None else float(value)\n"
      "        if not math.isfinite(value):\n"
      "            {}\n"
      "        values.append({})\n"
      "    return values\n",
      columns ? "        if named and feature in _COLUMNS and (value is None or _COLUMNS[feature][0] == name):\n"
                "            column, rule, argument = _COLUMNS[feature]\n"
                "            value = _encoded(features.get(column), rule, argument)\n"
              : "",
      fills ? "value = missing" : "raise ValueError(f\"feature {name!r} is {value}; expected a finite number\")",
      served.logarithms ? "math.copysign(math.log1p(abs(value)), value)" : "value");
}

constexpr std::string_view kScore =
    "\n\ndef score(features):\n"
    "    \"\"\"The score of a document from its features: a mapping by name, or a sequence in the order of "
    "FEATURES.\"\"\"\n"
    "    total = _CONSTANT\n"
    "    for (_, weight, shift, divisor, _), value in zip(_TERMS, _values(features)):\n"
    "        total += weight * ((value - shift) / divisor)\n"
    "    return total\n"
    "\n\ndef score_list(documents):\n"
    "    \"\"\"The scores of several documents.\"\"\"\n"
    "    return [score(features) for features in documents]\n";

std::string python_score_query(bool range) {
  return fmt::format(
      "\n\ndef score_list(documents):\n"
      "    \"\"\"The scores of all documents of ONE query, which are scaled by each other; each is a mapping by name, "
      "or\n"
      "    a sequence in the order of FEATURES.\"\"\"\n"
      "    rows = [_values(features) for features in documents]\n"
      "    scores = [_CONSTANT] * len(rows)\n"
      "    for k, (_, weight, _, _, _) in enumerate(_TERMS):\n"
      "        column = [row[k] for row in rows]\n"
      "        if not column or min(column) == max(column):\n"
      "            continue\n"
      "{}"
      "        if width > 0:\n"
      "            for i, value in enumerate(column):\n"
      "                scores[i] += weight * ((value - shift) / width)\n"
      "    return scores\n",
      range ? "        shift = min(column)\n        width = max(column) - shift\n"
            : "        shift = sum(column) / len(column)\n"
              "        width = math.sqrt(sum((value - shift) ** 2 for value in column) / len(column))\n");
}

}  // namespace

Exported export_python(const Model& model, const ExportOptions& options) {
  ServedModel served = model.trees ? served_trees(model, {}) : in_doubles(model, options);
  const std::string columns = python_columns(model, served, options);
  std::string text = fmt::format(
      "# {}\n\"\"\"The score of a document, the higher the better, from its features.\n\n{}{}\n\"\"\"\n\n{}import "
      "math\n{}\n",
      provenance(model), missing_rule(model), " What a mapping lacks counts as missing.",
      columns.empty() ? "" : "import datetime\n", columns.empty() ? "" : "import re\nimport struct\n");
  if (model.trees)
    return one_file(text + python_features(model, options) + python_tree_functions(model), std::move(served));
  text += python_tables(model, served, options) + columns + python_values(model, served, !columns.empty());
  text += served.within_query == ScalingKind::none ? std::string(kScore)
                                                   : python_score_query(uses_range(served.within_query));
  return one_file(std::move(text), std::move(served));
}

}  // namespace dorm
