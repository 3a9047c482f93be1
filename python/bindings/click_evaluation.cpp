// SPDX-License-Identifier: Apache-2.0
// Propensities, rankers judged by clicks, interleaving.
#include "dorm/clicks/click_evaluation.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.h"
#include "bindings.h"
#include "clicks.h"
#include "dorm/clicks/interleave.h"
#include "dorm/clicks/propensity.h"
#include "dorm/write.h"
#include "evaluation.h"
#include "input.h"

namespace dorm::python {
namespace {

using namespace nb::literals;

nb::tuple propensities_of(const ClickCounts& counts, const PropensityOptions& options, const Dataset* features) {
  PropensityEstimate estimate;
  {
    const nb::gil_scoped_release unlocked;
    estimate = estimate_propensities(counts, options, features);
  }
  nb::list evidence;
  for (const PropensityEvidence& of_context : estimate.evidence) {
    nb::dict entry;
    entry["context"] = text_from(of_context.context);
    entry["queries"] = of_context.queries;
    entry["documents"] = of_context.documents;
    entry["pairs"] = of_context.pairs;
    entry["iterations"] = of_context.iterations;
    entry["converged"] = of_context.converged;
    evidence.append(entry);
  }
  return nb::make_tuple(propensity_rows(estimate.propensities), evidence);
}

nb::dict evidence_of(const ClickEvidence& evidence) {
  nb::dict out;
  out["clicks"] = evidence.clicks;
  out["impressions"] = evidence.impressions;
  out["effective_clicks"] = evidence.effective_clicks;
  out["clipped_share"] = evidence.clipped_share;
  out["queries"] = evidence.queries;
  out["queries_unknown"] = evidence.queries_unknown;
  out["documents_unknown"] = evidence.documents_unknown;
  out["clicks_unknown"] = evidence.clicks_unknown;
  out["never_shown"] = evidence.never_shown;
  return out;
}

/// Evidence, gains by document, and for each ranker its table, unseen shares, and tests against the reference.
nb::tuple judge_by_clicks(const Dataset& data, const ClickCounts& counts, const nb::list& propensities,
                          const ClickEvaluateOptions& options, const std::vector<std::vector<double>>& scores,
                          const std::vector<std::string>& measures, std::size_t reference) {
  const Propensities known = propensities_from(propensities);
  std::vector<ClickEvaluation> judged;
  std::vector<std::vector<PairedTest>> tests(scores.size());
  ClickEvidence evidence;
  std::vector<double> gains;
  {
    const nb::gil_scoped_release unlocked;
    const ClickJudge judge(data, counts, known, options);
    evidence = judge.evidence();
    gains.assign(judge.gains().begin(), judge.gains().end());
    for (const std::vector<double>& ranker : scores) judged.push_back(judge.evaluate(ranker, measures));
    for (std::size_t r = 0; r < scores.size(); ++r)
      for (std::size_t m = 0; r != reference && m < measures.size(); ++m)
        tests[r].push_back(compare(judged[r].table.measures[m].per_query, judged[reference].table.measures[m].per_query,
                                   options.evaluate, judged[r].table.weights));
  }
  nb::list rankers;
  for (std::size_t r = 0; r < judged.size(); ++r) {
    nb::list own;
    for (const PairedTest& test : tests[r]) own.append(to_dict(test));
    rankers.append(nb::make_tuple(to_dict(std::move(judged[r].table)), judged[r].unseen, own));
  }
  return nb::make_tuple(evidence_of(evidence), to_numpy(std::move(gains)), rankers);
}

nb::list lists_of(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b, const std::string& method,
                  const std::string& credit, std::size_t length) {
  nb::list out;
  for (const Interleaving& list : interleavings(a, b, {.method = method, .credit = credit, .length = length}))
    out.append(nb::make_tuple(list.documents, list.credit, list.probability));
  return out;
}

nb::dict analyse_credits(const Vector<double>& credits, const EvaluateOptions& options, double level) {
  InterleavingResult result;
  {
    const nb::gil_scoped_release unlocked;
    result = analyse_interleaving(span_of(credits), options, level);
  }
  nb::dict out;
  out["test"] = to_dict(result.test);
  out["share"] = result.share;
  out["preference"] = result.preference;
  out["power"] = result.power;
  out["sessions_needed"] = result.sessions_needed;
  return out;
}

}  // namespace

void bind_click_evaluation(nb::module_& module) {
  nb::class_<PropensityOptions>(module, "PropensityOptions")
      .def(nb::init<>())
      .def_rw("method", &PropensityOptions::method)
      .def_rw("pivot", &PropensityOptions::pivot)
      .def_rw("isotonic", &PropensityOptions::isotonic)
      .def_rw("max_iterations", &PropensityOptions::max_iterations)
      .def_rw("tolerance", &PropensityOptions::tolerance)
      .def_rw("bootstrap", &PropensityOptions::bootstrap)
      .def_rw("seed", &PropensityOptions::seed)
      .def_rw("threads", &PropensityOptions::threads);
  nb::class_<ClickEvaluateOptions>(module, "ClickEvaluateOptions")
      .def(nb::init<>())
      .def_rw("estimator", &ClickEvaluateOptions::estimator)
      .def_rw("clip", &ClickEvaluateOptions::clip)
      .def_rw("per_page", &ClickEvaluateOptions::per_page)
      .def_rw("folds", &ClickEvaluateOptions::folds)
      .def_rw("evaluate", &ClickEvaluateOptions::evaluate);
  module.def("estimate_propensities", &propensities_of, "counts"_a, "options"_a, "features"_a.none(),
             "Rows of context, position, propensity, se, alpha and beta; and evidence by context.");
  module.def(
      "write_propensities",
      [](const std::string& path, const nb::list& rows) {
        const Propensities propensities = propensities_from(rows);
        write_atomically(path, [&](std::ostream& out) { write_propensities(propensities, out); });
      },
      "path"_a, "rows"_a);
  module.def("evaluate_clicks", &judge_by_clicks, "data"_a, "counts"_a, "propensities"_a, "options"_a, "scores"_a,
             "measures"_a, "reference"_a,
             "Evidence, gains by document, and tables, unseen shares and tests by ranker.");
  module.def("interleavings", &lists_of, "a"_a, "b"_a, "method"_a, "credit"_a, "length"_a,
             "Documents, credits and probability of each list.");
  module.def(
      "interleaving_sensitivity", [](const std::vector<double>& credit) { return interleaving_sensitivity(credit); },
      "credit"_a);
  module.def("analyse_interleaving", &analyse_credits, "credits"_a.noconvert(), "options"_a, "level"_a);
  module.def("decided_sessions_needed", &decided_sessions_needed, "share"_a, "power"_a, "level"_a);
  module.def("sign_test_power", &sign_test_power, "decided"_a, "share"_a, "level"_a);
}

}  // namespace dorm::python
