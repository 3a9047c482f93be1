// SPDX-License-Identifier: Apache-2.0
// What stands behind the ? of an address, and what of the model it changes.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dorm/model.h"

namespace dorm::explore {

/// Throws Refusal: "q: found 900; expected 0 to 499".
[[noreturn]] void refuse_parameter(int status, std::string_view name, std::string_view found,
                                   std::string_view expected);

/// Percent-decoded; of a name that occurs twice the last one counts.
class Parameters {
 public:
  explicit Parameters(std::string_view target);

  /// Empty where it is absent.
  std::string text(std::string_view name) const;
  bool has(std::string_view name) const { return find(name) != nullptr; }
  /// 400 for what is no whole number, or one above `most`.
  std::size_t whole(std::string_view name, std::size_t otherwise, std::size_t most) const;
  /// Required: 400 for what is no whole number, 404 for one that is not below `count`.
  std::size_t index(std::string_view name, std::size_t count) const;
  /// "5,0,7", at most so many; 400 for what is no number. Those not below `count` are left out, or 404.
  std::vector<std::size_t> indices(std::string_view name, std::size_t most, std::size_t count, bool leave_out) const;

 private:
  const std::string* find(std::string_view name) const;

  std::vector<std::pair<std::string, std::string>> values_;
};

struct Page {
  std::size_t offset = 0, limit = 50;
};
Page page_of(const Parameters& parameters);

/// Something that is other than in the model: the weight of a scaled feature or of a part of a sum, or how much a point
/// of a curve adds to a score.
struct Edit {
  static constexpr std::size_t kWeight = static_cast<std::size_t>(-1);

  std::size_t feature = 0;  // or part
  double weight = 0;
  std::size_t point = kWeight;
  bool operator==(const Edit&) const = default;
};
/// Of the parameter `edits`, by feature and point, without those that change nothing. 409 for a model without weights.
std::vector<Edit> edits_of(const Parameters& parameters, const Model& model);

/// Of "3:1.5,7:0", at most 100 of them: numbers of features below `count`, in the order given. 400 for anything else.
std::vector<Edit> numbers_by_feature(const Parameters& parameters, std::string_view name, std::size_t count);

/// Whether `part` occurs in `text`, ASCII letters compared without case.
bool contains_text(std::string_view text, std::string_view part);

}  // namespace dorm::explore
