// SPDX-License-Identifier: Apache-2.0
// Joint kernels by their text.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "dorm/error.h"
#include "dorm/recommend/joint.h"

namespace dorm {
namespace {

constexpr std::array<std::string_view, 5> kParts = {"constant", "identity", "correlation", "attributes", "given"};

[[noreturn]] void refuse_kernel(std::string_view text, const std::string& why) {
  throw Error(ErrorCode::bad_option,
              fmt::format("kernel \"{}\": {}; expected auto, or user(PART + ...) * item(PART + ...) with the parts {}",
                          text, why, fmt::join(kParts, ", ")));
}

std::string without_blanks(std::string_view text) {
  std::string out;
  std::copy_if(text.begin(), text.end(), std::back_inserter(out), [](char c) { return c != ' ' && c != '\t'; });
  return out;
}

/// The parts within `name(...)`, which begins at `at`; moves `at` behind it.
std::vector<std::string> parts_of(std::string_view text, const std::string& bare, const char* name, std::size_t& at) {
  const std::string opening = fmt::format("{}(", name);
  if (bare.compare(at, opening.size(), opening) != 0)
    refuse_kernel(text, fmt::format("found \"{}\" where {} begins", bare.substr(at, 12), opening));
  at += opening.size();
  const std::size_t end = bare.find(')', at);
  if (end == std::string::npos) refuse_kernel(text, fmt::format("{} is not closed", opening));
  std::vector<std::string> parts;
  while (at <= end) {
    const std::size_t plus = std::min(bare.find('+', at), end);
    std::string part = bare.substr(at, plus - at);
    if (std::find(kParts.begin(), kParts.end(), part) == kParts.end())
      refuse_kernel(text, fmt::format("unknown part \"{}\"", part));
    if (std::find(parts.begin(), parts.end(), part) != parts.end())
      refuse_kernel(text, fmt::format("the part {} appears twice", part));
    parts.push_back(std::move(part));
    at = plus + 1;
  }
  return parts;
}

void check_parts(std::string_view text, const std::vector<std::string>& parts, const char* side, bool features,
                 bool matrix) {
  for (const std::string& part : parts) {
    if (part == "attributes" && !features)
      refuse_kernel(text, fmt::format("{}(attributes) needs the features of {}s", side, side));
    if (part == "given" && !matrix)
      refuse_kernel(text, fmt::format("{}(given) needs a matrix of similarities of {}s", side, side));
  }
}

Similarities checked_size(const Similarities& given, std::size_t size, const char* what) {
  if (given.size != size || given.values.size() != size * size)
    throw Error(ErrorCode::bad_input, fmt::format("similarities of {} {}, but the ratings have {}; expected a row and "
                                                  "a column for each",
                                                  given.size, what, size));
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (!(given.at(i, j) == given.at(j, i)))
        throw Error(ErrorCode::bad_input,
                    fmt::format("the similarities of {} are not symmetric, or not numbers: [{}, {}] is {}, [{}, {}] "
                                "is {}",
                                what, i, j, given.at(i, j), j, i, given.at(j, i)));
  return given;
}

}  // namespace

JointKernelText::JointKernelText(std::string_view text, const JointInputs& inputs) {
  const std::string bare = without_blanks(text);
  if (bare == "auto") {
    users_ = {"constant", "identity", "correlation"};
    items_ = {"identity", "correlation"};
    if (inputs.user_features) users_.emplace_back("attributes");
    if (inputs.item_features) items_.emplace_back("attributes");
    if (inputs.users) users_ = {"given"};
    if (inputs.items) items_ = {"given"};
    return;
  }
  std::size_t at = 0;
  users_ = parts_of(text, bare, "user", at);
  if (at >= bare.size() || bare[at++] != '*') refuse_kernel(text, "found no * behind user(...)");
  items_ = parts_of(text, bare, "item", at);
  if (at != bare.size()) refuse_kernel(text, fmt::format("found \"{}\" behind its end", bare.substr(at)));
  check_parts(text, users_, "user", inputs.user_features != nullptr, inputs.users != nullptr);
  check_parts(text, items_, "item", inputs.item_features != nullptr, inputs.items != nullptr);
}

std::string JointKernelText::spelling() const {
  return fmt::format("user({}) * item({})", fmt::join(users_, " + "), fmt::join(items_, " + "));
}

bool JointKernelText::has_user_part(std::string_view name) const {
  return std::find(users_.begin(), users_.end(), name) != users_.end();
}

double JointKernelText::share_of_constant() const {
  return has_user_part("constant") ? 1 / static_cast<double>(users_.size()) : 0;
}

JointKernelText JointKernelText::for_users_alone() const {
  JointKernelText alone = *this;
  alone.users_ = {"identity"};
  return alone;
}

Similarities JointKernelText::users(const Ratings& known, const JointInputs& inputs) const {
  std::vector<Similarities> parts;
  for (const std::string& part : users_)
    parts.push_back(part == "constant"      ? constant_similarities(known.num_users())
                    : part == "identity"    ? identity_similarities(known.num_users())
                    : part == "correlation" ? user_correlations(known)
                    : part == "attributes"  ? attribute_similarities(known.users(), *inputs.user_features)
                                            : checked_size(*inputs.users, known.num_users(), "users"));
  return mean_of(parts);
}

Similarities JointKernelText::items(const Ratings& known, const JointInputs& inputs) const {
  std::vector<Similarities> parts;
  for (const std::string& part : items_)
    parts.push_back(part == "constant"      ? constant_similarities(known.num_items())
                    : part == "identity"    ? identity_similarities(known.num_items())
                    : part == "correlation" ? item_correlations(known)
                    : part == "attributes"  ? attribute_similarities(known.items(), *inputs.item_features)
                                            : checked_size(*inputs.items, known.num_items(), "items"));
  return mean_of(parts);
}

}  // namespace dorm
