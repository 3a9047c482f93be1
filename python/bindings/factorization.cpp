// SPDX-License-Identifier: Apache-2.0
// Ratings and their factorization. Ids travel as bytes: those of files need not be text of any encoding.
#include <fmt/format.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.h"
#include "base/parallel.h"
#include "base/vector/vector_ops.h"
#include "bindings.h"
#include "dorm/apps/pages.h"
#include "dorm/error.h"
#include "dorm/read.h"
#include "dorm/recommend/factorize.h"
#include "ids.h"
#include "watcher.h"

namespace dorm::python {
namespace {

using namespace nb::literals;
Ratings make_ratings(const Names& users, const Names& items, const Numbers& user, const Numbers& item,
                     const Vector<float>& value) {
  if (user.shape(0) != item.shape(0) || user.shape(0) != value.shape(0))
    throw Error(ErrorCode::bad_input, "users, items and ratings differ in length");
  std::vector<Rating> list(value.shape(0));
  for (std::size_t i = 0; i < list.size(); ++i) list[i] = {user.data()[i], item.data()[i], value.data()[i]};
  return Ratings(id_table(users), id_table(items), list);
}

Ratings ratings_of_rows(const Names& users, const Names& items, const Vector<std::uint64_t>& begin,
                        const Numbers& index, const Vector<float>& value) {
  return Ratings(id_table(users), id_table(items),
                 {{begin.data(), begin.data() + begin.shape(0)},
                  {index.data(), index.data() + index.shape(0)},
                  {value.data(), value.data() + value.shape(0)}});
}

/// (ratings of each user, values user by user), in the order of scores.
nb::tuple rows_of(const Ratings& ratings) {
  std::vector<std::uint64_t> sizes;
  std::vector<float> values;
  for (std::size_t u = 0; u < ratings.num_users(); ++u) {
    const RatingRow row = ratings.of_user(u);
    sizes.push_back(row.size());
    values.insert(values.end(), row.value.begin(), row.value.end());
  }
  return nb::make_tuple(to_numpy(std::move(sizes)), to_numpy(std::move(values)));
}

SideFeatures make_features(std::vector<std::string> names, const Names& ids, const Vector<double>& values) {
  if (values.shape(0) != names.size() * ids.size())
    throw Error(ErrorCode::bad_input, "names, ids and values of the features do not fit each other");
  return {std::move(names), id_table(ids), {values.data(), values.data() + values.shape(0)}};
}

nb::dict half_step_dict(const HalfStep& step) {
  nb::dict out;
  out["round"] = step.round;
  out["block"] = step.items ? "items" : "users";
  out["before"] = step.before;
  out["after"] = step.after;
  out["gap"] = step.gap;
  out["passes"] = step.passes;
  out["seconds"] = step.seconds;
  return out;
}

nb::dict report_dict(const FactorizeReport& report, bool interrupted) {
  nb::list half_steps, rounds;
  for (const HalfStep& step : report.half_steps) half_steps.append(half_step_dict(step));
  for (const FactorRound& round : report.rounds) {
    nb::dict entry;
    entry["round"] = round.round;
    entry["objective"] = round.objective;
    entry["validation"] = round.validation;
    entry["seconds"] = round.seconds;
    rounds.append(entry);
  }
  nb::dict out;
  out["half_steps"] = half_steps;
  out["rounds"] = rounds;
  out["users_without_order"] = report.users_without_order;
  out["status"] = report.status;
  out["choice_seconds"] = report.choice_seconds;
  out["start_seconds"] = report.start_seconds;
  out["seconds"] = report.seconds;
  out["interrupted"] = interrupted;
  return out;
}

nb::list candidates_of(const FactorModel& model) {
  nb::list out;
  for (std::size_t k = 0; k < model.choice.candidates.size(); ++k) {
    const FactorCandidate& each = model.choice.candidates[k];
    nb::dict entry;
    entry["start_regularization"] = each.start_lambda;
    entry["implicit"] = each.implicit;
    entry["neighbours"] = each.neighbours;
    entry["rounds"] = each.rounds;
    entry["regularization"] = each.lambda;
    entry["value"] = each.value;
    entry["gain"] = each.gain;
    entry["error"] = each.error;
    entry["chosen"] = k == model.choice.chosen;
    out.append(entry);
  }
  return out;
}

/// The labels that a measure takes the ratings for.
nb::dict progress_dict(const FactorizeProgress& progress) {
  nb::dict out;
  out["stage"] = std::string(progress.stage);
  out["round"] = progress.round;
  out["objective"] = progress.objective;
  out["gap"] = progress.gap;
  out["validation"] = progress.validation;
  return out;
}

/// A factorization as it went, kept for a page about it.
struct Factorized {
  Ratings train;
  FactorizeResult result;
  bool interrupted = false;
};

report::Report factorized_page(const Factorized& done, const Ratings* held_out, const FactorModel& judged,
                               const std::string& ratings_name) {
  return pages::factorize_page({.train = done.train,
                                .result = done.result,
                                .held_out = held_out,
                                .judged = &judged,
                                .ratings_name = ratings_name,
                                .interrupted = done.interrupted});
}

nb::tuple factorize_ratings(const Ratings& ratings, const FactorizeOptions& options, const SideFeatures* item_features,
                            const SideFeatures* user_features, const Ratings* validation, const FactorModel* initial,
                            nb::object callback) {
  Watcher watcher(std::move(callback));
  FactorizeResult result;
  {
    const nb::gil_scoped_release unlocked;
    result = factorize(ratings, options, {item_features, user_features, validation, initial},
                       [&](const FactorizeProgress& progress) {
                         return watcher.go_on(true, [&] { return progress_dict(progress); });
                       });
  }
  watcher.rethrow();
  nb::dict report = report_dict(result.report, watcher.interrupted());
  FactorModel model = result.model;
  return nb::make_tuple(std::move(model), report, Factorized{ratings, std::move(result), watcher.interrupted()});
}

nb::tuple score_ratings(const FactorModel& model, const Ratings& ratings) {
  UnknownIds unknown;
  std::vector<double> scores;
  {
    const nb::gil_scoped_release unlocked;
    scores = score(model, ratings, &unknown);
  }
  return nb::make_tuple(to_numpy(std::move(scores)), unknown.users, unknown.items);
}

nb::object factor_pair_scores(const FactorModel& model, const Numbers& given_users, const Numbers& given_items) {
  const std::vector<std::uint32_t> users = checked_numbers(given_users, model.users.size(), "user");
  const std::vector<std::uint32_t> items = checked_numbers(given_items, model.items.size(), "item");
  if (users.size() != items.size()) throw Error(ErrorCode::bad_input, "users and items differ in length");
  std::vector<double> scores(users.size());
  {
    const nb::gil_scoped_release unlocked;
    for (std::size_t i = 0; i < scores.size(); ++i)
      scores[i] = model.offsets[items[i]] + dot(model.user_factors.row(users[i]), model.item_factors.row(items[i]));
  }
  return to_numpy(std::move(scores));
}

nb::list recommend_to(const FactorModel& model, const Numbers& numbers, std::size_t n, bool with_seen,
                      std::size_t threads) {
  const std::vector<std::uint32_t> users = checked_numbers(numbers, model.users.size(), "user");
  std::vector<std::vector<Recommendation>> lists(users.size());
  {
    const nb::gil_scoped_release unlocked;
    parallel_for(lists.size(), threads,
                 [&](std::size_t i, std::size_t) { lists[i] = recommend(model, users[i], n, with_seen); });
  }
  nb::list out;
  for (const auto& list : lists) out.append(recommended(list));
  return out;
}

using FoldIn = std::size_t (*)(FactorModel&, const Ratings&, const SideFeatures*, std::size_t);

/// Either fold-in; the model stays as it is when it fails.
template <FoldIn kFoldIn>
std::size_t fold_in(FactorModel& model, const Ratings& ratings, const SideFeatures* features, std::size_t threads) {
  const nb::gil_scoped_release unlocked;
  FactorModel next = model;
  const std::size_t ignored = kFoldIn(next, ratings, features, threads);
  model = std::move(next);
  return ignored;
}

nb::tuple matrix_of(const FactorMatrix& matrix) {
  return nb::make_tuple(to_numpy(std::vector<double>(matrix.values)), matrix.rows, matrix.width);
}

nb::bytes bytes_of(const FactorModel& model) {
  const std::string bytes = factors_to_bytes(model);
  return nb::bytes(bytes.data(), bytes.size());
}

void bind_ratings(nb::module_& module) {
  nb::class_<Ratings>(module, "Ratings")
      .def_static("make", &make_ratings, "users"_a, "items"_a, "user"_a.noconvert(), "item"_a.noconvert(),
                  "value"_a.noconvert())
      .def_static("of_rows", &ratings_of_rows, "users"_a, "items"_a, "begin"_a.noconvert(), "index"_a.noconvert(),
                  "value"_a.noconvert())
      .def_static(
          "read",
          [](const std::string& path) {
            RatingsReport report;
            Ratings ratings;
            {
              const nb::gil_scoped_release unlocked;
              ratings = read_ratings(path, &report);
            }
            return nb::make_tuple(std::move(ratings), report.warnings);
          },
          "path"_a)
      .def_prop_ro("users", [](const Ratings& ratings) { return id_names(ratings.users()); })
      .def_prop_ro("items", [](const Ratings& ratings) { return id_names(ratings.items()); })
      .def_prop_ro("duplicates", &Ratings::duplicates)
      .def("rows", &rows_of)
      .def("__len__", &Ratings::size);
  nb::class_<SideFeatures>(module, "SideFeatures")
      .def_static("make", &make_features, "names"_a, "ids"_a, "values"_a.noconvert())
      .def_static(
          "read", [](const std::string& path, const std::string& columns) { return read_side_features(path, columns); },
          "path"_a, "columns"_a)
      .def("find", [](const SideFeatures& features, const Names& names) { return id_numbers(features.ids, names); });
}

void bind_options(nb::module_& module) {
  nb::class_<FactorizeSearch>(module, "FactorizeSearch")
      .def(nb::init<>())
      .def_rw("start_regularization", &FactorizeSearch::start_lambda)
      .def_rw("regularization", &FactorizeSearch::lambda)
      .def_rw("rounds", &FactorizeSearch::rounds)
      .def_rw("implicit", &FactorizeSearch::implicit)
      .def_rw("neighbours", &FactorizeSearch::neighbours)
      .def_rw("item_prior", &FactorizeSearch::item_prior);
  nb::class_<FactorizeOptions>(module, "FactorizeOptions")
      .def(nb::init<>())
      .def_rw("rank", &FactorizeOptions::rank)
      .def_rw("measure", &FactorizeOptions::measure)
      .def_rw("convention", &FactorizeOptions::convention)
      .def_rw("decay", &FactorizeOptions::decay)
      .def_rw("bound", &FactorizeOptions::bound)
      .def_rw("regularization", &FactorizeOptions::lambda)
      .def_rw("margin", &FactorizeOptions::margin)
      .def_rw("rounds", &FactorizeOptions::rounds)
      .def_rw("centred", &FactorizeOptions::centred)
      .def_rw("start_regularization", &FactorizeOptions::start_lambda)
      .def_rw("start_sweeps", &FactorizeOptions::start_sweeps)
      .def_rw("implicit", &FactorizeOptions::implicit)
      .def_rw("neighbours", &FactorizeOptions::neighbours)
      .def_rw("item_damping", &FactorizeOptions::item_damping)
      .def_rw("item_prior", &FactorizeOptions::item_prior)
      .def_rw("search", &FactorizeOptions::search)
      .def_rw("tolerance", &FactorizeOptions::tolerance)
      .def_rw("max_passes", &FactorizeOptions::max_passes)
      .def_rw("patience", &FactorizeOptions::patience)
      .def_rw("seconds", &FactorizeOptions::seconds)
      .def_rw("threads", &FactorizeOptions::threads)
      .def_rw("seed", &FactorizeOptions::seed)
      .def_rw("checkpoint", &FactorizeOptions::checkpoint)
      .def("validate", &FactorizeOptions::validate);
}

void bind_factors(nb::module_& module) {
  nb::class_<FactorModel>(module, "FactorModel", "Factors of users and items.")
      .def_prop_ro("users", [](const FactorModel& model) { return id_names(model.users); })
      .def_prop_ro("items", [](const FactorModel& model) { return id_names(model.items); })
      .def_prop_ro("num_users", [](const FactorModel& model) { return model.users.size(); })
      .def_prop_ro("num_items", [](const FactorModel& model) { return model.items.size(); })
      .def("find_users", [](const FactorModel& model, const Names& ids) { return id_numbers(model.users, ids); })
      .def("find_items", [](const FactorModel& model, const Names& ids) { return id_numbers(model.items, ids); })
      .def_prop_ro("user_factors", [](const FactorModel& model) { return matrix_of(model.user_factors); })
      .def_prop_ro("item_factors", [](const FactorModel& model) { return matrix_of(model.item_factors); })
      .def_prop_ro("offsets", [](const FactorModel& model) { return to_numpy(std::vector<double>(model.offsets)); })
      .def_ro("item_features", &FactorModel::item_features)
      .def_ro("user_features", &FactorModel::user_features)
      .def("candidates", &candidates_of)
      .def("labels", &labels_of<FactorModel>, "ratings"_a.noconvert(), "measure"_a, "convention"_a)
      .def_ro("mean", &FactorModel::mean)
      .def_ro("unit", &FactorModel::unit)
      .def_ro("rounds", &FactorModel::rounds)
      .def_ro("objective", &FactorModel::objective)
      .def_ro("validation", &FactorModel::validation)
      .def_ro("options", &FactorModel::options)
      .def("score", &score_ratings, "ratings"_a)
      .def("score_pairs", &factor_pair_scores, "users"_a.noconvert(), "items"_a.noconvert())
      .def("recommend", &recommend_to, "users"_a.noconvert(), "n"_a, "with_seen"_a, "threads"_a)
      .def("similar_items", [](const FactorModel& model, std::size_t item,
                               std::size_t n) { return recommended(similar_items(model, item, n)); })
      .def("fold_in_users", &fold_in<fold_in_users>, "ratings"_a, "features"_a.none(), "threads"_a)
      .def("fold_in_items", &fold_in<fold_in_items>, "ratings"_a, "features"_a.none(), "threads"_a)
      .def("save", [](const FactorModel& model, const std::string& path) { save_factors(model, path); })
      .def_static("load", &load_factors, "path"_a)
      .def("__getstate__", &bytes_of)
      .def("__setstate__", [](FactorModel& model, const nb::bytes& state) {
        new (&model) FactorModel(factors_from_bytes(text_of_bytes(state), "pickle"));
      });
}

}  // namespace

void bind_factorization(nb::module_& module) {
  bind_ratings(module);
  bind_options(module);
  bind_factors(module);
  nb::class_<Factorized>(module, "Factorized", "A factorization with its ratings: what a page about it is made from.")
      .def("page", &factorized_page, "held_out"_a.none(), "judged"_a, "ratings_name"_a,
           nb::call_guard<nb::gil_scoped_release>());
  module.def("factorize", &factorize_ratings, "ratings"_a, "options"_a, "item_features"_a.none(),
             "user_features"_a.none(), "validation"_a.none(), "initial"_a.none(), "callback"_a.none(),
             "The model, a report, and the factorization for a page about it. callback(progress) returns true to stop; "
             "Ctrl-C stops, too.");
}

}  // namespace dorm::python
