// SPDX-License-Identifier: Apache-2.0
// A module of plain Python, without imports but math. A scaling within queries needs the documents of a query at once,
// so that only score_list is there.
#include <fmt/format.h>

#include <cmath>

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

/// What the functions read: the features that the score uses, and what stands for gaps.
struct PythonInputs {
  std::string used;    // feature, value where missing, and whether NaN is an error
  std::string lowest;  // places in it
  bool gaps = false;   // some are 1 where the feature is missing, else 0: None instead of a value
};

PythonInputs python_inputs(const Model& model, const ServedModel& served, const ExportOptions& options) {
  PythonInputs inputs;
  std::size_t place = 0;
  const auto add = [&](std::size_t feature, bool gap) {
    const bool keeps =
        !model.curves && (model.data.input.missing == Missing::keep || (model.trees && !may_lack(model, feature)));
    inputs.gaps |= gap;
    inputs.used += fmt::format("    ({}, {}, {}),\n", feature,
                               gap     ? "None"
                               : keeps ? "math.nan"
                                       : number_text(value_where_missing(model, feature)),
                               keeps || may_lack(model, feature) ? "False" : "True");
    if (takes_query_minimum(model, feature, options)) inputs.lowest += fmt::format("{}, ", place);
    ++place;
  };
  if (model.trees)
    for (std::size_t j = 0; j < model.features.size(); ++j) add(j, false);
  else
    for (const ServedModel::Term& term : served.terms) add(term.feature, term.part == ServedModel::Part::gap);
  return inputs;
}

/// The values of documents' features that the score uses.
std::string python_rows(const PythonInputs& inputs, bool columns, bool logarithms) {
  return fmt::format(
      "\n_USED = (  # feature, value where missing, whether NaN is refused\n{}"
      ")\n{}"
      "\n\ndef _values(features):\n"
      "    named = hasattr(features, \"keys\")\n"
      "    if not named and len(features) != len(FEATURES):\n"
      "        raise ValueError(f\"{{len(features)}} features; expected {{len(FEATURES)}}\")\n"
      "    values = []\n"
      "    for {} in {}_USED{}:\n"
      "        name = FEATURES[feature]\n"
      "        value = (features[name] if name in features else None) if named else features[feature]\n"
      "{}"
      "        value = {}missing if value is None else float(value)\n"
      "        if not math.isfinite(value):\n"
      "            if refused:\n"
      "                raise ValueError(f\"feature {{name!r}} is {{value}}; expected a finite number\")\n"
      "            value = {}missing\n"
      "        values.append(value)\n"
      "    return values\n"
      "\n\ndef _rows(documents):\n"
      "    rows = [_values(features) for features in documents]\n"
      "{}"
      "    return {}\n",
      inputs.used,
      inputs.lowest.empty() ? ""
                            : fmt::format("_LOWEST = ({})  # places there: the smallest value of the query stands for "
                                          "what is missing\n",
                                          inputs.lowest),
      inputs.lowest.empty() ? "feature, missing, refused" : "place, (feature, missing, refused)",
      inputs.lowest.empty() ? "" : "enumerate(", inputs.lowest.empty() ? "" : ")",
      (inputs.gaps ? fmt::format("        if missing is None:\n"
                                 "            gap = value is None or not math.isfinite(float(value))\n"
                                 "            values.append({} if gap else 0.0)\n"
                                 "            continue\n",
                                 logarithms ? "math.expm1(1.0)" : "1.0")
                   : std::string()) +
          (columns ? "        if named and feature in _COLUMNS and (value is None or _COLUMNS[feature][0] == name):\n"
                     "            column, rule, argument = _COLUMNS[feature]\n"
                     "            value = _encoded(features.get(column), rule, argument)\n"
                   : ""),
      inputs.lowest.empty() ? "" : "math.nan if value is None and place in _LOWEST else ",
      inputs.lowest.empty() ? "" : "math.nan if place in _LOWEST else ",
      inputs.lowest.empty() ? ""
                            : "    for place in _LOWEST:\n"
                              "        known = [row[place] for row in rows if not math.isnan(row[place])]\n"
                              "        lowest = min(known) if known else _USED[place][1]\n"
                              "        for row in rows:\n"
                              "            row[place] = lowest if math.isnan(row[place]) else row[place]\n",
      logarithms ? "[[math.copysign(math.log1p(abs(value)), value) for value in row] for row in rows]" : "rows");
}

