// SPDX-License-Identifier: Apache-2.0
// Evaluation and paired tests.
#include "dorm/evaluate.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "dorm/data/read_runs.h"
#include "dorm/error.h"
#include "dorm/evaluation/judging.h"
#include "dorm/evaluation/run_evaluation.h"
#include "evaluation.h"
#include "evaluation/summarise.h"
#include "input.h"
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
    for (nb::handle measure : measures)
      names_.push_back(nb::isinstance<TabulatedMeasure>(measure) ? "" : nb::cast<std::string>(measure));
  }
  /// The table with the names that were asked for.
  EvaluationTable named(EvaluationTable table) const {
    for (std::size_t m = 0; m < names_.size(); ++m)
      if (!names_[m].empty()) table.measures[m].name = names_[m];
    return table;
  }
  std::span<const Measure* const> pointers() const { return pointers_; }

 private:
  std::vector<MeasurePtr> made_;
  std::vector<const Measure*> pointers_;
  std::vector<std::string> names_;
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

nb::dict evaluate_scores(const Vector<float>& labels, const Vector<double>& scores, const Vector<std::uint64_t>& end,
                         const std::vector<std::string>& ids, const Vector<double>& weights, const nb::list& measures,
                         const EvaluateOptions& options) {
  const MeasureList list(measures, make_convention(options.convention));
  const std::vector<ScoredQuery> queries = scored_queries(labels, scores, end, ids, weights);
  EvaluationTable table;
  {
    const nb::gil_scoped_release unlocked;
    table = list.named(evaluate(queries, list.pointers(), options));
  }
  return to_dict(std::move(table));
}

EvaluationTable evaluate_data_set(const Dataset& data, const Vector<double>& scores, const MeasureList& measures,
                                  const EvaluateOptions& options) {
  const nb::gil_scoped_release unlocked;
  return measures.named(evaluate(data, span_of(scores), measures.pointers(), options));
}

nb::dict evaluate_data(const Dataset& data, const Vector<double>& scores, const nb::list& measures,
                       const EvaluateOptions& options) {
  return to_dict(evaluate_data_set(data, scores, MeasureList(measures, make_convention(options.convention)), options));
}

template <class Entry, class Number>
std::vector<Entry> trec_entries(const std::vector<std::string>& queries, const std::vector<std::string>& documents,
                                const Vector<double>& values) {
  if (queries.size() != documents.size() || queries.size() != values.shape(0))
    throw Error(ErrorCode::bad_input, "queries, documents and values differ in number");
  std::vector<Entry> out;
  for (std::size_t i = 0; i < queries.size(); ++i)
    out.push_back({queries[i], documents[i], static_cast<Number>(values.data()[i])});
  return out;
}

using Texts = std::vector<std::string>;

using TrecColumns = std::tuple<Texts, Texts, Vector<double>>;  // queries, documents, labels or scores

nb::dict with_query_ids(EvaluationTable table) {
  nb::list ids;
  for (const std::string& id : table.query_ids) ids.append(text_from(id));
  nb::dict out = to_dict(std::move(table));
  out["query_ids"] = ids;
  return out;
}

/// The run of a file, which is never in memory as a whole.
nb::dict evaluate_a_run_file(const TrecColumns& judged, const std::string& path, const Texts& measures,
                             const EvaluateOptions& options) {
  const std::vector<Judgment> judgments = std::apply(trec_entries<Judgment, float>, judged);
  EvaluationTable table;
  {
    const nb::gil_scoped_release unlocked;
    RunEvaluation evaluation(judgments, measures, options);
    read_run(path, evaluation, {.threads = options.threads});
    table = evaluation.table();
  }
  return with_query_ids(std::move(table));
}

/// Judgments of subtopics where `subtopics` are given.
nb::dict evaluate_a_run(const TrecColumns& judged, const Texts& subtopics, const TrecColumns& ranked,
                        const Texts& measures, const EvaluateOptions& options) {
  const std::vector<RunEntry> run = std::apply(trec_entries<RunEntry, double>, ranked);
  const std::vector<Judgment> judgments = std::apply(trec_entries<Judgment, float>, judged);
  std::vector<SubtopicJudgment> aspects;
  for (std::size_t i = 0; i < subtopics.size() && i < judgments.size(); ++i)
    aspects.push_back({judgments[i].query, subtopics[i], judgments[i].document, judgments[i].label});
  EvaluationTable table;
  {
    const nb::gil_scoped_release unlocked;
    table = aspects.empty() ? evaluate_run(judgments, run, measures, options)
                            : evaluate_subtopics(aspects, run, measures, options);
  }
  return with_query_ids(std::move(table));
}

/// The columns: judgments so far and since then, and both runs.
nb::dict plan_what_to_judge(const std::tuple<TrecColumns, TrecColumns, TrecColumns, TrecColumns>& columns,
                            const std::string& measure, const EvaluateOptions& evaluate, double best_label,
                            double same_within, std::size_t batch) {
  const auto& [judged, since, first, second] = columns;
  const std::vector<Judgment> before = std::apply(trec_entries<Judgment, float>, judged);
  const std::vector<Judgment> added = std::apply(trec_entries<Judgment, float>, since);
  const std::vector<RunEntry> one = std::apply(trec_entries<RunEntry, double>, first);
  const std::vector<RunEntry> other = std::apply(trec_entries<RunEntry, double>, second);
  JudgingPlan plan;
  {
    const nb::gil_scoped_release unlocked;
    const auto source = [&](const std::vector<RunEntry>& run) {
      return [&](RunSink& sink) { hand_on(run, sink, evaluate.threads); };
    };
    plan = plan_judging(before, added, source(one), source(other), measure, {evaluate, best_label, same_within, batch});
  }
  nb::list next;
  for (const DocumentToJudge& each : plan.next)
    next.append(nb::make_tuple(text_from(each.query), text_from(each.document)));
  nb::dict out;
  out["verdict"] = std::string(name_of(plan.verdict));
  out["certain"] = plan.certain;
  out["low"] = plan.low;
  out["high"] = plan.high;
  out["least"] = plan.least;
  out["most"] = plan.most;
  out["queries"] = plan.queries;
  out["open_queries"] = plan.open;
  out["judged_queries"] = plan.drawn;
  out["judged"] = plan.used;
  out["open"] = plan.of;
  out["next"] = next;
  return out;
}

