// SPDX-License-Identifier: Apache-2.0
// Options declared one per line: a group knows its heading in the help.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace dorm::cli {

class OptionGroup {
 public:
  OptionGroup(CLI::App& app, const char* heading) : app_(app), heading_(heading) {}

  /// `shown` stands for the value in the help, e.g. FILE.
  template <class Value>
  CLI::Option* add(const char* name, Value& value, const char* shown, const std::string& help) const {
    return app_.add_option(name, value, help)->option_text(shown)->group(heading_);
  }
  CLI::Option* flag(const char* name, bool& value, const std::string& help) const {
    return app_.add_flag(name, value, help)->group(heading_);
  }

 private:
  CLI::App& app_;
  const char* heading_;
};

}  // namespace dorm::cli
