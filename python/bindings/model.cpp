// SPDX-License-Identifier: Apache-2.0
// Model: its JSON, its scores, and what each feature contributes to them.
#include "dorm/model.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "arrays.h"
#include "base/vector/vector_ops.h"
#include "bindings.h"
#include "borrowed.h"
#include "dorm/base/catalog.h"
#include "dorm/data/one_per.h"
#include "dorm/error.h"
#include "dorm/ranking/group_lists.h"
#include "dorm/recommend/any_model.h"
#include "input.h"
#include "model/align.h"
#include "model/contributions.h"

namespace dorm::python {
namespace {

using namespace nb::literals;

nb::object scores_of(const Model& model, const Dataset& data, std::size_t threads, const Kernel* kernel,
                     const std::string& device, std::uint64_t memory) {
  std::vector<double> scores;
  {
    const nb::gil_scoped_release unlocked;
    scores = score(model, data, ComputeOptions{threads, device, memory}, kernel);
  }
  return to_numpy(std::move(scores));
}

/// X w, for a linear model that takes features as they are, in the order of the columns: what scores_of() gives,
/// without a data set around the rows. None: some score is not finite.
nb::object scores_of_rows(const Model& model, const Matrix<float>& values) {
  if (!model.linear() || model.scaling.kind != ScalingKind::none || model.weights.size() != values.shape(1))
    throw Error(ErrorCode::unsupported, "rows alone do not say what this model needs to know");
  std::vector<double> scores(values.shape(0));
  const DenseRows rows = checked_rows(values);
  {
    const nb::gil_scoped_release unlocked;
    multiply(rows, model.weights, scores);
  }
  if (!std::all_of(scores.begin(), scores.end(), [](double score) { return std::isfinite(score); })) return nb::none();
  return to_numpy(std::move(scores));
}

/// What features add to the scores, row-major in the order of the model's, and what all scores have beside. None:
/// scores are no such sums.
nb::object contributions(const Model& model, const Dataset& data, std::size_t threads) {
  std::optional<Contributions> out;
  {
    const nb::gil_scoped_release unlocked;
    require_features(model, data);
    out = contributions_of(model, data, threads);
  }
  if (!out) return nb::none();
  return nb::make_tuple(to_numpy(std::move(out->values)), out->base);
}

/// None: the model is no ensemble of trees.
nb::object about_trees(const Model& model) {
  if (!model.trees) return nb::none();
  const TreeEnsemble& trees = model.trees->trees();
  nb::dict out;
  out["library"] = trees.library;
  out["objective"] = trees.objective;
  out["trees"] = trees.num_trees();
  out["leaves"] = (trees.nodes.size() + trees.num_trees()) / 2;
  out["base"] = trees.base;
  return out;
}

/// The scaled features, row-major in the order of the model's.
nb::object scaled_rows(const Model& model, const Dataset& data) {
  std::vector<double> out;
  {
    const nb::gil_scoped_release unlocked;
    out = scaled_features(model, data, 1);
  }
  return to_numpy(std::move(out));
}

nb::dict certificate_of(const Model& model) {
  nb::dict out;
  out["primal"] = model.certificate.primal;
  out["dual"] = model.certificate.dual;
  out["gap"] = model.certificate.gap;
  out["status"] = model.certificate.status;
  return out;
}

nb::list parts_of(const Model& model) {
  nb::list out;
  for (const ModelPart& part : model.parts) {
    nb::dict entry;
    entry["share"] = part.share;
    entry["measure"] = part.measure;
    entry["decay"] = part.decay;
    entry["bound"] = part.bound;
    entry["start"] = part.start;
    entry["C"] = part.C;
    entry["explained_risk"] = part.explained_risk;
    entry["validation"] = part.validation;
    if (part.ranker) {
      entry["weight"] = part.weight;
      entry["kind"] = name_of(part.ranker->kind());
    }
    out.append(entry);
  }
  return out;
}

/// The places of the documents in lists that show at most so many of a group, from 1; 0: not shown.
nb::object limited_places(const Dataset& data, const Vector<double>& scores, const std::string& one_per) {
  if (scores.shape(0) != data.num_documents())
    throw Error(ErrorCode::bad_input, "scores and documents differ in number");
  const std::vector<GroupLimits> groups = group_limits(data, parse_one_per(one_per));
  std::vector<std::int64_t> places(data.num_documents(), 0);
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    const Query query = data.query(q);
    std::int64_t place = 0;
    for (const std::size_t i : top_ranking(span_of(scores).subspan(query.first_document, query.size()), groups[q], 0))
      places[query.first_document + i] = ++place;
  }
  return to_numpy(std::move(places));
}

/// None: not known.
nb::object statistics_of(const Model& model) {
  const FeatureStatistics& statistics = model.data.statistics;
  if (!statistics.known()) return nb::none();
  nb::dict numbers;
  numbers["minimum"] = to_numpy(std::vector(statistics.minimum));
  numbers["maximum"] = to_numpy(std::vector(statistics.maximum));
  numbers["mean"] = to_numpy(std::vector(statistics.mean));
  return numbers;
}

/// What a model says of itself.
void bind_properties(nb::class_<Model>& type) {
  type.def_ro("features", &Model::features)
      .def_prop_ro("weights", [](const Model& model) { return to_numpy(std::vector<double>(model.weights)); })
      .def_prop_ro("scaling", [](const Model& model) { return std::string(name_of(model.scaling.kind)); })
      .def_prop_ro("shift", [](const Model& model) { return to_numpy(std::vector<double>(model.scaling.shift)); })
      .def_prop_ro("factor", [](const Model& model) { return to_numpy(std::vector<double>(model.scaling.factor)); })
      .def_prop_ro("scaled_per_query", [](const Model& model) { return model.scaling.per_query(); })
      .def_prop_ro("kernel", [](const Model& model) { return model.kernel ? model.kernel->kernel : "none"; })
      .def_prop_ro("approximation",
                   [](const Model& model) { return model.kernel ? model.kernel->approximation : "none"; })
      .def_prop_ro("support_documents",
                   [](const Model& model) { return model.kernel ? model.kernel->support.num_documents() : 0; })
      .def_ro("measure", &Model::measure)
      .def_ro("convention", &Model::convention)
      .def_ro("decay", &Model::decay)
      .def_ro("bound", &Model::bound)
      .def_ro("start", &Model::start)
      .def_ro("solver", &Model::solver)
      .def_ro("C", &Model::C)
      .def_ro("tolerance", &Model::tolerance)
      .def_ro("seed", &Model::seed)
      .def_ro("rounds", &Model::rounds)
      .def_ro("explained_risk", &Model::explained_risk)
      .def_ro("validation", &Model::validation)
      .def_prop_ro("certificate", &certificate_of)
      .def_prop_ro("input", [](const Model& model) { return to_dict(model.data.input); })
      .def_prop_ro("statistics", &statistics_of)
      .def_ro("target", &Model::target)
      .def_ro("one_per", &Model::one_per)
      .def_ro("folds", &Model::folds)
      .def_prop_ro("parts", &parts_of)
      .def_prop_ro("num_features", [](const Model& model) { return model.data.features; });
}

}  // namespace

