// SPDX-License-Identifier: Apache-2.0
// What the validation queries choose from. DORM is tried at three bounds and starts for each C; so that no method wins
// by being tried more often, baselines are tried at three aims for each C, and what has nothing else to choose at three
// times as many values of C.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "lab/compare/cell.h"

namespace dorm {
namespace {

bool is_dorm(const std::string& method) { return method.starts_with("dorm:"); }

// What tune delivers has been chosen from a grid of its own.
bool has_C(const std::string& method) { return !is_tuned(method) && method_uses_C(method); }

// A bound in the method's own spelling leaves nothing to choose.
bool fixes_bound(const std::string& method) { return std::count(method.begin(), method.end(), '~') >= 2; }

/// The parameters that the method's usage names, unless its spelling has one already.
bool may_aim(const std::string& method, std::string_view key) {
  if (method.find(':') != std::string::npos) return false;
  const std::string_view name = std::string_view(method).substr(0, method.find('@'));
  for (const CatalogEntry& entry : method_catalog())
    if (entry.name == name) return entry.usage.find(key) != std::string_view::npos;
  return false;
}

/// Aims at the labels, at the best of each query, and a third: classes that count the same, for a method of classes;
/// the gains, where a method knows more than order; else the two highest grades, or the highest alone where those are
/// all there are above 0.
std::vector<std::string> aims_of(const std::string& method, const std::vector<float>& grades) {
  std::vector<std::string> aims = {""};
  if (grades.size() < 2 || !may_aim(method, "rel=")) return aims;
  aims.emplace_back("rel=best");
  if (may_aim(method, "classes=")) {
    aims.emplace_back("classes=balanced");
    return aims;
  }
  const std::size_t from = grades.size() - (grades.size() > 2 ? 2 : 1);
  aims.push_back(may_aim(method, "gain=") ? "gain=exp2" : fmt::format("rel={:g}", grades[from]));
  return aims;
}

/// All settings of a method but C.
std::vector<Setting> choices_of(const std::string& method, const std::vector<float>& grades, bool equal) {
  if (is_dorm(method) && !fixes_bound(method))
    return {{0, "best", "ridge"}, {0, "predicted", "ridge"}, {0, "predicted", "pairwise"}};
  std::vector<Setting> choices;
  for (const std::string& aim : equal ? aims_of(method, grades) : std::vector<std::string>{""})
    choices.push_back({0, "", "", aim});
  return choices;
}

/// So many values, evenly spaced on a logarithmic scale over the range of the grid; the grid itself if it has as many.
std::vector<double> finer(const std::vector<double>& grid, std::size_t count) {
  const auto [low, high] = std::minmax_element(grid.begin(), grid.end());
  if (count <= grid.size() || *low == *high) return grid;
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i)
    values.push_back(*low * std::pow(*high / *low, static_cast<double>(i) / static_cast<double>(count - 1)));
  values.back() = *high;
  return values;
}

}  // namespace

std::string Setting::text() const {
  std::string text = C > 0 ? fmt::format("C={:.4g}", C) : "";
  if (!bound.empty()) text += fmt::format(" {}{}", bound, bound == "predicted" ? "/" + start : "");
  if (!aim.empty()) text += fmt::format("{}{}", text.empty() ? "" : " ", aim);
  return text;
}

std::vector<float> grades_above_zero(const Dataset& data) {
  std::set<float> grades;
  for (std::size_t q = 0; q < data.num_queries(); ++q)
    for (float label : data.query(q).labels)
      if (label > 0) grades.insert(label);
  return {grades.begin(), grades.end()};
}

std::vector<std::vector<Setting>> candidates(const ComparisonOptions& options, const std::vector<float>& grades) {
  std::vector<std::vector<Setting>> choices;
  std::size_t most = 1;
  for (const std::string& method : options.methods) {
    choices.push_back(choices_of(method, grades, options.equal_candidates));
    if (has_C(method)) most = std::max(most, choices.back().size());
  }
  std::vector<std::vector<Setting>> out;
  for (std::size_t m = 0; m < choices.size(); ++m) {
    std::vector<Setting>& own = out.emplace_back();
    const std::size_t times = options.equal_candidates ? most / choices[m].size() : 1;
    const std::vector<double> grid =
        has_C(options.methods[m]) ? finer(options.C, times * options.C.size()) : std::vector<double>{0};
    for (double C : grid)
      for (Setting setting : choices[m]) {
        setting.C = C;
        own.push_back(setting);
      }
  }
  return out;
}

}  // namespace dorm
