// SPDX-License-Identifier: Apache-2.0
// Linear assignment.
#include <nanobind/stl/string.h>

#include "arrays.h"
#include "bindings.h"
#include "dorm/assignment.h"
#include "dorm/catalog.h"
#include "dorm/decay.h"
#include "dorm/solver.h"
#include "dorm/train.h"

namespace dorm::python {
namespace {

using namespace nb::literals;

nb::tuple assign_matrix(const nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>& cost,
                        bool maximize) {
  Assignment found;
  {
    const nb::gil_scoped_release unlocked;
    found = assign({cost.data(), cost.size()}, cost.shape(0), cost.shape(1),
                   maximize ? Sense::maximize : Sense::minimize);
  }
  std::vector<std::int64_t> columns;
  for (std::uint32_t column : found.column_of_row)
    columns.push_back(column == kUnassigned ? -1 : static_cast<std::int64_t>(column));
  return nb::make_tuple(to_numpy(std::move(columns)), to_numpy(std::move(found.row_dual)),
                        to_numpy(std::move(found.column_dual)), found.value);
}

nb::list entries(std::span<const CatalogEntry> catalog) {
  nb::list out;
  for (const CatalogEntry& entry : catalog)
    out.append(nb::make_tuple(nb::str(entry.name.data(), entry.name.size()),
                              nb::str(entry.usage.data(), entry.usage.size()),
                              nb::str(entry.help.data(), entry.help.size()), entry.trainable));
  return out;
}

}  // namespace

void bind_assign(nb::module_& module) {
  module.def("assign", &assign_matrix, "cost"_a.noconvert(), "maximize"_a,
             "Column of each row (-1: none), duals of rows and columns, value.");
}

void bind_catalog(nb::module_& module) {
  module.def(
      "catalog",
      [] {
        nb::dict all;
        all["measure"] = entries(measure_catalog());
        all["convention"] = entries(convention_catalog());
        all["ties"] = entries(tie_catalog());
        all["scale"] = entries(scaling_catalog());
        all["decay"] = entries(decay_catalog());
        all["bound"] = entries(bound_catalog());
        all["start"] = entries(start_catalog());
        nb::list solvers;
        for (std::string_view name : solver_names()) solvers.append(nb::str(name.data(), name.size()));
        all["solver"] = solvers;
        return all;
      },
      "Every name that can be passed, as (name, usage, help, trainable) by kind.");
}

}  // namespace dorm::python
