// SPDX-License-Identifier: Apache-2.0
#include "options/grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>

#include "dorm/error.h"
#include "dorm/tune.h"

namespace dorm::cli {
namespace {

constexpr std::size_t kLongestAxis = 1000;

[[noreturn]] void refuse(const std::string& what, const std::string& expected) {
  throw Error(ErrorCode::bad_option, fmt::format("--grid: \"{}\"; expected {}", what, expected));
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == separator)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

double number(const std::string& text) {
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc{} || end != text.data() + text.size() || !std::isfinite(value) || value <= 0)
    refuse(text, "a number above 0");
  return value;
}

std::vector<double> parse_C(const std::string& text) {
  const std::vector<std::string> range = split(text, ':');
  std::vector<double> values;
  if (range.size() == 1) {
    for (const std::string& value : split(text, '/')) values.push_back(number(value));
    return values;
  }
  if (range.size() != 3) refuse(text, "C=LOW:HIGH:FACTOR or C=1/10/100");
  const double low = number(range[0]), high = number(range[1]), factor = number(range[2]);
  if (!(low <= high) || !(factor > 1)) refuse(text, "LOW up to HIGH and a FACTOR above 1");
  // Powers, not repeated products: 10:1e4:10 ends at 1e4 itself.
  for (int k = 0; low * std::pow(factor, k) <= high * (1 + 1e-9); ++k) {
    if (values.size() == kLongestAxis) refuse(text, fmt::format("at most {} values", kLongestAxis));
    values.push_back(low * std::pow(factor, k));
  }
  return values;
}

std::vector<std::string> parse_cutoffs(const std::string& text, const std::string& measure) {
  const std::size_t at = measure.find('@');
  if (at == std::string::npos)
    refuse("cutoff=" + text, fmt::format("a measure with a cutoff, such as ndcg@10, not {}", measure));
  std::vector<std::string> measures;
  for (const std::string& cutoff : split(text, '/')) measures.push_back(measure.substr(0, at + 1) + cutoff);
  // What it is judged by comes first: that is the default a tie falls back to.
  std::stable_partition(measures.begin(), measures.end(), [&](const std::string& name) { return name == measure; });
  return measures;
}

std::vector<BoundChoice> bounds_of(const std::vector<std::string>& names) {
  std::vector<BoundChoice> bounds;
  for (const std::string& name : names) bounds.push_back(parse_bound_choice(name));
  return bounds;
}

std::vector<InitialModel> rankers_of(const std::vector<std::string>& names) {
  std::vector<InitialModel> rankers;
  if (names == std::vector<std::string>{"none"}) return rankers;
  for (const std::string& name : names) {
    const InitialModelChoice start = parse_initial_model(name);
    if (!start) refuse(name, "an initial model, or none");
    rankers.push_back(*start);
  }
  return rankers;
}

std::vector<TreeLoss> losses_of(const std::vector<std::string>& names) {
  std::vector<TreeLoss> losses;
  for (const std::string& name : names) losses.push_back(parse_tree_loss(name));
  return losses;
}

std::vector<std::size_t> leaves_of(const std::vector<std::string>& texts) {
  std::vector<std::size_t> leaves;
  for (const std::string& text : texts) {
    const double count = number(text);
    if (count < 2 || count > 131072 || count != std::floor(count)) refuse(text, "a whole number of leaves, 2 or more");
    leaves.push_back(static_cast<std::size_t>(count));
  }
  return leaves;
}

bool is_axis(const std::string& piece) {
  constexpr std::string_view kAxes[] = {"C",      "decay",  "bound", "ranker", "cutoff",
                                        "kernel", "curves", "trees", "leaves"};
  return std::any_of(std::begin(kAxes), std::end(kAxes),
                     [&](std::string_view axis) { return piece.starts_with(std::string(axis) + "="); });
}

/// Pieces between commas; the parameters of a kernel, such as coef0=1, stay with it.
std::vector<std::string> split_axes(const std::string& text) {
  std::vector<std::string> axes;
  for (const std::string& piece : split(text, ',')) {
    if (!axes.empty() && axes.back().starts_with("kernel=") && !is_axis(piece))
      axes.back() += "," + piece;
    else
      axes.push_back(piece);
  }
  return axes;
}

}  // namespace

void parse_grid(const std::string& text, TuneOptions& options) {
  std::set<std::string> seen;
  for (const std::string& axis : split_axes(text)) {
    const std::size_t equals = axis.find('=');
    if (equals == std::string::npos || equals + 1 == axis.size()) refuse(axis, "AXIS=VALUES, e.g. C=10:1e4:10");
    const std::string name = axis.substr(0, equals), values = axis.substr(equals + 1);
    if (!seen.insert(name).second) refuse(axis, "each axis once");
    if (name == "C")
      options.C = parse_C(values);
    else if (name == "decay")
      options.decays = split(values, '/');
    else if (name == "bound")
      options.bounds = bounds_of(split(values, '/'));
    else if (name == "ranker")
      options.initial_models = rankers_of(split(values, '/'));
    else if (name == "cutoff")
      options.measures = parse_cutoffs(values, options.train.measure);
    else if (name == "kernel")
      options.kernels = split(values, '/');
    else if (name == "curves")
      options.curves = split(values, '/');
    else if (name == "trees")
      options.tree_losses = losses_of(split(values, '/'));
    else if (name == "leaves")
      options.tree_leaves = leaves_of(split(values, '/'));
    else
      refuse(name, "one of the axes C, decay, bound, ranker, cutoff, kernel, curves, trees, leaves");
  }
  if (seen.contains("bound") && !seen.contains("ranker")) options.initial_models.clear();  // these bounds, nothing else
}

Family parse_family(const std::string& name) {
  constexpr std::array<CatalogEntry, 2> kFamilies = {{
      {.name = "linear", .usage = "", .help = ""},
      {.name = "trees", .usage = "", .help = ""},
  }};
  if (name.empty()) return Family::any;
  if (name == kFamilies[0].name) return Family::linear;
  if (name == kFamilies[1].name) return Family::trees;
  throw_unknown_name("kind of ranker", name, kFamilies);
}

Choice parse_choice(const std::string& name) {
  constexpr std::array<CatalogEntry, 4> kChoices = {{
      {.name = "average", .usage = "", .help = ""},
      {.name = "best", .usage = "", .help = ""},
      {.name = "steady", .usage = "", .help = ""},
      {.name = "one-standard-error", .usage = "", .help = ""},
  }};
  for (std::size_t i = 0; i < kChoices.size(); ++i)
    if (kChoices[i].name == name) return static_cast<Choice>(i);
  throw_unknown_name("choice", name, kChoices);
}

}  // namespace dorm::cli
