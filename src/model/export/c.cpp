// SPDX-License-Identifier: Apache-2.0
// One header of C99, C11 and C++17: numbers are hexadecimal, so that a compiler reads the very ones of the model. All
// functions are static inline and allocate nothing. A scaling within queries needs the documents of a query at once, so
// that only NAME_score_list is there.
#include <fmt/format.h>

#include "base/quote.h"
#include "data/scale/scale_rules.h"
#include "dorm/error.h"
#include "model/export/formats.h"
#include "model/export/trees.h"

namespace dorm {
namespace {

constexpr std::size_t kLongestString = 4095;  // that C promises to hold

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

std::string c_string(std::string_view name) {
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

/// What the functions are written from.
struct Header {
  const Model& model;
  const ServedModel& served;
  std::string name;
  bool fills;   // missing values become something
  bool scales;  // terms have a shift or a divisor
};

std::string c_names(const Header& header, const ExportOptions& options) {
  std::string text = fmt::format(
      "enum {{ {0}_num_features = {1} }};\n\n"
      "/* The name of feature j. */\n"
      "static inline const char *{0}_feature(size_t j) {{\n"
      "  static const char *const names[] = {{\n",
      header.name, header.model.features.size());
  for (std::size_t j = 0; j < header.model.features.size(); ++j)
    text += fmt::format("      {},\n", c_string(spelling(header.model, options, j)));
  return text + "  };\n  return names[j];\n}\n\n";
}

std::string c_value(const Header& header) {
  return fmt::format("static inline double {}_value(double x{}) {{\n{}{}  return x;\n}}\n\n", header.name,
                     header.fills ? ", double missing" : "", header.fills ? "  if (!isfinite(x)) x = missing;\n" : "",
                     header.served.logarithms ? "  x = copysign(log1p(fabs(x)), x);\n" : "");
}

std::string c_terms(const Header& header) {
  std::string text =
      fmt::format("  static const struct {{\n    size_t feature;\n    double weight{}{};\n  }} terms[] = {{\n",
                  header.scales ? ", shift, divisor" : "", header.fills ? ", missing" : "");
  for (const ServedModel::Term& term : header.served.terms) {
    text += fmt::format("      {{{}, {:a}", term.feature, term.weight);
    if (header.scales) text += fmt::format(", {:a}, {:a}", term.shift, term.divisor);
    if (header.fills) text += fmt::format(", {:a}", value_where_missing(header.model, term.feature));
    text += "},\n";
  }
  return text + "  };\n";
}

std::string c_score_each(const Header& header) {
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
        "    score += terms[k].weight * {3}{4}_value(x[terms[k].feature]{5}){6};\n"
        "  return score;\n"
        "}}\n\n",
        c_terms(header), header.served.constant, header.served.terms.size(), header.scales ? "((" : "", header.name,
        header.fills ? ", terms[k].missing" : "", header.scales ? " - terms[k].shift) / terms[k].divisor)" : "");
  return text + c_score_each(header);
}

/// Of each term the documents' shift and divisor, as dorm/data/scale.h defines them.
std::string c_score_query(const Header& header) {
  const bool range = uses_range(header.served.within_query);
  std::string text = fmt::format(
      "/* x: the features of all documents of ONE query, one after the other: they are scaled by each other. */\n"
      "static inline void {}_score_list(const float *x, size_t documents, double *scores) {{\n"
      "{}  size_t i{};\n"
      "  for (i = 0; i < documents; ++i) scores[i] = {:a};\n",
      header.name, header.served.terms.empty() ? "" : c_terms(header), header.served.terms.empty() ? "" : ", k",
      header.served.constant);
  if (header.served.terms.empty()) return text + "  (void)x;\n}\n";
  const std::string value = fmt::format("{}_value(column[i * {}_num_features]{})", header.name, header.name,
                                        header.fills ? ", terms[k].missing" : "");
  return text + fmt::format(
                    "  for (k = 0; documents > 0 && k < {0}; ++k) {{\n"
                    "    const float *column = x + terms[k].feature;\n"
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
                    range ? "low" : "mean");
}

}  // namespace

Exported export_c(const Model& model, const ExportOptions& options) {
  require_c_prefix(options.name);
  ServedModel served = model.trees ? served_trees(model, {}) : in_doubles(model, options);
  const Header header{model, served, options.name, fills_gaps(model), has_scaling(served)};
  std::string guard = options.name + "_model_h";
  std::string text = fmt::format(
      "/* {}\n"
      " * The score of a document, the higher the better, from its features in the order of {}_feature().\n"
      " * {}\n"
      " */\n"
      "#ifndef {}\n#define {}\n\n#include <math.h>\n#include <stddef.h>\n\n",
      provenance(model), options.name, missing_rule(model), guard, guard);
  text += c_names(header, options);
  if (model.trees)
    return one_file(text + c_tree_functions(model, options.name) + c_score_each(header) + "\n#endif\n",
                    std::move(served));
  text += c_value(header);
  text += served.within_query == ScalingKind::none ? c_score(header) : c_score_query(header);
  return one_file(text + "\n#endif\n", std::move(served));
}

}  // namespace dorm
