// SPDX-License-Identifier: Apache-2.0
#include "tabulated_measure.h"

#include <fmt/format.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cmath>

#include "bindings.h"
#include "dorm/error.h"

namespace dorm::python {
namespace {

std::string key_of(Labels labels) { return {reinterpret_cast<const char*>(labels.data()), labels.size_bytes()}; }

void check(const std::string& name, const Factors& factors) {
  const auto bad = [](double x) { return !(std::isfinite(x) && x >= 0); };
  if (std::any_of(factors.a.begin(), factors.a.end(), bad) || !std::is_sorted(factors.a.rbegin(), factors.a.rend()))
    throw Error(ErrorCode::bad_input,
                fmt::format("measure {}: a, the weights of the positions, must be finite, not negative and "
                            "never increase from one position to the next",
                            name));
  if (std::any_of(factors.b.begin(), factors.b.end(), bad))
    throw Error(ErrorCode::bad_input,
                fmt::format("measure {}: b, the gains of the documents, must be finite and not negative", name));
}

}  // namespace

void TabulatedMeasure::add(const Vector<float>& labels, const Vector<std::uint64_t>& end, const Vector<double>& a,
                           const Vector<double>& b) {
  const Labels all = span_of(labels);
  if (a.shape(0) != all.size() || b.shape(0) != all.size())
    throw Error(ErrorCode::bad_input, fmt::format("measure {}: {} labels, but {} entries of a and {} of b", name_,
                                                  all.size(), a.shape(0), b.shape(0)));
  std::uint64_t begin = 0;
  for (std::uint64_t e : span_of(end)) {
    if (e < begin || e > all.size())
      throw Error(ErrorCode::bad_input, fmt::format("measure {}: the lists of labels do not increase", name_));
    Factors factors{{a.data() + begin, a.data() + e}, {b.data() + begin, b.data() + e}};
    check(name_, factors);
    factors_.insert_or_assign(key_of(all.subspan(begin, e - begin)), std::move(factors));
    begin = e;
  }
}

Factors TabulatedMeasure::factor(Labels labels) const {
  const auto found = factors_.find(key_of(labels));
  if (found == factors_.end())
    throw Error(ErrorCode::internal,
                fmt::format("measure {}: a query of {} documents was not tabulated", name_, labels.size()));
  return found->second;
}

void bind_measure(nb::module_& module) {
  using namespace nb::literals;
  nb::class_<TabulatedMeasure>(module, "TabulatedMeasure", "A measure given by its factors.")
      .def(nb::init<std::string, bool>(), "name"_a, "normalised"_a)
      .def("add", &TabulatedMeasure::add, "labels"_a.noconvert(), "end"_a.noconvert(), "a"_a.noconvert(),
           "b"_a.noconvert());
}

}  // namespace dorm::python
