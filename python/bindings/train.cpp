// SPDX-License-Identifier: Apache-2.0
// Training, with the interpreter lock released; Ctrl-C and callbacks are looked after by the observer.
#include "dorm/train.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <optional>

#include "bindings.h"
#include "dorm/learning/baseline.h"
#include "dorm/stream.h"
#include "reports.h"
#include "tabulated_measure.h"
#include "training.h"
#include "watcher.h"

namespace dorm::python {
namespace {

using namespace nb::literals;

nb::dict candidate_dict(const Candidate& candidate) {
  nb::dict out;
  out["bound"] = name_of(candidate.bound);
  out["start"] = name_of(candidate.start);
  out["rounds"] = candidate.rounds;
  out["primal"] = candidate.certificate.primal;
  out["dual"] = candidate.certificate.dual;
  out["gap"] = candidate.certificate.gap;
  out["status"] = candidate.certificate.status;
  out["explained_risk"] = candidate.explained_risk;
  out["validation"] = candidate.validation;
  out["share"] = candidate.share;
  return out;
}

nb::tuple train_model(const Dataset& data, const TrainOptions& options, const Dataset* validation, nb::object callback,
                      const TabulatedMeasure* measure, const Model* initial, const Kernel* kernel) {
  TrainOptions own = options;
  own.kernel_function = kernel;
  own.own_measure = measure;
  own.initial = initial;
  Watcher watcher(std::move(callback));
  Training kept{.train = data, .result = {}};
  if (validation) kept.valid = *validation;
  TrainResult& result = kept.result;
  {
    const nb::gil_scoped_release unlocked;
    result = train(data, own, validation ? Task(*validation) : Task(), [&](const TrainProgress& progress) {
      kept.trace.add(progress);
      return watcher.go_on(progress.solver.evaluated, [&] { return train_progress_dict(progress); });
    });
  }
  watcher.rethrow();
  nb::dict report = train_report_dict(result.report, watcher.interrupted());
  report["validation"] = result.model.validation;
  kept.interrupted = watcher.interrupted();
  Model model = result.model;
  return nb::make_tuple(std::move(model), report, std::move(kept));
}

/// A method of method_catalog(), or "pairwise", the start of that name: as `dorm train --method`.
Model train_baseline(const Dataset& data, const std::string& method, const TrainOptions& options) {
  const nb::gil_scoped_release unlocked;
  if (method == "pairwise") return train_initial_model(data, InitialModel::pairwise, options);
  require_unsigned(options.signs, method);
  return train_method(data, method,
                      {.C = options.C,
                       .measure = options.measure,
                       .convention = options.convention,
                       .scale = options.scale,
                       .target = options.target,
                       .solve = options.solve,
                       .compute = options.compute})
      .model;
}

void learn(Stream& stream, const Dataset& data, const TrainOptions& options, const TabulatedMeasure* measure) {
  TrainOptions own = options;
  own.own_measure = measure;
  Watcher watcher{nb::none()};
  {
    const nb::gil_scoped_release unlocked;
    stream.learn(data, own, [&](std::uint64_t) { return watcher.go_on(false, [] { return nb::dict(); }); });
  }
  watcher.rethrow();
  if (watcher.interrupted()) {
    PyErr_SetNone(PyExc_KeyboardInterrupt);
    throw nb::python_error();
  }
}

Model stream_model(const Stream& stream, const TrainOptions& options, const TabulatedMeasure* measure) {
  TrainOptions own = options;
  own.own_measure = measure;
  return stream.model(own);
}

}  // namespace

nb::dict solver_progress(const Progress& progress) {
  nb::dict out;
  out["pass"] = progress.pass;
  out["primal"] = progress.primal;
  out["dual"] = progress.dual;
  out["gap"] = progress.gap;
  out["seconds"] = progress.seconds;
  out["oracle_calls"] = progress.oracle_calls;
  out["planes"] = progress.planes;
  return out;
}

nb::dict train_progress_dict(const TrainProgress& progress) {
  nb::dict out = solver_progress(progress.solver);
  out["bound"] = name_of(progress.bound);
  out["start"] = name_of(progress.start);
  out["round"] = progress.round;
  out["validation"] = progress.validation;
  return out;
}

nb::dict train_report_dict(const TrainReport& report, bool interrupted) {
  nb::dict out;
  nb::list candidates, history;
  for (const Candidate& candidate : report.candidates) candidates.append(candidate_dict(candidate));
  for (const Progress& progress : report.solve.history) history.append(solver_progress(progress));
  out["candidates"] = candidates;
  out["history"] = history;
  out["dropped_queries"] = report.dropped_queries;
  out["warnings"] = report.warnings;
  out["seconds"] = report.seconds;
  out["passes"] = report.solve.passes;
  out["oracle_calls"] = report.solve.oracle_calls;
  out["planes"] = report.solve.planes;
  out["support_vectors"] = report.solve.support_vectors;
  out["solve_seconds"] = report.solve.seconds;
  out["oracle_seconds"] = report.solve.oracle_seconds;
  out["qp_seconds"] = report.solve.qp_seconds;
  out["interrupted"] = interrupted;
  return out;
}

void bind_train(nb::module_& module) {
  nb::class_<TrainOptions> options(module, "TrainOptions");
  options.def(nb::init<>()).def_rw("checkpoint", &TrainOptions::checkpoint).def("validate", &TrainOptions::validate);
  for (const TrainOption& option : train_option_catalog())
    options.def_prop_rw(
        option.name, [&option](const TrainOptions& of) { return option.get(of); },
        [&option](TrainOptions& of, const OptionValue& value) { option.set(of, value); });
  module.def("train", &train_model, "data"_a, "options"_a, "validation"_a.none(), "callback"_a.none(),
             "measure"_a.none(), "initial"_a.none(), "kernel"_a.none() = nb::none(),
             "The model, a report, and the training for a page about it. callback(progress) returns true to stop; "
             "Ctrl-C stops, too.");
  module.def("train_baseline", &train_baseline, "data"_a, "method"_a, "options"_a, "The model of a baseline.");
  nb::class_<Stream>(module, "Stream", "Weights learnt from queries that pass once.")
      .def(nb::init<const Model*>(), "initial"_a.none() = nb::none())
      .def("learn", &learn, "data"_a, "options"_a, "measure"_a.none())
      .def("model", &stream_model, "options"_a, "measure"_a.none())
      .def("__getstate__", &Stream::save)
      .def("__setstate__", [](Stream& stream, const std::string& text) { new (&stream) Stream(Stream::load(text)); });
}

}  // namespace dorm::python
