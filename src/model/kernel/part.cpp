// SPDX-License-Identifier: Apache-2.0
#include "model/kernel/part.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

#include "base/number.h"
#include "base/rng.h"
#include "dorm/error.h"

namespace dorm {
namespace {

constexpr std::array<CatalogEntry, 7> kParts = {{
    {"linear", "linear[(columns)]", "<x, y>"},
    {"poly", "poly[(columns)]:degree=2,coef0=1,gamma=1/columns", "(gamma <x, y> + coef0)^degree"},
    {"rbf", "rbf[(columns)]:gamma=X|median", "exp(-gamma |x - y|^2); median: 1 / median |x - y|^2"},
    {"attribute", "attribute[(columns)]", "<x, y> / (|x| |y|): attributes in common, as a cosine"},
    {"correlation", "correlation[(columns)]", "correlation of the values of x and y over the columns"},
    {"identity", "identity(query|document|group|columns)", "1 where the names, or all the columns, are equal, else 0"},
    {"precomputed", "precomputed", "the features are the Gram matrix itself; stands alone"},
}};

constexpr std::size_t kMedianPairs = 2000;
constexpr double kLargestDegree = 10;

double number_of(const PartText& part, const PartText::Parameter& parameter) {
  double value = 0;
  if (parse_number(parameter.value, value) != NumberKind::finite)
    refuse_kernel(part.name, fmt::format("{} is \"{}\"; expected a number", parameter.key, parameter.value));
  return value;
}

bool asks_for_median(const PartText::Parameter& parameter) {
  return parameter.key == "gamma" && parameter.value == "median";
}

void set_parameter(const PartText& text, const PartText::Parameter& parameter, Part& part) {
  const bool poly = part.kind == PartKind::poly;
  if (!(parameter.key == "gamma" && (poly || part.kind == PartKind::rbf)) &&
      !(poly && (parameter.key == "degree" || parameter.key == "coef0")))
    refuse_kernel(text.name, fmt::format("no parameter \"{}\"; {}", parameter.key,
                                         poly                         ? "it has degree, coef0 and gamma"
                                         : part.kind == PartKind::rbf ? "it has gamma"
                                                                      : "it has none"));
  const double value = number_of(text, parameter);
  if (parameter.key == "gamma") {
    if (!(value > 0)) refuse_kernel(text.name, fmt::format("gamma is {}; expected a number above 0", parameter.value));
    part.gamma = value;
  } else if (parameter.key == "coef0") {
    if (!(value >= 0))
      refuse_kernel(text.name,
                    fmt::format("coef0 is {}: the kernel would not be positive semidefinite; expected 0 or more",
                                parameter.value));
    part.coef0 = value;
  } else {
    if (!(value >= 1 && value <= kLargestDegree && value == std::floor(value)))
      refuse_kernel(text.name,
                    fmt::format("degree is {}; expected a whole number from 1 to {}", parameter.value, kLargestDegree));
    part.degree = static_cast<std::uint32_t>(value);
  }
}

PartKind kind_of(const PartText& text) {
  constexpr std::pair<std::string_view, PartKind> kKinds[] = {{"linear", PartKind::linear},
                                                              {"poly", PartKind::poly},
                                                              {"rbf", PartKind::rbf},
                                                              {"attribute", PartKind::attribute},
                                                              {"correlation", PartKind::correlation},
                                                              {"identity", PartKind::same_values}};
  for (const auto& [name, kind] : kKinds)
    if (name == text.name) return kind;
  if (text.name == "precomputed")
    refuse_kernel(text.name, "stands alone; its values are the features, so that nothing can be added to it");
  if (text.name == "sigmoid" || text.name == "tanh")
    refuse_kernel(text.name,
                  "tanh(gamma <x, y> + coef0) is not positive semidefinite, so it has no feature space and "
                  "training on it no certificate; rbf and poly are");
  throw_unknown_name("kernel", text.name, kParts);
}

Part shape_of(const PartText& text) {
  Part part;
  part.kind = kind_of(text);
  if (part.kind == PartKind::poly) part.degree = 2, part.coef0 = 1, part.gamma = 0;
  for (const PartText::Parameter& parameter : text.parameters)
    if (!(part.kind == PartKind::rbf && asks_for_median(parameter))) set_parameter(text, parameter, part);
  if (text.name != "identity") return part;
  if (text.columns.empty())
    refuse_kernel(text.name, "of what? expected identity(query), identity(document), identity(group) or columns");
  if (text.columns.size() > 1) return part;
  constexpr std::pair<std::string_view, IdKind> kIds[] = {
      {"query", IdKind::query}, {"document", IdKind::document}, {"group", IdKind::group}};
  for (const auto& [name, id] : kIds)
    if (text.columns[0] == name) part.kind = PartKind::same_name, part.id = id;
  return part;
}

/// "3-20" as two numbers.
bool number_range(const std::string& word, std::uint64_t& first, std::uint64_t& last) {
  const std::size_t dash = word.find('-');
  double low = 0, high = 0;
  if (dash == std::string::npos || parse_number(std::string_view(word).substr(0, dash), low) != NumberKind::finite ||
      parse_number(std::string_view(word).substr(dash + 1), high) != NumberKind::finite)
    return false;
  if (!(low >= 0 && low <= high && high < 1e9)) return false;
  first = static_cast<std::uint64_t>(low);
  last = static_cast<std::uint64_t>(high);
  return true;
}

std::vector<std::uint32_t> find_columns(const PartText& text, const Dataset& data) {
  std::vector<std::uint32_t> columns;
  std::unordered_map<std::string, std::uint32_t> index;
  for (std::size_t j = 0; j < data.num_features(); ++j) {
    if (text.columns.empty()) columns.push_back(static_cast<std::uint32_t>(j));
    index.emplace(data.feature_name(j), static_cast<std::uint32_t>(j));
  }
  const auto add = [&](const std::string& name) {
    const auto found = index.find(name);
    if (found == index.end()) refuse_kernel(text.name, fmt::format("the data has no feature \"{}\"", name));
    columns.push_back(found->second);
  };
  const auto add_all = [&](std::string_view begin) {
    const std::size_t before = columns.size();
    for (std::size_t j = 0; j < data.num_features(); ++j)
      if (data.feature_name(j).starts_with(begin)) columns.push_back(static_cast<std::uint32_t>(j));
    if (columns.size() == before)
      refuse_kernel(text.name, fmt::format("the data has no feature that begins with \"{}\"", begin));
  };
  for (const std::string& word : text.columns) {
    std::uint64_t first = 0, last = 0;
    if (word.ends_with('*') && !index.contains(word))
      add_all(std::string_view(word).substr(0, word.size() - 1));
    else if (index.contains(word) || !number_range(word, first, last))
      add(word);
    else
      for (std::uint64_t number = first; number <= last; ++number) add(std::to_string(number));
  }
  return columns;
}

/// 1 / median |x - y|^2 over random pairs of documents; pairs of equal documents are left out.
double median_gamma(const Part& part, const Documents& documents, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<float> x(documents.num_features()), y(documents.num_features());
  std::vector<double> squares;
  for (std::size_t pair = 0; pair < kMedianPairs; ++pair) {
    documents.load(rng.below(documents.size()), x);
    documents.load(rng.below(documents.size()), y);
    double square = 0;
    for (const std::uint32_t column : part.columns) {
      const double difference = static_cast<double>(x[column]) - static_cast<double>(y[column]);
      square += difference * difference;
    }
    if (square > 0) squares.push_back(square);
  }
  if (squares.empty())
    throw Error(ErrorCode::bad_input,
                "kernel gamma=median: all documents have the same features; give gamma as a number");
  const auto middle = squares.begin() + static_cast<std::ptrdiff_t>(squares.size() / 2);
  std::nth_element(squares.begin(), middle, squares.end());
  return static_cast<double>(static_cast<float>(1 / *middle));
}

void require_names(const Part& part, const Dataset& data) {
  if (part.id == IdKind::document && !data.has_document_ids())
    refuse_kernel("identity(document)", "the data has no document ids");
  if (part.id == IdKind::group && !data.has_groups())
    refuse_kernel("identity(group)", "the data has no groups; name the column that holds them");
}

std::string canonical(const PartText& text, const Part& part) {
  std::string out = text.name;
  if (!text.columns.empty()) out += fmt::format("({})", fmt::join(text.columns, " "));
  if (part.kind == PartKind::rbf) out += fmt::format(":gamma={}", part.gamma);
  if (part.kind == PartKind::poly)
    out += fmt::format(":degree={},coef0={},gamma={}", part.degree, part.coef0, part.gamma);
  return out;
}

}  // namespace

std::span<const CatalogEntry> kernel_catalog() { return kParts; }

void Part::take(std::span<const float> row, std::span<float> out) const {
  for (std::size_t k = 0; k < columns.size(); ++k) out[k] = row[columns[k]];
  if (kind != PartKind::attribute && kind != PartKind::correlation) return;
  double mean = 0, square = 0;
  if (kind == PartKind::correlation) {
    for (const float x : out) mean += static_cast<double>(x);
    mean /= static_cast<double>(out.size());
  }
  for (const float x : out) square += (static_cast<double>(x) - mean) * (static_cast<double>(x) - mean);
  const double factor = square > 0 ? 1 / std::sqrt(square) : 0;
  for (float& x : out) x = static_cast<float>((static_cast<double>(x) - mean) * factor);
}

void check_part(const PartText& text) { shape_of(text); }

Part settle_part(const PartText& text, const Documents& documents, std::uint64_t seed) {
  Part part = shape_of(text);
  if (part.kind == PartKind::same_name) {
    require_names(part, documents.data());
  } else {
    part.columns = find_columns(text, documents.data());
    const bool given = std::any_of(text.parameters.begin(), text.parameters.end(), [](const PartText::Parameter& p) {
      return p.key == "gamma" && !asks_for_median(p);
    });
    if (part.kind == PartKind::rbf && !given) part.gamma = median_gamma(part, documents, seed);
    if (part.kind == PartKind::poly && !given) part.gamma = 1 / static_cast<double>(part.columns.size());
  }
  part.text = canonical(text, part);
  return part;
}

}  // namespace dorm
