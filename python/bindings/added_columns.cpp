// SPDX-License-Identifier: Apache-2.0
// Columns from other data: similarities to the set of a query, and what is known of its user.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "dorm/data/query_columns.h"
#include "dorm/learning/sets.h"

namespace dorm::python {

namespace nb = nanobind;

void bind_added_columns(nb::module_& module) {
  using namespace nb::literals;
  module.def(
      "with_set_columns",
      [](const Dataset& data, const Dataset& sets, const std::vector<std::string>& similarities, bool only_added,
         std::size_t threads) {
        return with_set_columns(data, sets, similarities, {.only_added = only_added, .threads = threads});
      },
      "data"_a, "sets"_a, "similarities"_a, "only_added"_a, "threads"_a, nb::call_guard<nb::gil_scoped_release>(),
      "Documents beside their similarities to the set of their query.");
  module.def(
      "with_user_columns",
      [](const Dataset& data, const SideFeatures& users, std::size_t threads) {
        return with_user_columns(data, users, nullptr, threads);
      },
      "data"_a, "users"_a, "threads"_a, nb::call_guard<nb::gil_scoped_release>(),
      "Documents beside the features of the user of their query.");
}

}  // namespace dorm::python
