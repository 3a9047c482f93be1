// SPDX-License-Identifier: Apache-2.0
// One header of C99, C11 and C++17: numbers are hexadecimal, so that a compiler reads the very ones of the model. All
// functions are static inline and allocate nothing. A scaling within queries needs the documents of a query at once, so
// that only NAME_score_list is there.
#include <fmt/format.h>

#include <cmath>

#include "base/quote.h"
#include "data/scale/scale_rules.h"
#include "dorm/error.h"
#include "model/align.h"
#include "model/export/formats.h"
#include "model/export/trees.h"

namespace dorm {

std::string c_string(std::string_view name) {
  constexpr std::size_t kLongestString = 4095;  // that C promises to hold
  if (name.find('\0') != std::string_view::npos) refuse_name("c", name, "a string of C ends at its first zero byte");
  if (name.size() > kLongestString)
    refuse_name("c", name, fmt::format("a string of C holds {} bytes at most", kLongestString));
  std::string out = "\"";
  for (const char c : name) {
    const bool plain = c >= ' ' && c <= '~' && c != '"' && c != '\\' && c != '?';  // ?: no trigraphs
    out += plain ? std::string(1, c) : fmt::format("\\{:03o}", static_cast<unsigned char>(c));
  }
  return out + '"';
}

namespace {

/// What all identifiers of the header begin with.
void require_c_prefix(std::string_view name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  bool good = !name.empty() && letter(name[0]);
  for (const char c : name) good = good && (letter(c) || (c >= '0' && c <= '9') || c == '_');
  if (!good)
    throw Error(ErrorCode::bad_option,
                fmt::format("the name of the model is {}; c expects a letter, and letters, digits or _ behind it",
                            in_quotes(name)));
}

/// What the functions are written from.
struct Header {
  const Model& model;
  const ServedModel& served;
  const ExportOptions& options;
  const std::string& name;
  bool fills;   // missing values become something
  bool lowest;  // the smallest value of the query, of some
  bool scales;  // terms have a shift or a divisor
  bool holds;   // terms are pieces of curves
  bool gaps;    // terms are what a missing value adds
};

std::string c_number(double value) {
  return std::isinf(value) ? (value < 0 ? "-HUGE_VAL" : "HUGE_VAL") : fmt::format("{:a}", value);
}

std::string c_width(const Model& model, const std::string& name) {
  return fmt::format("enum {{ {0}_num_features = {1} }};\n\n", name, model.features.size());
}

std::string c_names(const Model& model, const ExportOptions& options) {
  std::string text = c_width(model, options.name) + fmt::format(
                                                        "/* The name of feature j. */\n"
                                                        "static inline const char *{0}_feature(size_t j) {{\n"
                                                        "  static const char *const names[] = {{\n",
                                                        options.name);
  for (std::size_t j = 0; j < model.features.size(); ++j)
    text += fmt::format("      {},\n", c_string(spelling(model, options, j)));
  return text + "  };\n  return names[j];\n}\n\n";
}

std::string c_value(const Header& header) {
  return fmt::format("static inline double {}_value(double x{}) {{\n{}{}  return x;\n}}\n\n", header.name,
                     header.fills ? ", double missing" : "", header.fills ? "  if (!isfinite(x)) x = missing;\n" : "",
                     header.served.logarithms ? "  x = copysign(log1p(fabs(x)), x);\n" : "") +
         (header.holds ? fmt::format("static inline double {}_held(double x, double low, double high) {{\n"
                                     "  return x < low ? low : x > high ? high : x;\n}}\n\n",
                                     header.name)
                       : "");
}

std::string c_terms(const Header& header) {
  std::string text = fmt::format(
      "  static const struct {{\n    size_t feature;\n    double weight{}{}{};{}{}\n  }} terms[] = {{\n",
      header.scales ? ", shift, divisor" : "", header.holds ? ", low, high" : "", header.fills ? ", missing" : "",
      header.gaps ? "\n    int gap; /* the value is 1 where it is missing, else 0 */" : "",
      header.lowest ? "\n    int lowest; /* of the query stands for what is missing */" : "");
  for (const ServedModel::Term& term : header.served.terms) {
    text += fmt::format("      {{{}, {:a}", term.feature, term.weight);
    if (header.scales) text += fmt::format(", {:a}, {:a}", term.shift, term.divisor);
    if (header.holds) text += fmt::format(", {}, {}", c_number(term.low), c_number(term.high));
    const bool lacks = header.fills && may_lack(header.model, term.feature);
    if (header.fills) text += lacks ? fmt::format(", {:a}", value_where_missing(header.model, term.feature)) : ", NAN";
    if (header.gaps) text += term.part == ServedModel::Part::gap ? ", 1" : ", 0";
    if (header.lowest) text += takes_query_minimum(header.model, term.feature, header.options) ? ", 1" : ", 0";
    text += "},\n";
  }
  return text + "  };\n";
}

constexpr std::string_view kLowest =
    "    const double missing =\n"
    "        terms[k].lowest ? {}_lowest(x + terms[k].feature, documents, terms[k].missing) : terms[k].missing;\n";

std::string c_lowest(const Header& header) {
  return fmt::format(
      "static inline double {0}_lowest(const float *column, size_t documents, double otherwise) {{\n"
      "  double low = HUGE_VAL;\n"
      "  size_t i;\n"
      "  for (i = 0; i < documents; ++i) {{\n"
      "    const double value = column[i * {0}_num_features];\n"
      "    if (isfinite(value) && value < low) low = value;\n"
      "  }}\n"
      "  return low < HUGE_VAL ? low : otherwise;\n"
      "}}\n\n",
      header.name);
}

/// What a term adds to a score, of the value at `x` and what stands there for a gap.
std::string c_term(const Header& header, std::string_view x, std::string_view missing) {
  std::string value =
      fmt::format("{}_value({}{}{})", header.name, x, header.fills ? ", " : "", header.fills ? missing : "");
  if (header.holds) value = fmt::format("{}_held({}, terms[k].low, terms[k].high)", header.name, value);
  if (header.gaps) value = fmt::format("(terms[k].gap ? (isfinite({}) ? 0.0 : 1.0) : {})", x, value);
  return fmt::format("terms[k].weight * {}{}{}", header.scales ? "((" : "", value,
                     header.scales ? " - terms[k].shift) / terms[k].divisor)" : "");
}

std::string c_score_each(const Header& header) {
  if (header.lowest)
    return c_lowest(header) +
           fmt::format(
               "/* x: the features of all documents of ONE query, one after the other: the smallest of them stands for "
               "what is missing. */\n"
               "static inline void {0}_score_list(const float *x, size_t documents, double *scores) {{\n"
               "{1}  size_t i, k;\n"
               "  for (i = 0; i < documents; ++i) scores[i] = {2:a};\n"
               "  for (k = 0; k < {3}; ++k) {{\n"
               "{4}"
               "    for (i = 0; i < documents; ++i)\n"
               "      scores[i] += {5};\n"
               "  }}\n"
               "}}\n",
               header.name, c_terms(header), header.served.constant, header.served.terms.size(),
               fmt::format(fmt::runtime(kLowest), header.name),
               c_term(header, fmt::format("x[i * {}_num_features + terms[k].feature]", header.name), "missing"));
  return fmt::format(
      "/* x: the features of n documents, one after the other. */\n"
      "static inline void {0}_score_list(const float *x, size_t documents, double *scores) {{\n"
      "  size_t i;\n"
      "  for (i = 0; i < documents; ++i) scores[i] = {0}_score(x + i * {0}_num_features);\n"
      "}}\n",
      header.name);
}

std::string c_score(const Header& header) {
  std::string text = fmt::format(
      "/* x: the features of a document. */\nstatic inline double {}_score(const float *x) {{\n", header.name);
  if (header.served.terms.empty())
    text += fmt::format("  (void)x;\n  return {:a};\n}}\n\n", header.served.constant);
  else
    text += fmt::format(
        "{0}  double score = {1:a};\n"
        "  size_t k;\n"
        "  for (k = 0; k < {2}; ++k)\n"
        "    score += {3};\n"
        "  return score;\n"
        "}}\n\n",
        c_terms(header), header.served.constant, header.served.terms.size(),
        c_term(header, "x[terms[k].feature]", "terms[k].missing"));
  return text + c_score_each(header);
}

/// Of each term the documents' shift and divisor, as dorm/data/scale.h defines them.
std::string c_score_query(const Header& header) {
  const bool range = uses_range(header.served.within_query);
  std::string text = header.lowest ? c_lowest(header) : "";
  text += fmt::format(
      "/* x: the features of all documents of ONE query, one after the other: they are scaled by each other. */\n"
      "static inline void {}_score_list(const float *x, size_t documents, double *scores) {{\n"
      "{}  size_t i{};\n"
      "  for (i = 0; i < documents; ++i) scores[i] = {:a};\n",
      header.name, header.served.terms.empty() ? "" : c_terms(header), header.served.terms.empty() ? "" : ", k",
      header.served.constant);
  if (header.served.terms.empty()) return text + "  (void)x;\n}\n";
  const std::string value = fmt::format("{}_value(column[i * {}_num_features]{})", header.name, header.name,
                                        header.lowest  ? ", missing"
                                        : header.fills ? ", terms[k].missing"
                                                       : "");
  return text + fmt::format(
                    "  for (k = 0; documents > 0 && k < {0}; ++k) {{\n"
                    "    const float *column = x + terms[k].feature;\n"
                    "{6}"
                    "    double low = HUGE_VAL, high = -HUGE_VAL{2}, width;\n"
                    "    for (i = 0; i < documents; ++i) {{\n"
                    "      const double value = {1};\n"
                    "      if (value < low) low = value;\n"
                    "      if (value > high) high = value;\n"
                    "{3}"
                    "    }}\n"
                    "{4}"
                    "    if (!(high > low && width > 0)) continue;\n"
                    "    for (i = 0; i < documents; ++i)\n"
                    "      scores[i] += terms[k].weight * (({1} - {5}) / width);\n"
                    "  }}\n"
                    "}}\n",
                    header.served.terms.size(), value, range ? "" : ", mean = 0, squares = 0",
                    range ? "" : "      mean += value;\n",
                    range ? "    width = high - low;\n"
                          : fmt::format("    mean /= (double)documents;\n"
                                        "    for (i = 0; i < documents; ++i) {{\n"
                                        "      const double away = {} - mean;\n"
                                        "      squares += away * away;\n"
                                        "    }}\n"
                                        "    width = sqrt(squares / (double)documents);\n",
                                        value),
                    range ? "low" : "mean",
                    header.lowest ? fmt::format(fmt::runtime(kLowest), header.name) : std::string());
}

/// What of a model has to see all documents of a query.
bool c_takes_lists(const Model& model, const ExportOptions& options) {
  if (model.scaling.per_query()) return true;
  for (std::size_t j = 0; j < model.features.size(); ++j)
    if (uses(model, j) && takes_query_minimum(model, j, options)) return true;
  return false;
}

/// The functions of a model that is no sum; their names begin with `name`.
std::string c_functions(const Model& model, const ExportOptions& options, const std::string& name,
                        ServedModel& served) {
  served = model.trees ? served_trees(model, {}) : in_doubles(model, options);
  bool fills = false, lowest = false;
  for (const ServedModel::Term& term : served.terms) {
    fills |= may_lack(model, term.feature);
    lowest |= takes_query_minimum(model, term.feature, options);
  }
  for (std::size_t j = 0; model.trees && j < model.features.size(); ++j)
    if (takes_query_minimum(model, j, options))
      throw Error(
          ErrorCode::unsupported,
          fmt::format("the model has curves, and replaces a missing {} by the smallest value of the query, which "
                      "c cannot do for both; expected python, onnx or dorm serve",
                      in_quotes(model.features[j])));
  const Header header{.model = model,
                      .served = served,
                      .options = options,
                      .name = name,
                      .fills = fills,
                      .lowest = lowest,
                      .scales = has_scaling(served),
                      .holds = has_held_terms(served),
                      .gaps = has_gap_terms(served)};
  if (model.trees) return c_tree_functions(model, name) + c_score_each(header);
  return c_value(header) + (served.within_query == ScalingKind::none ? c_score(header) : c_score_query(header));
}

/// Every part has its functions, and what takes lists writes the scores first.
std::string c_sum(const Model& model, const ExportOptions& options) {
  std::string text, sum, first, each;
  std::size_t lists = 0;
  for (std::size_t k = 0; k < model.parts.size(); ++k) {
    const Model& part = *model.parts[k].ranker;
    const std::string name = fmt::format("{}_part{}", options.name, k + 1);
    ServedModel served;
    text +=
        "/* " + missing_rule(part) + " */\n" + c_width(part, name) + c_functions(part, options, name, served) + "\n";
    if (c_takes_lists(part, options)) {
      ++lists;
      first = fmt::format("  {}_score_list(x, documents, scores);\n", name);
    } else {
      sum += fmt::format("{}{}_score(x)", sum.empty() ? "" : " + ", name);
      each += fmt::format(" + {}_score(x + i * {}_num_features)", name, options.name);
    }
  }
  if (lists > 1)
    throw Error(ErrorCode::unsupported,
                "several parts of the sum need all documents of a query, which c can do for one; expected python, onnx "
                "or dorm serve");
  if (lists == 0)
    return text +
           fmt::format(
               "/* x: the features of a document. */\nstatic inline double {0}_score(const float *x) {{\n  return "
               "{1};\n}}\n\n/* x: the features of the documents, one after the other. */\n"
               "static inline void {0}_score_list(const float *x, size_t documents, double *scores) {{\n"
               "  size_t i;\n  for (i = 0; i < documents; ++i) scores[i] = {0}_score(x + i * {0}_num_features);\n}}\n",
               options.name, sum);
  return text + fmt::format(
                    "/* x: the features of all documents of ONE query, one after the other. */\n"
                    "static inline void {}_score_list(const float *x, size_t documents, double *scores) {{\n"
                    "  size_t i;\n{}  for (i = 0; i < documents; ++i) scores[i] = scores[i]{};\n}}\n",
                    options.name, first, each);
}

}  // namespace

Exported export_c(const Model& model, const ExportOptions& options) {
  require_c_prefix(options.name);
  ServedModel served;
  const bool sum = model.kind() == Model::Kind::sum;
  const std::string functions = sum ? c_sum(model, options) : c_functions(model, options, options.name, served);
  const std::string columns = c_columns(model, options.name, options);
  std::string guard = options.name + "_model_h";
  std::string text = fmt::format(
      "/* {}\n"
      " * The score of a document, the higher the better, from its features in the order of {}_feature(){}.\n"
      " * {}\n"
      " */\n"
      "#ifndef {}\n#define {}\n\n#include <math.h>\n#include <stddef.h>\n{}\n",
      provenance(model), options.name,
      columns.empty() ? "" : fmt::format(";\n * {}_encode() makes those that come from columns of text", options.name),
      sum ? "Of a sum: what becomes of missing values stands with each part." : missing_rule(model), guard, guard,
      columns.empty() ? "" : "#include <stdlib.h>\n#include <string.h>\n");
  return one_file(text + c_names(model, options) + columns + functions + "\n#endif\n", std::move(served));
}

}  // namespace dorm
