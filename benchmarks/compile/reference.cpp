// SPDX-License-Identifier: Apache-2.0
// What compile_times.py measures a machine by: a fixed piece of code that costs a few seconds to compile. Changing it
// changes the unit in which benchmarks/compile/times.json is written.
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <regex>
#include <sstream>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

namespace {

template <int N>
struct Step {
  std::map<std::string, std::vector<std::pair<int, double>>> table;
  std::unordered_map<std::string, std::function<double(double)>> functions;

  double run(const std::string& text) {
    table[text].emplace_back(N, 1.0 / (N + 1));
    auto& row = table[text];
    std::sort(row.begin(), row.end(), [](const auto& a, const auto& b) { return a.second * N < b.second; });
    functions[text] = [this](double x) { return x * N + static_cast<double>(table.size()); };
    std::variant<int, double, std::string> value = text;
    if (row.size() > N) value = N;
    std::ostringstream out;
    std::visit([&](const auto& v) { out << v; }, value);
    return functions[text](static_cast<double>(out.str().size()));
  }
};

template <int... Ns>
double all(const std::string& text, std::integer_sequence<int, Ns...>) {
  return (std::make_unique<Step<Ns>>()->run(text) + ...);
}

}  // namespace

double reference(const std::string& text) {
  const std::regex words("([a-z]+)=([0-9.]+)");
  std::smatch match;
  return std::regex_search(text, match, words) ? all(match[1], std::make_integer_sequence<int, 12>()) : 0.0;
}
