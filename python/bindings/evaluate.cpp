// SPDX-License-Identifier: Apache-2.0
// Evaluation and paired tests.
#include "dorm/evaluate.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "dorm/error.h"
#include "tabulated_measure.h"

namespace dorm::python {
namespace {

using namespace nb::literals;

/// Named measures and tabulated ones, in the order given.
class MeasureList {
 public:
  MeasureList(const nb::list& measures, const Convention& convention) {
    for (nb::handle measure : measures) {
      if (nb::isinstance<TabulatedMeasure>(measure)) {
        pointers_.push_back(nb::cast<const TabulatedMeasure*>(measure));
        continue;
      }
      made_.push_back(make_measure(nb::cast<std::string>(measure), convention));
      pointers_.push_back(made_.back().get());
    }
  }
  std::span<const Measure* const> pointers() const { return pointers_; }

 private:
  std::vector<MeasurePtr> made_;
  std::vector<const Measure*> pointers_;
};

/// `end` holds the ends of the queries in the labels and scores.
std::vector<ScoredQuery> scored_queries(const Vector<float>& labels, const Vector<double>& scores,
                                        const Vector<std::uint64_t>& end, const std::vector<std::string>& ids,
                                        const Vector<double>& weights) {
  const std::size_t queries = end.shape(0);
  if (labels.shape(0) != scores.shape(0) || ids.size() != queries ||
      (weights.shape(0) != 0 && weights.shape(0) != queries))
    throw Error(ErrorCode::bad_input, "labels, scores, queries and weights differ in length");
  std::vector<ScoredQuery> out;
  std::uint64_t begin = 0;
  for (std::size_t q = 0; q < queries; ++q) {
    const std::uint64_t stop = end.data()[q];
    if (stop < begin || stop > labels.shape(0))
      throw Error(ErrorCode::bad_input, "the ends of the queries do not increase");
    const double weight = weights.shape(0) == 0 ? 1.0 : weights.data()[q];
    out.push_back({ids[q],
                   span_of(labels).subspan(begin, stop - begin),
                   span_of(scores).subspan(begin, stop - begin),
                   {},
                   weight});
    begin = stop;
  }
  return out;
}

nb::dict to_dict(EvaluationTable table) {
  nb::dict out;
  out["convention"] = table.convention;
  out["ties"] = table.ties;
  nb::list measures;
  for (MeasureResult& result : table.measures) {
    nb::dict entry;
    entry["name"] = result.name;
    entry["mean"] = result.mean;
    entry["low"] = result.low;
    entry["high"] = result.high;
    entry["queries"] = result.queries;
    entry["skipped"] = result.skipped;
    entry["per_query"] = to_numpy(std::move(result.per_query));
    measures.append(entry);
  }
  out["measures"] = measures;
  return out;
}

nb::dict evaluate_scores(const Vector<float>& labels, const Vector<double>& scores, const Vector<std::uint64_t>& end,
                         const std::vector<std::string>& ids, const Vector<double>& weights, const nb::list& measures,
                         const EvaluateOptions& options) {
  const MeasureList list(measures, make_convention(options.convention));
  const std::vector<ScoredQuery> queries = scored_queries(labels, scores, end, ids, weights);
  EvaluationTable table;
  {
    const nb::gil_scoped_release unlocked;
    table = evaluate(queries, list.pointers(), options);
  }
  return to_dict(std::move(table));
}

nb::dict compare_values(const Vector<double>& a, const Vector<double>& b, const EvaluateOptions& options) {
  PairedTest test;
  {
    const nb::gil_scoped_release unlocked;
    test = compare(span_of(a), span_of(b), options);
  }
  nb::dict out;
  out["queries"] = test.queries;
  out["wins"] = test.wins;
  out["losses"] = test.losses;
  out["ties"] = test.ties;
  out["mean_difference"] = test.mean_difference;
  out["low"] = test.low;
  out["high"] = test.high;
  out["t_statistic"] = test.t_statistic;
  out["p_t"] = test.p_t;
  out["p_sign"] = test.p_sign;
  out["p_permutation"] = test.p_permutation;
  return out;
}

}  // namespace

void bind_evaluate(nb::module_& module) {
  nb::class_<EvaluateOptions>(module, "EvaluateOptions")
      .def(nb::init<>())
      .def_rw("convention", &EvaluateOptions::convention)
      .def_rw("ties", &EvaluateOptions::ties)
      .def_rw("bootstrap", &EvaluateOptions::bootstrap)
      .def_rw("confidence", &EvaluateOptions::confidence)
      .def_rw("seed", &EvaluateOptions::seed)
      .def_rw("threads", &EvaluateOptions::threads);
  module.def("evaluate", &evaluate_scores, "labels"_a.noconvert(), "scores"_a.noconvert(), "end"_a.noconvert(), "ids"_a,
             "weights"_a.noconvert(), "measures"_a, "options"_a);
  module.def(
      "measure_name",
      [](const std::string& spelling, const std::string& convention) {
        return std::string(make_measure(spelling, make_convention(convention))->name());
      },
      "spelling"_a, "convention"_a, "The one name of a measure that may be spelled in several ways.");
  module.def("compare", &compare_values, "a"_a.noconvert(), "b"_a.noconvert(), "options"_a);
}

}  // namespace dorm::python
