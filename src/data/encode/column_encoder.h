// SPDX-License-Identifier: Apache-2.0
// One column of a table on its way to features: cells become stand-ins as they are read, and stand-ins features once
// the rules are fitted.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dorm/data/encoding.h"

namespace dorm {

class ColumnEncoder {
 public:
  enum class Found { value, gap, unreadable };

  /// Rules of one column, not empty; no `indicator`. Throws Error(bad_input) for too many different values.
  explicit ColumnEncoder(std::vector<ColumnEncoding> rules);

  /// What stands for a cell until encode(): the number itself, or the place of its text among those seen. `gap`: the
  /// cell is missing. A gap is a value like any other where all rules make a feature per value.
  Found note(std::string_view text, bool gap, float& stand_in);

  bool fitted() const;
  /// By the cells noted.
  void fit();

  const std::vector<ColumnEncoding>& rules() const { return rules_; }
  std::size_t width() const;  // features, once fitted

  /// Adds the features that are not 0: ids from `first` on, increasing. NaN: missing. Whether the number of the column
  /// is missing.
  bool encode(float stand_in, std::uint32_t first, std::vector<std::uint32_t>& ids, std::vector<float>& values) const;

  /// "a date such as 2024-01-31": what a cell should have been.
  std::string expected() const;

 private:
  struct Text {
    std::uint64_t count = 0;
    double days = 0;  // NaN: a gap
  };
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  Found look_up(std::string_view text, bool gap, float& stand_in);
  void fit_values(ColumnEncoding& rule) const;
  void fit_reference(ColumnEncoding& rule) const;
  static std::uint32_t place_of(const ColumnEncoding& rule, std::string_view text);
  void settle(std::string_view text, double days);  // appends to places_

  std::vector<ColumnEncoding> rules_;
  bool formatted_ = false;  // numbers stand for themselves
  bool dates_ = false;
  std::unordered_map<std::string, std::uint32_t> codes_;
  std::vector<std::string> texts_;  // by code, until it is fitted
  std::vector<Text> seen_;
  std::vector<std::uint32_t> widths_;  // features of each rule, once fitted
  std::vector<float> places_;          // by code and rule: a number, or which feature of the rule is 1; negative: none
};

}  // namespace dorm
