// SPDX-License-Identifier: Apache-2.0
#include "dorm/data/query_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "data/replace_features.h"
#include "dorm/error.h"

namespace dorm {
namespace {

constexpr std::string_view kUserPrefix = "user:";

/// Row of each query in the table; nothing where it has none.
std::vector<std::optional<std::uint32_t>> user_rows(const Dataset& data, const SideFeatures& users) {
  std::vector<std::optional<std::uint32_t>> rows;
  for (std::size_t q = 0; q < data.num_queries(); ++q) rows.push_back(users.ids.find(data.query(q).id));
  return rows;
}

void require_finite_values(const SideFeatures& users) {
  for (std::size_t k = 0; k < users.values.size(); ++k)
    if (!std::isfinite(static_cast<float>(users.values[k])))
      throw Error(ErrorCode::bad_input,
                  fmt::format("user {}: {} is {}; expected a finite number", users.ids.names()[k / users.names.size()],
                              users.names[k % users.names.size()], users.values[k]));
}

}  // namespace

Dataset with_user_columns(const Dataset& data, const SideFeatures& users, std::size_t* unknown, std::size_t threads) {
  require_finite_values(users);
  const auto row_of = user_rows(data, users);
  const auto missing = static_cast<std::size_t>(std::count(row_of.begin(), row_of.end(), std::nullopt));
  if (missing == row_of.size() && missing > 0)
    throw Error(ErrorCode::bad_input,
                fmt::format("no query is called like a user; the first query is {}, and the "
                            "first of {} users {}",
                            data.query(0).id, users.ids.size(), users.ids.size() == 0 ? "none" : users.ids.names()[0]));
  if (unknown != nullptr) *unknown = missing;
  std::vector<std::string> added;
  for (const std::string& name : users.names) added.push_back(std::string(kUserPrefix) + name);
  const auto fill = [&](std::size_t q, float* rows, std::size_t stride) {
    if (!row_of[q]) return;
    const double* const values = users.values.data() + *row_of[q] * users.names.size();
    for (std::size_t i = 0; i < data.query(q).size(); ++i)
      std::transform(values, values + added.size(), rows + i * stride, [](double x) { return static_cast<float>(x); });
  };
  return append_features(data, added, threads, fill);
}

}  // namespace dorm
