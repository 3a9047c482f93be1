// SPDX-License-Identifier: Apache-2.0
#include "options/given_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/unknown_name.h"
#include "dorm/error.h"

namespace dorm::cli {
namespace {

bool is_switch(const CLI::Option& option) { return option.get_items_expected_max() == 0; }

[[noreturn]] void refuse_option(const std::string& message) { throw Error(ErrorCode::bad_option, message); }

[[noreturn]] void refuse_unknown(const CLI::App& app, const std::string& name) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& known : option->get_lnames()) names.push_back("--" + known);
  const std::string nearest = nearest_name(name, names);
  throw Error(ErrorCode::unknown_name,
              fmt::format("unknown option \"{}\"{}", name,
                          nearest.empty() ? std::string() : fmt::format("; did you mean \"{}\"?", nearest)));
}

[[noreturn]] void refuse_missing(const CLI::Option& option, const std::string& name) {
  refuse_option(fmt::format("{} is given without its value; expected {} {}", name, name, option.get_option_text()));
}

class Walk {
 public:
  Walk(const CLI::App& app, std::span<const std::string> arguments) : app_(app), arguments_(arguments) {}

  std::vector<GivenOption> given;

  /// Up to the first argument that is no option, if `until_name`; its position.
  std::size_t run(bool until_name) {
    while (next_ < arguments_.size()) {
      const std::string& each = arguments_[next_];
      if (each == "--") break;
      if (each.size() < 2 || each[0] != '-') {
        if (until_name) break;
        ++next_;
      } else if (each[1] == '-') {
        long_option(each);
      } else {
        short_options(each);
      }
    }
    return next_;
  }

 private:
  void long_option(const std::string& each) {
    const std::size_t equals = each.find('=');
    const std::string name = each.substr(0, equals);
    const CLI::Option* const option = declared_option(app_, name);
    if (!option) refuse_unknown(app_, name);
    ++next_;
    if (equals == std::string::npos) return with_value_after(*option, name);
    if (is_switch(*option)) refuse_option(fmt::format("{} takes no value; found \"{}\"", name, each));
    if (equals + 1 == each.size()) refuse_missing(*option, name);
    take(*option, name).values.push_back(each.substr(equals + 1));
  }

  // -q, -qv, -C 3, -C3
  void short_options(const std::string& each) {
    ++next_;
    for (std::size_t k = 1; k < each.size(); ++k) {
      const std::string name = {'-', each[k]};
      const CLI::Option* const option = declared_option(app_, name);
      if (!option) refuse_unknown(app_, k == 1 ? each : name);
      if (is_switch(*option)) {
        take(*option, name);
        continue;
      }
      if (k + 1 == each.size()) return with_value_after(*option, name);
      take(*option, name).values.push_back(each.substr(k + 1));
      return;
    }
  }

  void with_value_after(const CLI::Option& option, const std::string& name) {
    GivenOption& to = take(option, name);
    if (is_switch(option)) return;
    if (next_ == arguments_.size() || is_option(arguments_[next_])) refuse_missing(option, name);
    to.values.push_back(arguments_[next_++]);
    while (option.get_allow_extra_args() && next_ < arguments_.size() && !arguments_[next_].starts_with('-'))
      to.values.push_back(arguments_[next_++]);
  }

  bool is_option(const std::string& each) const {
    return each == "--" || (each.size() > 1 && declared_option(app_, each.substr(0, each.find('='))) != nullptr);
  }

  GivenOption& take(const CLI::Option& option, const std::string& name) {
    const auto before =
        std::find_if(given.begin(), given.end(), [&](const GivenOption& each) { return each.option == &option; });
    if (before == given.end()) return given.emplace_back(GivenOption{&option, name, {}});
    const bool once = !is_switch(option) && option.get_multi_option_policy() == CLI::MultiOptionPolicy::Throw &&
                      !option.get_allow_extra_args();
    if (once) refuse_option(fmt::format("{} is given twice; expected it once", name));
    return *before;
  }

  const CLI::App& app_;
  std::span<const std::string> arguments_;
  std::size_t next_ = 0;
};

}  // namespace

std::vector<GivenOption> given_options(const CLI::App& app, std::span<const std::string> arguments, std::size_t* end) {
  Walk walk(app, arguments);
  const std::size_t stop = walk.run(end != nullptr);
  if (end) *end = stop;
  return std::move(walk.given);
}

const CLI::Option* declared_option(const CLI::App& app, std::string_view name) {
  const bool is_long = name.starts_with("--");
  if (!name.starts_with('-') || name.size() < 2) return nullptr;
  const std::string bare(name.substr(is_long ? 2 : 1));
  for (const CLI::Option* option : app.get_options()) {
    const std::vector<std::string>& names = is_long ? option->get_lnames() : option->get_snames();
    if (std::find(names.begin(), names.end(), bare) != names.end()) return option;
  }
  return nullptr;
}

const std::string* value_of(std::span<const GivenOption> given, std::string_view name) {
  for (const GivenOption& each : given) {
    const std::vector<std::string>& names = each.option->get_lnames();
    if (!each.values.empty() && std::find(names.begin(), names.end(), name.substr(2)) != names.end())
      return &each.values.back();
  }
  return nullptr;
}

}  // namespace dorm::cli
