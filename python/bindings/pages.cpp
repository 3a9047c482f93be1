// SPDX-License-Identifier: Apache-2.0
// Pages about trainings, the same that the command writes.
#include "dorm/apps/pages.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "arrays.h"
#include "bindings.h"
#include "dorm/apps/rankers_table.h"
#include "evaluation.h"
#include "training.h"

namespace dorm::python {
namespace {

namespace nb = nanobind;
using namespace nb::literals;

report::Report page_of(const Training& training, const std::string& train_name, const std::string& valid_name) {
  const pages::TrainingReportData report_data{.train = training.train,
                                              .valid = training.valid ? &*training.valid : nullptr,
                                              .result = training.result,
                                              .trace = training.trace,
                                              .train_name = train_name,
                                              .valid_name = valid_name,
                                              .interrupted = training.interrupted};
  return pages::train_page(report_data);
}

std::vector<RankerRow> rows_of(const nb::list& evaluations) {
  std::vector<RankerRow> rows;
  for (const nb::handle each : evaluations) {
    const auto told = nb::cast<nb::dict>(each);
    RankerRow row{.name = nb::cast<std::string>(told["name"]), .table = {}};
    row.table.convention = nb::cast<std::string>(told["convention"]);
    row.table.ties = nb::cast<std::string>(told["ties"]);
    row.table.query_ids = nb::cast<std::vector<std::string>>(told["query_ids"]);
    for (const nb::handle entry : nb::cast<nb::list>(told["measures"])) {
      const auto measure = nb::cast<nb::dict>(entry);
      row.table.measures.push_back({.name = nb::cast<std::string>(measure["name"]),
                                    .mean = nb::cast<double>(measure["mean"]),
                                    .low = nb::cast<double>(measure["low"]),
                                    .high = nb::cast<double>(measure["high"]),
                                    .queries = nb::cast<std::size_t>(measure["queries"]),
                                    .skipped = nb::cast<std::size_t>(measure["skipped"]),
                                    .per_query = nb::cast<std::vector<double>>(measure["per_query"])});
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

/// The test, the correction, whether over measures, and the difference that counts as none.
using HowTested = std::tuple<std::string, std::string, bool, double>;

TestOptions test_options(const HowTested& how) {
  const auto& [test, correction, over_measures, same_within] = how;
  return {.test = test,
          .correction = correction,
          .over_measures = over_measures,
          .all_pairs = true,
          .same_within = same_within};
}

/// Evaluations by name as one table, tested against one of them.
report::Report rankers_page(const nb::list& evaluations, std::size_t reference, const EvaluateOptions& options,
                            const std::string& data_name, const HowTested& how) {
  const TestedRankers tested = test_rankers(rows_of(evaluations), reference, options, test_options(how));
  return pages::eval_page({.tested = tested, .options = options, .data_name = data_name});
}

/// The tests of evaluations by name, and the table as papers print it.
nb::dict rankers_tests(const nb::list& evaluations, std::size_t reference, const EvaluateOptions& options,
                       const HowTested& how) {
  const TestOptions tests = test_options(how);
  std::vector<RankerRow> rows = rows_of(evaluations);
  TestedRankers tested;
  {
    const nb::gil_scoped_release unlocked;
    tested = test_rankers(std::move(rows), reference, options, tests);
  }
  nb::list told;
  for (std::size_t r = 0; r < tested.table.rows.size(); ++r) {
    const RankerRow& row = tested.table.rows[r];
    nb::list of_row;
    for (std::size_t m = 0; m < row.tests.size(); ++m) {
      nb::dict entry = to_dict(row.tests[m]);
      add_size(tested.sizes[r][m], entry);
      entry["p"] = tested.p[r][m];
      entry["p_corrected"] = tested.corrected[r][m];
      entry["p_not_same"] = tests.same_within > 0 ? p_not_same(tested.sizes[r][m], tests.same_within) : 1.0;
      of_row.append(entry);
    }
    told.append(of_row);
  }
  nb::dict out;
  out["tests"] = told;
  nb::list pairs;
  out["latex"] = pages::rankers_latex(tested);
  out["html"] = pages::rankers_html(tested);
  out["note"] = pages::difference_note(tested);
  for (std::vector<double>& p : tested.pairs) pairs.append(to_numpy(std::move(p)));
  out["pairs"] = pairs;
  return out;
}

}  // namespace

void bind_pages(nb::module_& module) {
  nb::class_<report::Report>(module, "Page", "A document of tables and plots.")
      .def("html", &report::to_html)
      .def(
          "write", [](const report::Report& page, const std::string& path) { report::write_report(page, path); },
          "path"_a, "As HTML, Markdown or CSV, by the extension.");
  module.def("rankers_tests", &rankers_tests, "evaluations"_a, "reference"_a, "options"_a, "how"_a);
  module.def("rankers_page", &rankers_page, "evaluations"_a, "reference"_a, "options"_a, "data_name"_a, "how"_a);
  nb::class_<Training>(module, "Training", "A training with its data: what a page about it is made from.")
      .def_static(
          "of",
          [](const Model& model, const Dataset& data) {
            return Training{.train = data, .result = {.model = model, .report = {}}};
          },
          "model"_a, "data"_a, "A model whose training is not known, on some data.")
      .def("page", &page_of, "train_name"_a, "valid_name"_a, nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace dorm::python
