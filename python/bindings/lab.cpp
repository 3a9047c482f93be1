// SPDX-License-Identifier: Apache-2.0
// Comparisons and experiments, with their pages.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <optional>
#include <utility>
#include <variant>

#include "arrays.h"
#include "bindings.h"
#include "dorm/error.h"
#include "dorm/lab/pages.h"
#include "evaluation.h"
#include "reports.h"
#include "watcher.h"

namespace dorm::python {
namespace {

using namespace nb::literals;

/// A comparison as it came out, for its page.
struct Compared {
  ComparisonResult result;
  std::variant<ComparisonOptions, RecommenderComparison> options;
  report::Queries queries;  // of rankers, made while their data is at hand
};

struct Experimented {
  ExperimentResult result;
  ExperimentOptions options;
};

nb::dict figure_dict(const ComparisonFigure& figure) {
  nb::dict out = to_dict(MeasureResult(figure.result));
  out["measure"] = figure.measure;
  out["chosen"] = figure.chosen;
  out["candidates"] = figure.candidates;
  out["seconds"] = figure.seconds;
  out["tuning_seconds"] = figure.tuning_seconds;
  out["support_vectors"] = figure.support_vectors;
  out["difference"] = std::isnan(figure.p_holm) ? figure.p_holm : figure.test.mean_difference;
  out["p_permutation"] = std::isnan(figure.p_holm) ? figure.p_holm : figure.test.p_permutation;
  out["p_holm"] = figure.p_holm;
  out["reference"] = figure.reference;
  return out;
}

nb::dict comparison_dict(const ComparisonResult& result) {
  nb::list rows;
  for (const ComparisonRow& row : result.rows) {
    nb::dict out;
    nb::list figures, curve;
    for (const ComparisonFigure& figure : row.figures) figures.append(figure_dict(figure));
    for (const MeasureResult& point : row.curve) curve.append(to_dict(MeasureResult(point)));
    out["method"] = row.method;
    out["size"] = row.size;
    out["failure"] = row.failure;
    out["figures"] = figures;
    out["curve"] = curve;
    out["serving"] = row.serving ? serving_text(*row.serving) : "";
    rows.append(out);
  }
  nb::dict out;
  out["rows"] = rows;
  out["splits"] = result.splits;
  out["test_queries"] = result.test_queries;
  out["train_queries"] = result.train_queries;
  nb::list trees;
  for (const ComparedTrees& each : result.trees) {
    nb::dict verdict;
    verdict["size"] = each.size;
    verdict["linear"] = each.worth.linear.mean;
    verdict["trees"] = each.worth.trees.mean;
    verdict["difference"] = each.worth.difference;
    verdict["low"] = each.worth.low;
    verdict["high"] = each.worth.high;
    verdict["text"] = each.text;
    trees.append(verdict);
  }
  out["trees"] = trees;
  return out;
}

nb::dict cells_dict(const ComparisonProgress& progress) {
  nb::dict out;
  out["done"] = progress.done;
  out["total"] = progress.total;
  out["found"] = progress.found;
  out["method"] = progress.method;
  return out;
}

/// Runs something that is watched cell by cell; it may be stopped.
template <class Run>
auto watched(nb::object callback, Run run) {
  Watcher watcher(std::move(callback));
  auto result = [&] {
    const nb::gil_scoped_release unlocked;
    return run(
        [&](const ComparisonProgress& progress) { return watcher.go_on(true, [&] { return cells_dict(progress); }); });
  }();
  watcher.rethrow();
  if (watcher.interrupted() || !result.complete) {
    PyErr_SetString(PyExc_KeyboardInterrupt, "stopped; cells that are done are kept where out= names a folder");
    throw nb::python_error();
  }
  return result;
}

std::vector<DataSplit> splits_of(const std::vector<Dataset>& sets, const Dataset* valid, const Dataset* test,
                                 std::size_t folds, std::uint64_t seed) {
  if (!test) return rotating_splits(sets, folds, seed);
  return {tested_split(sets.at(0), valid, *test, folds, seed)};
}

Compared compare_methods(const std::vector<Dataset>& sets, const Dataset* valid, const Dataset* test, std::size_t folds,
                         ComparisonOptions options, bool curve, nb::object callback) {
  const Convention convention = make_convention(options.convention);
  for (std::string& measure : options.measures) measure = make_measure(measure, convention)->name();
  if (curve) options.curve = measures_by_cutoff(options.measures.at(0));
  if (options.methods.empty() && options.outside.empty())
    options.methods = default_methods(options.measures, convention);
  options.validate();
  const std::vector<DataSplit> splits = splits_of(sets, valid, test, folds, options.seed);
  ComparisonResult result = watched(std::move(callback), [&](const ComparisonObserver& observer) {
    return run_comparison(splits, options, observer);
  });
  report::Queries queries = comparison_queries(result, splits);
  return {std::move(result), std::move(options), std::move(queries)};
}

Compared compare_on_ratings(const Ratings& ratings, RecommenderComparison options, const SideFeatures* item_features,
                            const SideFeatures* user_features, nb::object callback) {
  for (std::string& measure : options.measures)
    measure = make_measure(measure, make_convention(options.convention))->name();
  ComparisonResult result = watched(std::move(callback), [&](const ComparisonObserver& observer) {
    return compare_recommenders(ratings, options, {item_features, user_features}, observer);
  });
  return {std::move(result), std::move(options), {}};
}

report::Report compared_page(const Compared& compared, const std::vector<std::string>& data) {
  if (const auto* ratings = std::get_if<RecommenderComparison>(&compared.options))
    return comparison_page(compared.result, *ratings, data);
  return comparison_page(compared.result, std::get<ComparisonOptions>(compared.options), compared.queries, data);
}

Experimented experiment(const std::string& name, const ExperimentOptions& options, nb::object callback) {
  ExperimentResult result = watched(
      std::move(callback), [&](const ComparisonObserver& observer) { return run_experiment(name, options, observer); });
  return {std::move(result), options};
}

nb::list tables_of(const ExperimentResult& result) {
  nb::list out;
  for (const report::Table& table : result.tables) {
    nb::list columns, rows;
    for (const report::Column& column : table.columns) columns.append(column.name);
    for (const auto& row : table.rows) {
      nb::list cells;
      for (const report::Cell& cell : row) cells.append(cell.text);
      rows.append(cells);
    }
    out.append(nb::make_tuple(table.caption, columns, rows));
  }
  return out;
}

void bind_options_of_comparisons(nb::module_& module) {
  nb::class_<ComparisonOptions>(module, "ComparisonOptions")
      .def(nb::init<>())
      .def_rw("methods", &ComparisonOptions::methods)
      .def_rw("measures", &ComparisonOptions::measures)
      .def_rw("sizes", &ComparisonOptions::sizes)
      .def_rw("C", &ComparisonOptions::C)
      .def_rw("equal_candidates", &ComparisonOptions::equal_candidates)
      .def_prop_rw(
          "choose", [](const ComparisonOptions&) { return "best"; },
          [](ComparisonOptions& options, const std::string& name) { options.choice = choice_from(name); })
      .def_rw("against", &ComparisonOptions::against)
      .def_rw("lightgbm", &ComparisonOptions::lightgbm)
      .def_rw("convention", &ComparisonOptions::convention)
      .def_rw("scale", &ComparisonOptions::scale)
      .def_rw("target", &ComparisonOptions::target)
      .def_rw("tolerance", &ComparisonOptions::tolerance)
      .def_rw("seed", &ComparisonOptions::seed)
      .def_rw("threads", &ComparisonOptions::threads)
      .def_rw("directory", &ComparisonOptions::directory)
      .def(
          "add_outside",
          [](ComparisonOptions& options, const std::string& name, const Vector<double>& scores) {
            options.outside.push_back({name, {{scores.data(), scores.data() + scores.shape(0)}}});
          },
          "name"_a, "scores"_a.noconvert(), "Of the test documents, in their order.")
      .def(
          "add_model",
          [](ComparisonOptions& options, const std::string& name, const Model& model, const Dataset& test) {
            options.outside.push_back({.name = name,
                                       .of_split = {score(model, test, options.threads)},
                                       .serving = serving_cost(model, test),
                                       .linear = model.linear()});
          },
          "name"_a, "model"_a, "test"_a, "A model that is only tested.");
}

void bind_options_of_recommender_comparisons(nb::module_& module) {
  nb::class_<RecommenderComparison>(module, "RecommenderComparison")
      .def(nb::init<>())
      .def_rw("methods", &RecommenderComparison::methods)
      .def_rw("measures", &RecommenderComparison::measures)
      .def_rw("given", &RecommenderComparison::given)
      .def_rw("share", &RecommenderComparison::share)
      .def_rw("splits", &RecommenderComparison::splits)
      .def_rw("split_seed", &RecommenderComparison::split_seed)
      .def_rw("choose", &RecommenderComparison::choose)
      .def_rw("against", &RecommenderComparison::against)
      .def_rw("convention", &RecommenderComparison::convention)
      .def_rw("threads", &RecommenderComparison::threads)
      .def_rw("directory", &RecommenderComparison::directory)
      .def_prop_rw(
          "rank", [](const RecommenderComparison& options) { return options.train.rank; },
          [](RecommenderComparison& options, std::size_t rank) { options.train.rank = rank; })
      .def_prop_rw(
          "seed", [](const RecommenderComparison& options) { return options.train.seed; },
          [](RecommenderComparison& options, std::uint64_t seed) { options.train.seed = seed; });
}

void bind_options_of_experiments(nb::module_& module) {
  nb::class_<ExperimentOptions>(module, "ExperimentOptions")
      .def(nb::init<>())
      .def_rw("data_directory", &ExperimentOptions::data_directory)
      .def_rw("directory", &ExperimentOptions::directory)
      .def_rw("threads", &ExperimentOptions::threads)
      .def_rw("seed", &ExperimentOptions::seed)
      .def_prop_rw(
          "choose", [](const ExperimentOptions&) { return "best"; },
          [](ExperimentOptions& options, const std::string& name) { options.choice = choice_from(name); });
}

}  // namespace

void bind_lab(nb::module_& module) {
  bind_options_of_comparisons(module);
  bind_options_of_recommender_comparisons(module);
  bind_options_of_experiments(module);
  nb::class_<Compared>(module, "Compared", "A comparison as it came out.")
      .def("to_dict", [](const Compared& compared) { return comparison_dict(compared.result); })
      .def("markdown", [](const Compared& compared) { return comparison_markdown(compared.result); })
      .def("csv", [](const Compared& compared) { return comparison_csv(compared.result); })
      .def("page", &compared_page, "data"_a);
  nb::class_<Experimented>(module, "Experimented", "An experiment as it came out.")
      .def_prop_ro("name", [](const Experimented& done) { return done.result.name; })
      .def_prop_ro("title", [](const Experimented& done) { return done.result.title; })
      .def_prop_ro("paper", [](const Experimented& done) { return done.result.paper; })
      .def_prop_ro("difference", [](const Experimented& done) { return done.result.difference; })
      .def_prop_ro("remarks", [](const Experimented& done) { return done.result.remarks; })
      .def_prop_ro("tables", [](const Experimented& done) { return tables_of(done.result); })
      .def_prop_ro("comparisons",
                   [](const Experimented& done) {
                     nb::list out;
                     for (const auto& [data, result] : done.result.comparisons)
                       out.append(nb::make_tuple(data, comparison_dict(result), comparison_markdown(result)));
                     return out;
                   })
      .def("markdown", [](const Experimented& done) { return experiment_markdown(done.result); })
      .def("csv", [](const Experimented& done) { return experiment_csv(done.result); })
      .def("page",
           [](const Experimented& done) { return experiment_page(std::span(&done.result, 1), {}, done.options); });
  module.def(
      "split_measures", [](const std::string& list) { return split_measures(list); }, "list"_a);
  module.def("compare_methods", &compare_methods, "sets"_a, "valid"_a.none(), "test"_a.none(), "folds"_a, "options"_a,
             "curve"_a, "callback"_a.none());
  module.def("compare_recommenders", &compare_on_ratings, "ratings"_a, "options"_a, "item_features"_a.none(),
             "user_features"_a.none(), "callback"_a.none());
  module.def("run_experiment", &experiment, "name"_a, "options"_a, "callback"_a.none());
  module.def(
      "missing_data",
      [](const std::string& name, const std::string& directory) {
        nb::list out;
        for (const DataFile& file : missing_data(name, directory))
          out.append(nb::make_tuple(file.set, file.path, file.published, file.url, file.sha256));
        return out;
      },
      "name"_a, "directory"_a, "Files of an experiment that are not there: set, path, publisher, address, SHA-256.");
}

}  // namespace dorm::python
