// SPDX-License-Identifier: Apache-2.0
// The loss as gradient and curvature.
#include "dorm/objective.h"

#include <nanobind/stl/string.h>

#include "arrays.h"
#include "bindings.h"
#include "dorm/error.h"
#include "tabulated_measure.h"

namespace dorm::python {
namespace {

using namespace nb::literals;

void make(Objective* self, nb::handle measure, const Vector<float>& labels, const Vector<std::uint64_t>& end,
          const Vector<double>& weights, ObjectiveOptions options) {
  if (nb::isinstance<TabulatedMeasure>(measure)) {
    new (self) Objective(*nb::cast<const TabulatedMeasure*>(measure), span_of(labels), span_of(end), options,
                         span_of(weights));
    return;
  }
  options.measure = nb::cast<std::string>(measure);
  new (self) Objective(span_of(labels), span_of(end), options, span_of(weights));
}

nb::tuple gradient(const Objective& objective, const Vector<double>& scores, std::uint64_t round) {
  std::vector<double> gradient(objective.num_documents()), curvature(objective.num_documents()), losses;
  {
    const nb::gil_scoped_release unlocked;
    losses = objective.gradient(span_of(scores), round, gradient, curvature);
  }
  return nb::make_tuple(to_numpy(std::move(gradient)), to_numpy(std::move(curvature)), to_numpy(std::move(losses)));
}

auto losses(const Objective& objective, const Vector<double>& scores) {
  std::vector<double> values;
  {
    const nb::gil_scoped_release unlocked;
    values = objective.losses(span_of(scores));
  }
  return to_numpy(std::move(values));
}

// What a list is to an oracle: position weights a and c, gains b, and whether only the first hit counts.
nb::tuple list_numbers(const std::string& measure, const std::string& convention, const std::string& decay,
                       const Vector<float>& labels) {
  Factors factors = make_trainable(measure, make_convention(convention))->factor(span_of(labels));
  std::vector<double> c = Decay(decay).values(factors.a);
  const bool first = factors.kind == Factors::Kind::first;
  return nb::make_tuple(to_numpy(std::move(factors.a)), to_numpy(std::move(factors.b)), to_numpy(std::move(c)), first);
}

}  // namespace

void bind_objective(nb::module_& module) {
  module.def("list_numbers", &list_numbers, "measure"_a, "convention"_a, "decay"_a, "labels"_a.noconvert(),
             "a, b and c of a list with these labels, and whether only the first hit counts.");
  nb::class_<ObjectiveOptions>(module, "ObjectiveOptions")
      .def(nb::init<>())
      .def_rw("convention", &ObjectiveOptions::convention)
      .def_rw("reference", &ObjectiveOptions::reference)
      .def_rw("decay", &ObjectiveOptions::decay)
      .def_rw("sigma", &ObjectiveOptions::sigma)
      .def_rw("pairs", &ObjectiveOptions::pairs)
      .def_rw("margin", &ObjectiveOptions::margin)
      .def_rw("curvature_floor", &ObjectiveOptions::curvature_floor)
      .def_rw("seed", &ObjectiveOptions::seed)
      .def_rw("threads", &ObjectiveOptions::threads);
  nb::class_<Objective>(module, "Objective", "The queries of one data set, prepared for gradients.")
      .def("__init__", &make, "measure"_a, "labels"_a.noconvert(), "end"_a.noconvert(), "weights"_a.noconvert(),
           "options"_a)
      .def_prop_ro("usable_queries", &Objective::usable_queries)
      .def("gradient", &gradient, "scores"_a.noconvert(), "round"_a,
           "Gradient and curvature by document, perturbed loss by query.")
      .def("losses", &losses, "scores"_a.noconvert());
}

}  // namespace dorm::python
