// SPDX-License-Identifier: Apache-2.0
// Options declared one per line: a group knows its heading in the help.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>
#include <type_traits>
#include <vector>

#include "options/option_numbers.h"

namespace dorm::cli {

class OptionGroup {
 public:
  OptionGroup(CLI::App& app, const char* heading) : app_(app), heading_(heading) {}

  /// `shown`: the value in the help, e.g. FILE.
  template <class Value>
  CLI::Option* add(const char* name, Value& value, const char* shown, const std::string& help) const {
    static_assert(!std::is_arithmetic_v<Value>, "a number has a range: number()");
    return app_.add_option(name, value, help)->option_text(shown)->group(heading_);
  }

  /// A number within the range; anything else is refused.
  template <class Number>
  CLI::Option* number(const std::string& name, Number& value, const NumberRange& range, const char* shown,
                      const std::string& help) const {
    return number_function<Number>(
        name, [&value](Number given) { value = given; }, range, shown, help);
  }
  template <class Number>
  CLI::Option* number(const std::string& name, std::optional<Number>& value, const NumberRange& range,
                      const char* shown, const std::string& help) const {
    return number_function<Number>(
        name, [&value](Number given) { value = given; }, range, shown, help);
  }
  template <class Number, class Function>
  CLI::Option* number_function(const std::string& name, const Function& take, const NumberRange& range,
                               const char* shown, const std::string& help) const {
    const std::string first = name.substr(0, name.find(','));
    const auto parse = [=](const std::string& text) { take(parse_number<Number>(first, text, range)); };
    return app_.add_option_function<std::string>(name, parse, help)
        ->type_name(number_mark(range))
        ->option_text(shown)
        ->group(heading_);
  }

  /// Texts with commas; lists that are given one after the other are one list.
  CLI::Option* list(const char* name, std::string& value, const char* shown, const std::string& help) const {
    const auto take = [&value](const std::vector<std::string>& lists) {
      value = fmt::format("{}", fmt::join(lists, ","));
    };
    return app_.add_option_function<std::vector<std::string>>(name, take, help)
        ->option_text(shown)
        ->group(heading_)
        ->take_all()
        ->allow_extra_args(false);
  }

  CLI::Option* flag(const char* name, bool& value, const std::string& help) const {
    return app_.add_flag(name, value, help)->group(heading_);
  }

 private:
  CLI::App& app_;
  const char* heading_;
};

}  // namespace dorm::cli