std::string python_terms(const ServedModel& served) {
  std::string text =
      fmt::format("\n_CONSTANT = {}\n_TERMS = (  # weight, shift, divisor\n", number_text(served.constant));
  for (const ServedModel::Term& term : served.terms)
    text += fmt::format("    ({}, {}, {}),\n", number_text(term.weight), number_text(term.shift),
                        number_text(term.divisor));
  if (!has_held_terms(served)) return text + ")\n";
  const auto limit = [](double x) { return std::isinf(x) ? (x < 0 ? "-math.inf" : "math.inf") : number_text(x); };
  text += ")\n_HELD = (  # of each term: what its value is held between\n";
  for (const ServedModel::Term& term : served.terms)
    text += fmt::format("    ({}, {}),\n", limit(term.low), limit(term.high));
  return text + ")\n";
}

std::string python_sum(bool held) {
  return fmt::format(
      "\n\ndef _score(values):\n"
      "    total = _CONSTANT\n"
      "    for (weight, shift, divisor), {}value in zip(_TERMS, {}values):\n"
      "        total += weight * (({} - shift) / divisor)\n"
      "    return total\n",
      held ? "(low, high), " : "", held ? "_HELD, " : "", held ? "min(max(value, low), high)" : "value");
}

constexpr std::string_view kScore =
    "\n\ndef score(features):\n"
    "    \"\"\"The score of a document from its features: a mapping by name, or a sequence in the order of "
    "FEATURES.\"\"\"\n"
    "    return score_list([features])[0]\n"
    "\n\ndef score_list(documents):\n"
    "    \"\"\"The scores of {}.\"\"\"\n"
    "    return [_score(values) for values in _rows(documents)]\n";

std::string python_score_query(bool range) {
  return fmt::format(
      "\n\ndef score_list(documents):\n"
      "    \"\"\"The scores of all documents of ONE query, which are scaled by each other; each is a mapping by name, "
      "or\n"
      "    a sequence in the order of FEATURES.\"\"\"\n"
      "    rows = _rows(documents)\n"
      "    scores = [_CONSTANT] * len(rows)\n"
      "    for k, (weight, _, _) in enumerate(_TERMS):\n"
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

/// The functions of a model that is no sum.
std::string python_functions(const Model& model, const ExportOptions& options, bool columns, ServedModel& served) {
  served = model.trees ? served_trees(model, {}) : in_doubles(model, options);
  const PythonInputs inputs = python_inputs(model, served, options);
  std::string text = python_rows(inputs, columns, served.logarithms);
  if (!model.trees) text += python_terms(served);
  if (served.within_query != ScalingKind::none) return text + python_score_query(uses_range(served.within_query));
  text += model.trees ? python_tree_functions(model) : python_sum(has_held_terms(served));
  const std::string_view documents = inputs.lowest.empty() ? "several documents" : "all documents of ONE query";
  return text + fmt::format(fmt::runtime(kScore), documents);
}

/// A function around the functions of every part, whose names are its own.
std::string python_parts(const Model& model, const ExportOptions& options, bool columns) {
  std::string text, names;
  for (std::size_t k = 0; k < model.parts.size(); ++k) {
    const Model& part = *model.parts[k].ranker;
    ServedModel served;
    text += fmt::format("\n\ndef _part{}():\n    \"\"\"{}\"\"\"\n", k + 1, missing_rule(part));
    const std::string lines = python_functions(part, options, columns, served);
    for (std::size_t begin = 0; begin < lines.size();) {
      const std::size_t end = std::min(lines.find('\n', begin), lines.size() - 1) + 1;
      text += (end > begin + 1 ? "    " : "") + lines.substr(begin, end - begin);
      begin = end;
    }
    text += "\n    return score_list\n";
    names += fmt::format("_part{}(), ", k + 1);
  }
  return text +
         fmt::format(
             "\n\n_PARTS = ({})\n"
             "\n\ndef score_list(documents):\n"
             "    \"\"\"The scores of all documents of ONE query; each is a mapping by name, or a sequence in the "
             "order of\n    FEATURES.\"\"\"\n"
             "    documents = list(documents)\n"
             "    return [sum(each) for each in zip(*[part(documents) for part in _PARTS])]\n",
             names);
}

}  // namespace

Exported export_python(const Model& model, const ExportOptions& options) {
  const std::string columns = python_columns(model, options);
  ServedModel served;
  const bool sum = model.kind() == Model::Kind::sum;
  const std::string functions =
      sum ? python_parts(model, options, !columns.empty()) : python_functions(model, options, !columns.empty(), served);
  std::string text = fmt::format(
      "# {}\n\"\"\"The score of a document, the higher the better, from its features.\n\n{}{}\n\"\"\"\n\n{}import "
      "math\n{}\n",
      provenance(model), sum ? "It is a sum of parts." : missing_rule(model),
      " What a mapping lacks counts as missing.", columns.empty() ? "" : "import datetime\n",
      columns.empty() ? "" : "import re\nimport struct\n");
  return one_file(text + python_features(model, options) + columns + functions, std::move(served));
}

}  // namespace dorm