/// Means, intervals and counts of measures whose values per query were found elsewhere: a row of `values` per measure.
nb::object summarise_values(const Texts& measures, const Matrix<double>& values, const Vector<double>& weights,
                            const EvaluateOptions& options) {
  const std::size_t queries = weights.shape(0);
  if (values.shape(0) != measures.size() || values.shape(1) != queries)
    throw Error(ErrorCode::bad_input, "measures, values and weights differ in number");
  EvaluationTable table;
  for (std::size_t m = 0; m < measures.size(); ++m) {
    MeasureResult result;
    result.name = measures[m];
    for (std::size_t q = 0; q < queries; ++q) result.per_query.push_back(values(m, q));
    result.geometric = make_measure(measures[m], convention_of(options))->geometric();
    table.measures.push_back(std::move(result));
  }
  {
    const std::vector<double> own(weights.data(), weights.data() + queries);
    const nb::gil_scoped_release unlocked;
    summarise(table, own, options);
  }
  return to_dict(std::move(table))["measures"];
}

nb::dict compare_values(const Vector<double>& a, const Vector<double>& b, const EvaluateOptions& options) {
  PairedTest test;
  {
    const nb::gil_scoped_release unlocked;
    test = compare(span_of(a), span_of(b), options);
  }
  nb::dict out = to_dict(test);
  add_size(size_of_difference(span_of(a), span_of(b)), out);
  return out;
}

}  // namespace

void add_size(const DifferenceSize& size, nb::dict& out) {
  out["p_wilcoxon"] = size.p_wilcoxon;
  out["effect"] = size.effect;
  out["rank_effect"] = size.rank_effect;
  out["queries_needed"] = size.queries_needed;
}

nb::dict to_dict(MeasureResult result) {
  nb::dict entry;
  entry["name"] = result.name;
  entry["mean"] = result.mean;
  entry["low"] = result.low;
  entry["high"] = result.high;
  entry["queries"] = result.queries;
  entry["skipped"] = result.skipped;
  entry["per_query"] = to_numpy(std::move(result.per_query));
  return entry;
}

nb::dict to_dict(EvaluationTable table) {
  nb::dict out;
  out["convention"] = table.convention;
  out["ties"] = table.ties;
  nb::list measures;
  for (MeasureResult& result : table.measures) measures.append(to_dict(std::move(result)));
  out["measures"] = measures;
  return out;
}

nb::dict to_dict(const PairedTest& test) {
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

void bind_evaluate(nb::module_& module) {
  nb::class_<EvaluateOptions>(module, "EvaluateOptions")
      .def(nb::init<>())
      .def_rw("convention", &EvaluateOptions::convention)
      .def_rw("ties", &EvaluateOptions::ties)
      .def_rw("one_per", &EvaluateOptions::one_per)
      .def_rw("as_ranked", &EvaluateOptions::as_ranked)
      .def_rw("depth", &EvaluateOptions::depth)
      .def_rw("complete", &EvaluateOptions::complete)
      .def_rw("bootstrap", &EvaluateOptions::bootstrap)
      .def_rw("confidence", &EvaluateOptions::confidence)
      .def_rw("seed", &EvaluateOptions::seed)
      .def_rw("threads", &EvaluateOptions::threads);
  module.def("evaluate", &evaluate_scores, "labels"_a.noconvert(), "scores"_a.noconvert(), "end"_a.noconvert(), "ids"_a,
             "weights"_a.noconvert(), "measures"_a, "options"_a);
  module.def("evaluate_data", &evaluate_data, "data"_a, "scores"_a.noconvert(), "measures"_a, "options"_a);
  module.def("evaluate_run", &evaluate_a_run, "judged"_a.noconvert(), "subtopics"_a, "ranked"_a.noconvert(),
             "measures"_a, "options"_a);
  module.def("evaluate_run_file", &evaluate_a_run_file, "judged"_a.noconvert(), "path"_a, "measures"_a, "options"_a);
  module.def("plan_judging", &plan_what_to_judge, "columns"_a.noconvert(), "measure"_a, "options"_a, "best_label"_a,
             "same_within"_a, "batch"_a);
  module.def(
      "measure_name",
      [](const std::string& spelling, const std::string& convention) {
        return std::string(make_measure(spelling, make_convention(convention))->name());
      },
      "spelling"_a, "convention"_a, "The one name of a measure that may be spelled in several ways.");
  module.def("summarise", &summarise_values, "measures"_a, "values"_a.noconvert(), "weights"_a.noconvert(), "options"_a,
             "What evaluate has in its measures, from values per query.");
  module.def(
      "holm",
      [](const Vector<double>& p) { return to_numpy(holm(std::vector<double>(p.data(), p.data() + p.shape(0)))); },
      "p"_a.noconvert(), "Holm's correction; NaN is no test.");
  module.def("compare", &compare_values, "a"_a.noconvert(), "b"_a.noconvert(), "options"_a);
}

}  // namespace dorm::python
