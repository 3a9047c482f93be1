// SPDX-License-Identifier: Apache-2.0
// Linear assignment.
#include "arrays.h"
#include "bindings.h"
#include "dorm/learning/assignment.h"

namespace dorm::python {
namespace {

using namespace nb::literals;

nb::tuple assign_matrix(const nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>& cost,
                        bool maximize) {
  Assignment found;
  {
    const nb::gil_scoped_release unlocked;
    found =
        assign({cost.data(), cost.size()}, cost.shape(0), cost.shape(1), maximize ? Sense::maximize : Sense::minimize);
  }
  std::vector<std::int64_t> columns;
  for (std::uint32_t column : found.column_of_row)
    columns.push_back(column == kUnassigned ? -1 : static_cast<std::int64_t>(column));
  return nb::make_tuple(to_numpy(std::move(columns)), to_numpy(std::move(found.row_dual)),
                        to_numpy(std::move(found.column_dual)), found.value);
}

}  // namespace

void bind_assign(nb::module_& module) {
  module.def("assign", &assign_matrix, "cost"_a.noconvert(), "maximize"_a,
             "Column of each row (-1: none), duals of rows and columns, value.");
}

}  // namespace dorm::python
