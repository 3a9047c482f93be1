// SPDX-License-Identifier: Apache-2.0
// Tuning: the grid, its cells as dicts, and the page about it.
#include "dorm/tune.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <map>
#include <optional>
#include <utility>

#include "bindings.h"
#include "dorm/apps/pages.h"
#include "dorm/data/split.h"
#include "dorm/error.h"
#include "dorm/learning/few_features.h"
#include "dorm/train.h"
#include "report/pages/grid_blocks.h"
#include "report/pages/words.h"
#include "reports.h"
#include "watcher.h"

namespace dorm::python {
namespace {

namespace nb = nanobind;
using namespace nb::literals;

/// A tuning as it went, with its data.
struct Tuning {
  Dataset train;
  std::optional<Dataset> valid = {}, test = {};
  TuneOptions options;
  TuneResult result;
  std::optional<pages::TrainingReportData::Baseline> baseline = {};
  std::optional<FeaturePath> few = {};  // where features were chosen
};

/// What pages and the comparison with the baseline are made from; views.
struct TunedPages {
  TrainResult trained;
  pages::TrainingTrace trace;
  pages::TrainingReportData training;
  pages::TuningReportData tuning;

  TunedPages(const Tuning& tuned, const std::string& train_name, const std::string& judged_on)
      : trained{.model = tuned.result.model, .report = tuned.result.report},
        training{.train = tuned.train,
                 .valid = tuned.valid ? &*tuned.valid : nullptr,
                 .test = tuned.test ? &*tuned.test : nullptr,
                 .result = trained,
                 .trace = trace,
                 .train_name = train_name,
                 .valid_name = judged_on,
                 .measure = tuned.options.train.measure,
                 .baseline = tuned.baseline,
                 .few = tuned.few ? &*tuned.few : nullptr},
        tuning{.tuned = tuned.result,
               .options = tuned.options,
               .judged_on = judged_on,
               .reason = pages::choice_reason(tuned.result, tuned.options.choice)} {}
  TunedPages(const TunedPages&) = delete;
};

Family family_from(const std::string& name) {
  if (name.empty()) return Family::any;
  if (name == "linear") return Family::linear;
  if (name == "trees") return Family::trees;
  throw Error(ErrorCode::bad_option, "only is \"" + name + "\"; expected linear or trees");
}

template <class T>
void take_axis(const nb::dict& settings, const char* name, std::vector<T>& out) {
  if (settings.contains(name)) out = nb::cast<std::vector<T>>(settings[name]);
}

TuneOptions tune_options(const TrainOptions& train, const nb::dict& settings) {
  TuneOptions options;
  options.train = train;
  options.train.checkpoint = nb::cast<std::string>(settings["checkpoint"]);
  options.choice = choice_from(nb::cast<std::string>(settings["choose"]));
  take_axis(settings, "C", options.C);
  take_axis(settings, "decay", options.decays);
  take_axis(settings, "measure", options.measures);
  take_axis(settings, "kernel", options.kernels);
  take_axis(settings, "curves", options.curves);
  if (settings.contains("folds")) {
    const auto folds = nb::cast<std::int64_t>(settings["folds"]);
    if (folds < 2) throw Error(ErrorCode::bad_option, "folds is " + std::to_string(folds) + "; expected 2 or more");
    options.folds = static_cast<std::size_t>(folds);
  }
  std::vector<std::string> names;
  take_axis(settings, "trees", names);
  for (const std::string& name : names) options.tree_losses.push_back(parse_tree_loss(name));
  take_axis(settings, "leaves", options.tree_leaves);
  options.only = family_from(nb::cast<std::string>(settings["only"]));
  options.lightgbm = nb::cast<std::string>(settings["lightgbm"]);
  names.clear();
  take_axis(settings, "bound", names);
  if (!names.empty()) options.bounds.clear();
  for (const std::string& name : names) options.bounds.push_back(parse_bound_choice(name));
  if (settings.contains("ranker")) options.initial_models.clear();
  names.clear();
  take_axis(settings, "ranker", names);
  for (const std::string& name : names) {
    const InitialModelChoice start = parse_initial_model(name);
    if (!start) throw Error(ErrorCode::bad_option, "the axis ranker of the grid holds \"" + name + "\"");
    options.initial_models.push_back(*start);
  }
  options.validate();
  return options;
}

template <class Cell>
nb::dict place_dict(const Cell& cell) {
  nb::dict out;
  out["measure"] = cell.measure;
  out["decay"] = cell.decay;
  out["kernel"] = cell.kernel;
  out["bound"] = cell.bound ? std::string(name_of(*cell.bound)) : "none";
  out["start"] = std::string(cell.trees ? name_of(*cell.trees) : name_of(cell.start));
  out["C"] = cell.C;
  out["curves"] = cell.curves;
  out["leaves"] = cell.leaves;
  return out;
}

nb::dict cell_dict(const GridPoint& cell) {
  nb::dict out = place_dict(cell);
  out["validation"] = cell.validation;
  out["standard_error"] = cell.standard_error;
  out["explained_risk"] = cell.explained_risk;
  out["rounds"] = cell.rounds;
  out["gap"] = cell.certificate.gap;
  out["status"] = cell.certificate.status;
  out["cut_short"] = cell.cut_short;
  out["share"] = cell.share;
  return out;
}

nb::dict validated_dict(const ValidatedFigure& figure) {
  nb::dict out;
  out["mean"] = figure.mean;
  out["standard_error"] = figure.standard_error;
  out["low"] = figure.low;
  out["high"] = figure.high;
  out["queries"] = figure.queries;
  return out;
}

nb::object tested_dict(const std::optional<TestedFigure>& tested) {
  if (!tested) return nb::none();
  nb::dict out;
  out["measure"] = tested->measure;
  out["mean"] = tested->mean;
  out["low"] = tested->low;
  out["high"] = tested->high;
  out["queries"] = tested->queries;
  out["share"] = tested->share;
  out["seed"] = tested->seed;
  return out;
}

nb::dict progress_of(const TuneProgress& progress) {
  nb::dict out;
  out["done"] = progress.done;
  out["total"] = progress.total;
  out["best"] = progress.best;
  out["seconds_left"] = progress.seconds_left;
  out["resumed"] = progress.resumed;
  out["leader"] = progress.leader ? nb::object(cell_dict(*progress.leader)) : nb::none();
  return out;
}

nb::dict told(const TuneResult& result, const TuneOptions& options) {
  constexpr std::array kEnds = {"whole", "time_limit", "stopped"};
  nb::dict out;
  nb::list cells, pruned;
  for (const GridPoint& cell : result.points) cells.append(cell_dict(cell));
  for (const PrunedPoint& cell : result.pruned) {
    nb::dict entry = place_dict(cell);
    entry["why"] = std::string(reason_of(cell.why));
    pruned.append(entry);
  }
  out["cells"] = cells;
  out["pruned"] = pruned;
  out["validated"] = validated_dict(result.validated);
  if (result.worth) {
    nb::dict worth;
    worth["linear"] = validated_dict(result.worth->linear);
    worth["trees"] = validated_dict(result.worth->trees);
    worth["difference"] = result.worth->difference;
    worth["low"] = result.worth->low;
    worth["high"] = result.worth->high;
    worth["text"] = worth_text(*result.worth, options.train.measure);
    out["worth"] = worth;
  }
  out["tested"] = tested_dict(result.model.tested);
  out["choice"] = std::string(pages::choice_name(result.choice));
  out["reason"] = pages::choice_reason(result, options.choice);
  out["end"] = kEnds.at(static_cast<std::size_t>(result.end));
  out["resumed"] = result.resumed;
  out["refitted"] = result.refitted;
  out["folds"] = options.folds;
  out["report"] = train_report_dict(result.report, false);
  out["report"]["validation"] = result.model.validation;
  return out;
}

nb::object baseline_dict(const Tuning& tuned) {
  const std::string judged_on = tuned.valid ? "the validation data" : std::to_string(tuned.options.folds) + " folds";
  const TunedPages views(tuned, "", judged_on);
  const std::optional<pages::Evidence> evidence =
      pages::evidence_against(views.training, views.tuning, tuned.options.train.compute.threads);
  if (!evidence) return nb::none();
  const pages::Yardstick& other = evidence->yardsticks.front();
  nb::dict out;
  out["name"] = other.name;
  out["measure"] = evidence->figure.name;
  out["evaluated_on"] = evidence->on;
  out["mean"] = other.figure.mean;
  out["ranker_mean"] = evidence->figure.mean;
  out["difference"] = other.test.mean_difference;
  out["low"] = other.test.low;
  out["high"] = other.test.high;
  out["wins"] = other.test.wins;
  out["losses"] = other.test.losses;
  out["p"] = other.p;
  return out;
}

/// Leaves the chosen features alone in the data and the options; Ctrl-C ends it.
void choose_features(Tuning& tuned, const nb::dict& settings) {
  FewFeatures few{.budget = nb::cast<double>(settings["at_most"]), .folds = tuned.options.folds};
  if (settings.contains("feature_costs"))
    few.costs = costs_of(nb::cast<std::map<std::string, double>>(settings["feature_costs"]), tuned.train);
  Watcher watcher{nb::none()};
  try {
    const nb::gil_scoped_release unlocked;
    const auto go_on = [&](double) { return watcher.go_on(false, [] { return nb::dict(); }); };
    tuned.few = few_features(tuned.train, few, tuned.options.train, tuned.valid ? &*tuned.valid : nullptr, go_on);
    const std::vector<std::string>& chosen = tuned.few->delivered().features;
    for (std::optional<Dataset>* data : {&tuned.valid, &tuned.test})
      if (*data) *data = with_features(**data, chosen, tuned.options.train.compute.threads);
    tuned.train = with_features(tuned.train, chosen, tuned.options.train.compute.threads);
    tuned.options.train = with_features(tuned.options.train, chosen);
  } catch (const Error&) {
    watcher.rethrow();
    if (!watcher.interrupted()) throw;
    PyErr_SetString(PyExc_KeyboardInterrupt, "the choice of features was interrupted");
    throw nb::python_error();
  }
}

nb::list few_list(const FeaturePath& path) {
  nb::list steps;
  for (const FeatureStep& step : path.steps) {
    nb::dict out;
    out["features"] = step.features;
    out["cost"] = step.cost;
    out["mean"] = step.validated.mean;
    out["low"] = step.validated.low;
    out["high"] = step.validated.high;
    out["delivered"] = step.delivered;
    steps.append(out);
  }
  return steps;
}

/// The queries that dorm split draws with the same share and seed.
void set_aside(Tuning& tuned, TestedFigure& drawn) {
  drawn.seed = tuned.options.train.solve.seed;
  drawn.fingerprint = tuned.train.fingerprint(tuned.options.train.compute.threads);
  const QuerySplit split = split_queries(tuned.train, {.test = drawn.share, .seed = drawn.seed});
  if (tuned.baseline) tuned.baseline->scores = values_of_queries(tuned.train, tuned.baseline->scores, split.test);
  tuned.test = tuned.train.select(split.test);
  tuned.train = tuned.train.select(split.train);
}

nb::tuple tune_model(const Dataset& data, const TrainOptions& train, const nb::dict& settings,
                     const Dataset* validation, nb::object callback) {
  Tuning tuned{.train = data, .options = tune_options(train, settings), .result = {}};
  if (validation) tuned.valid = *validation;
  if (settings.contains("baseline"))
    tuned.baseline = pages::TrainingReportData::Baseline{
        .name = nb::cast<std::string>(settings["baseline_name"]),
        .scores = nb::cast<std::vector<double>>(settings["baseline"]),
    };
  TestedFigure drawn;
  drawn.share = nb::cast<double>(settings["test"]);
  if (drawn.share > 0) set_aside(tuned, drawn);
  if (settings.contains("at_most")) choose_features(tuned, settings);
  Watcher watcher(std::move(callback));
  try {
    const nb::gil_scoped_release unlocked;
    std::size_t last = static_cast<std::size_t>(-1);
    tuned.result = tune(
        tuned.train, tuned.options, tuned.valid ? Task(*tuned.valid) : Task(),
        [&](const TuneProgress& progress) {
          const bool news = progress.done != std::exchange(last, progress.done);
          return watcher.go_on(news, [&] { return progress_of(progress); });
        },
        [&](const TrainProgress&) { return watcher.go_on(false, [] { return nb::dict(); }); });
    if (tuned.test) test_tuned(tuned.result, tuned.options, *tuned.test, drawn);
  } catch (const Error&) {  // stopped before any cell was judged: say why
    watcher.rethrow();
    if (!watcher.interrupted()) throw;
    PyErr_SetString(PyExc_KeyboardInterrupt, "tuning was interrupted before any cell was judged");
    throw nb::python_error();
  }
  watcher.rethrow();
  nb::dict report_data = told(tuned.result, tuned.options);
  report_data["baseline"] = baseline_dict(tuned);
  if (tuned.few) report_data["few"] = few_list(*tuned.few);
  return nb::make_tuple(std::move(tuned), report_data, watcher.interrupted());
}

report::Report page_of_tuning(const Tuning& tuned, const std::string& train_name, const std::string& judged_on) {
  const TunedPages views(tuned, train_name, judged_on);
  return pages::tune_page(views.training, views.tuning);
}

}  // namespace

Choice choice_from(const std::string& name) {
  for (const Choice choice : {Choice::average, Choice::best, Choice::steady, Choice::one_standard_error})
    if (name == pages::choice_name(choice)) return choice;
  throw Error(ErrorCode::bad_option,
              "choose is \"" + name + "\"; expected average, best, steady or one-standard-error");
}

void bind_tune(nb::module_& module) {
  nb::class_<Tuning>(module, "Tuning", "A tuning with its data: what a page about it is made from.")
      .def_prop_ro("model", [](const Tuning& tuned) { return tuned.result.model; })
      .def("page", &page_of_tuning, "train_name"_a, "judged_on"_a, nb::call_guard<nb::gil_scoped_release>());
  module.def("tune", &tune_model, "data"_a, "options"_a, "settings"_a, "validation"_a.none(), "callback"_a.none(),
             "The tuning, its report_data as a dict, and whether Ctrl-C stopped it.");
}

}  // namespace dorm::python
