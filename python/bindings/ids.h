// SPDX-License-Identifier: Apache-2.0
// Users and items between Python and the library. Ids travel as bytes: those of files need not be text of any encoding.
#pragma once

#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>

#include "arrays.h"
#include "dorm/error.h"
#include "dorm/recommend/factorize.h"

namespace dorm::python {

using Names = std::vector<nb::bytes>;
using Numbers = Vector<std::uint32_t>;

inline std::string text_of_bytes(const nb::bytes& name) { return {name.c_str(), name.size()}; }

inline IdTable id_table(const Names& names) {
  std::vector<std::string> texts;
  for (const nb::bytes& name : names) texts.push_back(text_of_bytes(name));
  return IdTable(std::move(texts));
}

inline nb::list id_names(const IdTable& table) {
  nb::list names;
  for (const std::string& name : table.names()) names.append(nb::bytes(name.data(), name.size()));
  return names;
}

/// The numbers of ids, -1 for those that are not known.
inline nb::object id_numbers(const IdTable& table, const Names& names) {
  std::vector<std::int64_t> numbers;
  for (const nb::bytes& name : names) {
    const auto number = table.find({name.c_str(), name.size()});
    numbers.push_back(number ? static_cast<std::int64_t>(*number) : -1);
  }
  return to_numpy(std::move(numbers));
}

/// A copy: another thread may write to the array once the lock is released.
inline std::vector<std::uint32_t> checked_numbers(const Numbers& numbers, std::size_t count, const char* what) {
  const std::span<const std::uint32_t> given = span_of(numbers);
  std::vector<std::uint32_t> copy(given.begin(), given.end());
  for (const std::uint32_t number : copy)
    if (number >= count)
      throw Error(ErrorCode::bad_input, fmt::format("{} {}; expected less than {}", what, number, count));
  return copy;
}

/// What a measure takes for the labels of ratings, by the grades of a model.
template <class RatingsModel>
nb::object labels_of(const RatingsModel& model, const Vector<float>& ratings, const std::string& measure,
                     const std::string& convention) {
  std::vector<float> labels(ratings.data(), ratings.data() + ratings.shape(0));
  if (model.grades.apply_to(measure, convention))
    for (float& label : labels) label = model.grades.label(label);
  return to_numpy(std::move(labels));
}

/// Items and scores, best first.
inline nb::tuple recommended(const std::vector<Recommendation>& list) {
  std::vector<std::int64_t> items;
  std::vector<double> scores;
  for (const Recommendation& each : list) {
    items.push_back(each.item);
    scores.push_back(each.score);
  }
  return nb::make_tuple(to_numpy(std::move(items)), to_numpy(std::move(scores)));
}

}  // namespace dorm::python
