// SPDX-License-Identifier: Apache-2.0
// Evaluates the part of Lucene's and Vespa's expressions that exports use, strictly: sums, products,
// comparisons, the ternary of Lucene and the `if` of Vespa, a few functions, and variables, which for Vespa are
// rank features. In doubles.
#pragma once

#include <cctype>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace dorm::test {

class ExpressionReader {
 public:
  using Variable = std::function<double(const std::string& name)>;

  static double value(std::string_view text, const Variable& variable) {
    ExpressionReader reader(text, variable);
    const double found = reader.ternary();
    if (reader.peek() != '\0') throw std::invalid_argument("text behind the expression: " + std::string(reader.rest_));
    return found;
  }

 private:
  ExpressionReader(std::string_view text, const Variable& variable) : rest_(text), variable_(variable) {}

  char peek() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\n')) rest_.remove_prefix(1);
    return rest_.empty() ? '\0' : rest_.front();
  }

  bool take(std::string_view token) {
    peek();
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }

  void expect(std::string_view token) {
    if (!take(token)) throw std::invalid_argument(std::string(token) + " expected at: " + std::string(rest_));
  }

  double ternary() {
    const double test = comparison();
    if (!take("?")) return test;
    const double yes = ternary();
    expect(":");
    const double no = ternary();
    return test != 0 ? yes : no;
  }

  double comparison() {
    const double left = sum();
    if (take(">=")) return left >= sum();
    if (take("==")) return left == sum();
    if (take("<")) return left < sum();
    return left;
  }

  double sum() {
    double total = product();
    for (;;) {
      if (take("+"))
        total += product();
      else if (take("-"))
        total -= product();
      else
        return total;
    }
  }

  double product() {
    double total = factor();
    for (;;) {
      if (take("*"))
        total *= factor();
      else if (take("/"))
        total /= factor();
      else
        return total;
    }
  }

  double factor() {
    if (take("-")) return -factor();
    if (take("(")) {
      const double inner = ternary();
      expect(")");
      return inner;
    }
    return std::isdigit(static_cast<unsigned char>(peek())) ? number() : named();
  }

  double number() {
    const std::string text(rest_.substr(0, 40));
    char* end = nullptr;
    const double found = std::strtod(text.c_str(), &end);
    rest_.remove_prefix(static_cast<std::size_t>(end - text.c_str()));
    return found;
  }

  std::string word() {
    peek();
    std::size_t end = 0;
    while (end < rest_.size() &&
           (std::isalnum(static_cast<unsigned char>(rest_[end])) || rest_[end] == '_' || rest_[end] == '$'))
      ++end;
    if (end == 0) throw std::invalid_argument("a name expected at: " + std::string(rest_));
    std::string name(rest_.substr(0, end));
    rest_.remove_prefix(end);
    return name;
  }

  std::vector<double> arguments() {
    std::vector<double> found{ternary()};
    while (take(",")) found.push_back(ternary());
    expect(")");
    return found;
  }

  double named() {
    std::string name = word();
    static const std::map<std::string, std::size_t> kFunctions{{"ln", 1},  {"log", 1}, {"isNan", 1},
                                                               {"max", 2}, {"min", 2}, {"if", 3}};
    if (const auto function = kFunctions.find(name); function != kFunctions.end() && take("(")) {
      const std::vector<double> x = arguments();
      if (x.size() != function->second) throw std::invalid_argument("arguments of " + name);
      if (name == "ln" || name == "log") return std::log(x[0]);
      if (name == "isNan") return std::isnan(x[0]);
      if (name == "max") return std::max(x[0], x[1]);
      if (name == "min") return std::min(x[0], x[1]);
      return x[0] != 0 ? x[1] : x[2];
    }
    for (;;) {  // the rest of a variable: (title), ['price'], .value
      if (rest_.starts_with('(') || rest_.starts_with('['))
        name += bracket(rest_.front() == '(' ? ')' : ']');
      else if (rest_.starts_with('.')) {
        rest_.remove_prefix(1);
        name += "." + word();
      } else
        return variable_(name);
    }
  }

  std::string bracket(char close) {
    std::size_t end = 1;
    for (char quote = '\0'; end < rest_.size() && (quote != '\0' || rest_[end] != close); ++end) {
      if (quote != '\0' && rest_[end] == '\\')
        ++end;
      else if (rest_[end] == quote)
        quote = '\0';
      else if (quote == '\0' && (rest_[end] == '\'' || rest_[end] == '"'))
        quote = rest_[end];
    }
    if (end >= rest_.size()) throw std::invalid_argument("a bracket is not closed");
    std::string text(rest_.substr(0, end + 1));
    rest_.remove_prefix(end + 1);
    return text;
  }

  std::string_view rest_;
  const Variable& variable_;
};

}  // namespace dorm::test