void bind_model(nb::module_& module) {
  nb::class_<Model> type(module, "Model", "A trained ranker.");
  bind_properties(type);
  type.def("score", &scores_of, "data"_a, "threads"_a, "kernel"_a.none() = nb::none(), "device"_a = "cpu",
           "memory"_a = 0)
      .def("score_rows", &scores_of_rows, "values"_a.noconvert(),
           "Scores of rows whose columns are the features in their order, of a linear model without scaling.")
      .def("scaled_rows", &scaled_rows, "data"_a)
      .def("contributions", &contributions, "data"_a, "threads"_a)
      .def_prop_ro("kind", [](const Model& model) { return name_of(model.kind()); })
      .def_prop_ro("by_number", &Model::by_number)
      .def_prop_ro("trees", &about_trees)
      .def("to_json", [](const Model& model) { return to_json(model); })
      .def_static("from_json", &model_from_json, "text"_a, "name"_a)
      .def_static(
          "from_bytes",
          [](const nb::bytes& bytes, const std::string& name) {
            return model_from_json({bytes.c_str(), bytes.size()}, name);
          },
          "bytes"_a, "name"_a)
      .def("save", [](const Model& model, const std::string& path) { save_model(model, path); })
      .def_static("load", &load_model, "path"_a)
      .def("__getstate__", [](const Model& model) { return to_json(model); })
      .def("__setstate__",
           [](Model& model, const std::string& text) { new (&model) Model(model_from_json(text, "pickle")); });
  module.def(
      "kind_of_model",
      [](const std::string& path) -> std::string {
        const nb::gil_scoped_release unlocked;
        const std::optional<SavedModel> saved = load_saved_model(path);
        constexpr const char* kKinds[] = {"ranker", "positions", "factors", "joint", "implicit"};
        return saved ? kKinds[saved->index()] : "";
      },
      "path"_a, "ranker, positions, factors, joint or implicit; empty: no model.");
  module.def("weighted_sum", [](std::vector<Model> models, const std::vector<double>& weights) {
    return weighted_sum(std::move(models), weights);
  });
  module.def("limited_places", &limited_places, "data"_a, "scores"_a.noconvert(), "one_per"_a);
}

}  // namespace dorm::python
