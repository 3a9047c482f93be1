// SPDX-License-Identifier: Apache-2.0
// Models over joint kernels.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "dorm/recommend/joint_model.h"
#include "dorm/train.h"
#include "ids.h"
#include "reports.h"
#include "watcher.h"

namespace dorm::python {
namespace {

using namespace nb::literals;
using Square = std::optional<Vector<double>>;

std::optional<Similarities> similarities_from(const Square& values, std::size_t size) {
  if (!values) return std::nullopt;
  Similarities out;
  out.size = size;
  out.values.assign(values->data(), values->data() + values->shape(0));
  return out;
}

nb::tuple train_joint_ratings(const Ratings& ratings, const JointModelOptions& options,
                              const SideFeatures* user_features, const SideFeatures* item_features, const Square& users,
                              const Square& items, nb::object callback) {
  const std::optional<Similarities> own_users = similarities_from(users, ratings.num_users());
  const std::optional<Similarities> own_items = similarities_from(items, ratings.num_items());
  const JointInputs inputs{user_features, item_features, own_users ? &*own_users : nullptr,
                           own_items ? &*own_items : nullptr};
  Watcher watcher(std::move(callback));
  JointModel model;
  {
    const nb::gil_scoped_release unlocked;
    model = train_joint_model(ratings, options, inputs, [&](const Progress& progress) {
      return watcher.go_on(progress.evaluated, [&] { return solver_progress(progress); });
    });
  }
  watcher.rethrow();
  return nb::make_tuple(std::move(model), watcher.interrupted());
}

nb::tuple joint_scores_of(const JointModel& model, const Ratings& ratings, std::size_t threads) {
  UnknownIds unknown;
  std::vector<double> scores;
  {
    const nb::gil_scoped_release unlocked;
    scores = score(model, ratings, &unknown, threads);
  }
  return nb::make_tuple(to_numpy(std::move(scores)), unknown.users, unknown.items);
}

nb::object joint_pair_scores(const JointModel& model, const Numbers& given_users, const Numbers& given_items) {
  const std::vector<std::uint32_t> users = checked_numbers(given_users, model.users().size(), "user");
  const std::vector<std::uint32_t> items = checked_numbers(given_items, model.items().size(), "item");
  std::vector<double> scores;
  {
    const nb::gil_scoped_release unlocked;
    scores = score_pairs(model, users, items);
  }
  return to_numpy(std::move(scores));
}

nb::list joint_recommendations(const JointModel& model, const Numbers& numbers, std::size_t n, bool with_seen,
                               std::size_t threads) {
  const std::vector<std::uint32_t> users = checked_numbers(numbers, model.users().size(), "user");
  std::vector<std::vector<Recommendation>> lists;
  {
    const nb::gil_scoped_release unlocked;
    lists = recommend(model, users, n, with_seen, threads);
  }
  nb::list out;
  for (const auto& list : lists) out.append(recommended(list));
  return out;
}

/// Users, items and values of the pairs that have a coefficient.
nb::tuple pairs_of(const JointModel& model) {
  std::vector<std::uint32_t> users, items;
  std::vector<double> values;
  for (const PairCoefficient& pair : model.ranker) {
    users.push_back(pair.user);
    items.push_back(pair.item);
    values.push_back(pair.value);
  }
  return nb::make_tuple(to_numpy(std::move(users)), to_numpy(std::move(items)), to_numpy(std::move(values)));
}

std::size_t fold_in_joint(JointModel& model, const Ratings& ratings, const SideFeatures* features) {
  const nb::gil_scoped_release unlocked;
  JointModel next = model;
  const std::size_t ignored = fold_in_users(next, ratings, features);
  model = std::move(next);
  return ignored;
}

}  // namespace

void bind_joint(nb::module_& module) {
  nb::class_<JointModel>(module, "JointModel", "A ranker over pairs of users and items.")
      .def_prop_ro("users", [](const JointModel& model) { return id_names(model.users()); })
      .def_prop_ro("items", [](const JointModel& model) { return id_names(model.items()); })
      .def_prop_ro("num_users", [](const JointModel& model) { return model.users().size(); })
      .def_prop_ro("num_items", [](const JointModel& model) { return model.items().size(); })
      .def("find_users", [](const JointModel& model, const Names& ids) { return id_numbers(model.users(), ids); })
      .def("find_items", [](const JointModel& model, const Names& ids) { return id_numbers(model.items(), ids); })
      .def_prop_ro("user_similarities",
                   [](const JointModel& model) { return to_numpy(std::vector(model.similarities.users.values)); })
      .def_prop_ro("item_similarities",
                   [](const JointModel& model) { return to_numpy(std::vector(model.similarities.items.values)); })
      .def_prop_ro("pairs", &pairs_of)
      .def_ro("kernel", &JointModel::kernel)
      .def_ro("method", &JointModel::method)
      .def_ro("measure", &JointModel::measure)
      .def_ro("convention", &JointModel::convention)
      .def_ro("decay", &JointModel::decay)
      .def_ro("bound", &JointModel::bound)
      .def_ro("solver", &JointModel::solver)
      .def_ro("C", &JointModel::C)
      .def_ro("paper_C", &JointModel::paper_C)
      .def_ro("tolerance", &JointModel::tolerance)
      .def_ro("explained_risk", &JointModel::explained_risk)
      .def_ro("seed", &JointModel::seed)
      .def_ro("dropped", &JointModel::dropped)
      .def_prop_ro("certificate",
                   [](const JointModel& model) {
                     nb::dict out;
                     out["primal"] = model.certificate.primal;
                     out["dual"] = model.certificate.dual;
                     out["gap"] = model.certificate.gap;
                     out["status"] = model.certificate.status;
                     return out;
                   })
      .def("labels", &labels_of<JointModel>, "ratings"_a.noconvert(), "measure"_a, "convention"_a)
      .def("score", &joint_scores_of, "ratings"_a, "threads"_a)
      .def("score_pairs", &joint_pair_scores, "users"_a.noconvert(), "items"_a.noconvert())
      .def("recommend", &joint_recommendations, "users"_a.noconvert(), "n"_a, "with_seen"_a, "threads"_a)
      .def("similar_items", [](const JointModel& model, std::size_t item,
                               std::size_t n) { return recommended(similar_items(model, item, n)); })
      .def("fold_in_users", &fold_in_joint, "ratings"_a, "features"_a.none())
      .def("save", [](const JointModel& model, const std::string& path) { save_joint(model, path); })
      .def_static("load", &load_joint, "path"_a)
      .def("__getstate__",
           [](const JointModel& model) {
             const std::string bytes = joint_to_bytes(model);
             return nb::bytes(bytes.data(), bytes.size());
           })
      .def("__setstate__", [](JointModel& model, const nb::bytes& state) {
        new (&model) JointModel(joint_from_bytes(text_of_bytes(state), "pickle"));
      });
  nb::class_<JointModelOptions>(module, "JointOptions", "How a joint kernel is learnt.")
      .def(nb::new_(&joint_model_options), "train"_a, "method"_a, "kernel"_a);
  module.def("train_joint", &train_joint_ratings, "ratings"_a, "options"_a, "user_features"_a.none(),
             "item_features"_a.none(), "users"_a.noconvert().none(), "items"_a.noconvert().none(), "callback"_a.none(),
             "The model, and whether Ctrl-C stopped it. callback(progress) returns true to stop.");
}

}  // namespace dorm::python
