// SPDX-License-Identifier: Apache-2.0
// Recommenders from events.
#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <limits>

#include "arrays.h"
#include "base/parallel.h"
#include "bindings.h"
#include "dorm/error.h"
#include "dorm/recommend/catalogue.h"
#include "dorm/recommend/read_events.h"
#include "dorm/recommend/recommender.h"
#include "dorm/recommend/vectors.h"
#include "dorm/write.h"
#include "evaluation.h"
#include "event_rows.h"
#include "ids.h"
#include "watcher.h"

namespace dorm::python {
namespace {

using namespace nb::literals;

/// A model with what all questions share.
struct HeldImplicit {
  ImplicitModel model;
  std::unique_ptr<const Recommending> view;

  explicit HeldImplicit(ImplicitModel from) : model(std::move(from)), view(recommending(model)) {}
  HeldImplicit(HeldImplicit&&) = delete;
};

std::unique_ptr<HeldImplicit> hold(ImplicitModel model) { return std::make_unique<HeldImplicit>(std::move(model)); }

/// Lists of n items and scores one behind the other; -1 and -infinity behind the end of a shorter list.
nb::tuple lists_to_numpy(const std::vector<std::vector<Recommendation>>& lists, std::size_t n) {
  std::vector<std::int64_t> items(lists.size() * n, -1);
  std::vector<double> scores(lists.size() * n, -std::numeric_limits<double>::infinity());
  for (std::size_t u = 0; u < lists.size(); ++u)
    for (std::size_t k = 0; k < lists[u].size(); ++k) {
      items[u * n + k] = lists[u][k].item;
      scores[u * n + k] = lists[u][k].score;
    }
  return nb::make_tuple(to_numpy(std::move(items)), to_numpy(std::move(scores)));
}

std::vector<char> marks(const std::optional<Vector<std::uint8_t>>& allowed) {
  return allowed ? std::vector<char>(allowed->data(), allowed->data() + allowed->shape(0)) : std::vector<char>();
}

nb::tuple recommend_known(const HeldImplicit& held, const Numbers& numbers, std::size_t n, bool with_seen,
                          const std::optional<Vector<std::uint8_t>>& given, std::size_t threads) {
  const std::vector<std::uint32_t> users = checked_numbers(numbers, held.model.users.size(), "user");
  const std::vector<char> allowed = marks(given);
  std::vector<std::vector<Recommendation>> lists;
  {
    const nb::gil_scoped_release unlocked;
    n = std::min(n, held.model.items.size());
    lists = top_items(*held.view, users, {n, with_seen, allowed}, threads);
  }
  return lists_to_numpy(lists, n);
}

/// As if these were the events of the users.
nb::tuple recommend_given(const HeldImplicit& held, const EventRows& events, std::size_t n, bool with_seen,
                          const std::optional<Vector<std::uint8_t>>& given, std::size_t threads) {
  const std::vector<char> allowed = marks(given);
  std::vector<std::vector<Recommendation>> lists(events.rows());
  {
    const nb::gil_scoped_release unlocked;
    n = std::min(n, held.model.items.size());
    parallel_for(lists.size(), thread_count(threads), [&](std::size_t u, std::size_t) {
      lists[u] = top_items(*held.view, held.view->newcomer(events.row(u)), {n, with_seen, allowed});
    });
  }
  return lists_to_numpy(lists, n);
}

std::uint32_t checked(std::size_t number, std::size_t count, const char* what) {
  if (number >= count)
    throw Error(ErrorCode::bad_input, fmt::format("{} {}; expected less than {}", what, number, count));
  return static_cast<std::uint32_t>(number);
}

/// Score, rest, items and parts.
nb::tuple explained(const HeldImplicit& held, std::size_t user, const std::optional<Numbers>& index,
                    const std::optional<Vector<float>>& value, std::size_t item, std::size_t n) {
  Taste taste;
  if (index && value) {
    std::vector<ItemRating> events;
    const std::vector<std::uint32_t> items = checked_numbers(*index, held.model.items.size(), "item");
    for (std::size_t k = 0; k < items.size() && k < value->shape(0); ++k)
      events.push_back({items[k], value->data()[k]});
    taste = held.view->newcomer(events);
  } else {
    taste = held.view->known(checked(user, held.model.users.size(), "user"));
  }
  const Explanation reasons = explain(*held.view, taste, item, n);
  return nb::make_tuple(reasons.score, reasons.rest, recommended(reasons.because));
}

nb::object implicit_pair_scores(const HeldImplicit& held, const Numbers& given_users, const Numbers& given_items) {
  const std::vector<std::uint32_t> users = checked_numbers(given_users, held.model.users.size(), "user");
  const std::vector<std::uint32_t> items = checked_numbers(given_items, held.model.items.size(), "item");
  if (users.size() != items.size()) throw Error(ErrorCode::bad_input, "users and items differ in length");
  std::vector<double> scores(users.size()), all(held.model.items.size());
  {
    const nb::gil_scoped_release unlocked;
    for (std::size_t i = 0; i < users.size(); ++i) {
      if (i == 0 || users[i] != users[i - 1]) score_items(held.model, users[i], all);
      scores[i] = all[items[i]];
    }
  }
  return to_numpy(std::move(scores));
}

/// What the model has seen, under its own numbers; test events of users and items that it does not know are ignored.
nb::dict evaluate_events(const HeldImplicit& held, const Ratings& test, const std::vector<std::string>& measures,
                         const EvaluateOptions& options) {
  EvaluationTable table;
  {
    const nb::gil_scoped_release unlocked;
    const ImplicitModel& model = held.model;
    std::vector<Rating> seen, wanted;
    for (std::uint32_t u = 0; u < model.users.size(); ++u)
      for (const std::uint32_t item : model.seen_by(u)) seen.push_back({u, item, 1});
    const Ratings train(model.users, model.items, seen);
    for (std::size_t u = 0; u < test.num_users(); ++u) {
      const auto user = model.users.find(test.users()[u]);
      for (const std::uint32_t j : test.of_user(u).index) {
        const auto item = model.items.find(test.items()[j]);
        if (!user || !item) continue;
        const auto had = model.seen_by(*user);
        if (!std::binary_search(had.begin(), had.end(), *item)) wanted.push_back({*user, *item, 1});
      }
    }
    table = evaluate_catalogue(
        train, Ratings(model.users, model.items, wanted),
        [&](std::size_t user, std::span<double> scores) { score_items(model, user, scores); }, measures, options);
  }
  return to_dict(std::move(table));
}

template <class T>
T taken(const nb::dict& from, const char* name) {
  return nb::cast<T>(from[name]);
}

/// Options that are None are searched.
template <class T>
void take(const nb::dict& from, const char* name, T& value, bool& searched) {
  const nb::object given = from[name];
  searched = given.is_none();
  if (!searched) value = nb::cast<T>(given);
}

ImplicitOptions implicit_options_from(const nb::dict& from) {
  ImplicitOptions options;
  take(from, "factors", options.als.factors, options.search.factors);
  take(from, "iterations", options.als.iterations, options.search.iterations);
  take(from, "regularization", options.als.ridge, options.search.ridge);
  take(from, "alpha", options.als.alpha, options.search.alpha);
  take(from, "ease_regularization", options.ease_ridge, options.search.ease_ridge);
  take(from, "ease_share", options.ease_share, options.search.ease_share);
  options.measure = taken<std::string>(from, "measure");
  options.memory = taken<double>(from, "memory");
  options.seconds = taken<double>(from, "seconds");
  options.threads = taken<std::size_t>(from, "threads");
  options.als.seed = taken<std::uint64_t>(from, "seed");
  options.validate();
  return options;
}

nb::dict options_dict(const ImplicitModel& model) {
  const ImplicitOptions& options = model.options;
  nb::dict out;
  out["factors"] = options.als.factors;
  out["iterations"] = options.als.iterations;
  out["regularization"] = options.als.ridge;
  out["alpha"] = options.als.alpha;
  out["ease_regularization"] = options.ease_ridge;
  out["ease_share"] = model.ease_weight != 0 ? options.ease_share : 0.0;
  return out;
}

nb::list trials_of(const HeldImplicit& held) {
  nb::list out;
  for (const ImplicitTrial& trial : held.model.trials) {
    nb::dict each;
    each["method"] = trial.method;
    each["factors"] = trial.als.factors;
    each["iterations"] = trial.als.iterations;
    each["regularization"] = trial.als.ridge;
    each["alpha"] = trial.als.alpha;
    each["ease_regularization"] = trial.ease_ridge;
    each["ease_share"] = trial.ease_share;
    each["value"] = trial.value;
    out.append(each);
  }
  return out;
}

nb::tuple train_events(Ratings& events, const nb::dict& from, nb::object callback) {
  const ImplicitOptions options = implicit_options_from(from);
  Watcher watcher(std::move(callback));
  ImplicitResult result;
  try {
    const nb::gil_scoped_release unlocked;
    result = train_implicit(std::move(events), options, [&](const ImplicitProgress& progress) {
      return watcher.go_on(true, [&] {
        nb::dict state;
        state["stage"] = std::string(progress.stage);
        state["trials"] = progress.trials;
        state["best"] = progress.best;
        return state;
      });
    });
  } catch (const Error& early) {  // stopped before there was a model
    watcher.rethrow();
    if (!watcher.interrupted()) throw;
    PyErr_SetString(PyExc_KeyboardInterrupt, early.what());
    throw nb::python_error();
  }
  watcher.rethrow();
  nb::dict report;
  report["status"] = result.status;
  report["kept"] = result.kept;
  report["note"] = result.note;
  report["validation"] = result.model.validation;
  report["search_seconds"] = result.search_seconds;
  report["seconds"] = result.seconds;
  return nb::make_tuple(hold(std::move(result.model)), report, watcher.interrupted());
}

nb::tuple implicit_matrix(const FactorMatrix& matrix) {
  return nb::make_tuple(to_numpy(std::vector<double>(matrix.values)), matrix.rows, matrix.width);
}

/// Ratings of events from arrays: weights of repeated events are added.
Ratings events_from(const Names& users, const Names& items, const Numbers& user, const Numbers& item,
                    const Vector<float>& weight) {
  if (user.shape(0) != item.shape(0) || user.shape(0) != weight.shape(0))
    throw Error(ErrorCode::bad_input, "users, items and weights differ in length");
  std::vector<Event> events(user.shape(0));
  for (std::size_t k = 0; k < events.size(); ++k) events[k] = {user.data()[k], item.data()[k], weight.data()[k]};
  return Events(id_table(users), id_table(items), events).weights;
}

nb::tuple events_of_file(const std::string& path, const std::optional<float>& liked) {
  RatingsReport report;
  Ratings events;
  {
    const nb::gil_scoped_release unlocked;
    events = read_events(path, liked, &report).weights;
  }
  return nb::make_tuple(std::move(events), report.warnings);
}

nb::tuple vector_arrays(RecommenderVectors vectors) {
  return nb::make_tuple(to_numpy(std::move(vectors.users)), to_numpy(std::move(vectors.items)), vectors.width);
}

void write_vector_file(const Recommending& model, const RecommenderVectors& vectors, const std::string& target,
                       const std::string& name, const std::string& path) {
  write_atomically(path, [&](std::ostream& out) { write_vectors(model, vectors, target, name, out); });
}

nb::dict checked_vectors(const Recommending& model, const RecommenderVectors& vectors, std::size_t n,
                         std::size_t threads) {
  VectorCheck check;
  {
    const nb::gil_scoped_release unlocked;
    check = check_vectors(model, vectors, n, threads);
  }
  nb::dict out;
  out["users"] = check.users;
  out["changed_users"] = check.changed;
  out["top"] = n;
  out["shared"] = check.shared;
  return out;
}

void bind_vectors(nb::module_& module) {
  module.def("vectors", [](const HeldImplicit& held, bool als) { return vector_arrays(vectors_of(held.model, als)); });
  module.def("vectors", [](const FactorModel& model, bool als) { return vector_arrays(vectors_of(model, als)); });
  module.def("write_vectors", [](const HeldImplicit& held, bool als, const std::string& to, const std::string& name,
                                 const std::string& path) {
    write_vector_file(*held.view, vectors_of(held.model, als), to, name, path);
  });
  module.def("write_vectors", [](const FactorModel& model, bool als, const std::string& to, const std::string& name,
                                 const std::string& path) {
    write_vector_file(*recommending(model), vectors_of(model, als), to, name, path);
  });
  module.def("check_vectors", [](const HeldImplicit& held, bool als, std::size_t n, std::size_t threads) {
    return checked_vectors(*held.view, vectors_of(held.model, als), n, threads);
  });
  module.def("check_vectors", [](const FactorModel& model, bool als, std::size_t n, std::size_t threads) {
    return checked_vectors(*recommending(model), vectors_of(model, als), n, threads);
  });
}

nb::class_<HeldImplicit> bind_facts(nb::module_& module) {
  return nb::class_<HeldImplicit>(module, "ImplicitModel", "Implicit ALS and EASE.")
      .def_prop_ro("users", [](const HeldImplicit& held) { return id_names(held.model.users); })
      .def_prop_ro("items", [](const HeldImplicit& held) { return id_names(held.model.items); })
      .def_prop_ro("num_users", [](const HeldImplicit& held) { return held.model.users.size(); })
      .def_prop_ro("num_items", [](const HeldImplicit& held) { return held.model.items.size(); })
      .def("find_users", [](const HeldImplicit& held, const Names& ids) { return id_numbers(held.model.users, ids); })
      .def("find_items", [](const HeldImplicit& held, const Names& ids) { return id_numbers(held.model.items, ids); })
      .def_prop_ro("user_factors", [](const HeldImplicit& held) { return implicit_matrix(held.model.user_factors); })
      .def_prop_ro("item_factors", [](const HeldImplicit& held) { return implicit_matrix(held.model.item_factors); })
      .def_prop_ro("ease", [](const HeldImplicit& held) { return to_numpy(std::vector<float>(held.model.ease)); })
      .def_prop_ro(
          "weights",
          [](const HeldImplicit& held) { return nb::make_tuple(held.model.als_weight, held.model.ease_weight); })
      .def_prop_ro("options", [](const HeldImplicit& held) { return options_dict(held.model); })
      .def_prop_ro("measure", [](const HeldImplicit& held) { return held.model.options.measure; })
      .def_prop_ro("seed", [](const HeldImplicit& held) { return held.model.options.als.seed; })
      .def_prop_ro("validation", [](const HeldImplicit& held) { return held.model.validation; })
      .def("trials", &trials_of)
      .def("seen", [](const HeldImplicit& held) {
        const ImplicitModel& model = held.model;
        return nb::make_tuple(to_numpy(std::vector(model.seen_begin)), to_numpy(std::vector(model.seen)),
                              to_numpy(std::vector(model.seen_weights)));
      });
}

void bind_answers(nb::class_<HeldImplicit>& model) {
  model
      .def("recommend", &recommend_known, "users"_a.noconvert(), "n"_a, "with_seen"_a, "allowed"_a.noconvert().none(),
           "threads"_a)
      .def(
          "recommend_given",
          [](const HeldImplicit& held, const Vector<std::uint64_t>& begin, const Numbers& index,
             const Vector<float>& value, std::size_t n, bool with_seen,
             const std::optional<Vector<std::uint8_t>>& allowed, std::size_t threads) {
            const EventRows events(begin, index, value, held.model.items.size());
            return recommend_given(held, events, n, with_seen, allowed, threads);
          },
          "begin"_a.noconvert(), "index"_a.noconvert(), "value"_a.noconvert(), "n"_a, "with_seen"_a,
          "allowed"_a.noconvert().none(), "threads"_a)
      .def("score_pairs", &implicit_pair_scores, "users"_a.noconvert(), "items"_a.noconvert())
      .def("similar_items",
           [](const HeldImplicit& held, std::size_t item, std::size_t n) {
             return recommended(held.view->like_item(checked(item, held.model.items.size(), "item"), n));
           })
      .def("similar_users",
           [](const HeldImplicit& held, std::size_t user, std::size_t n) {
             return recommended(held.view->like_user(checked(user, held.model.users.size(), "user"), n));
           })
      .def("explain", &explained, "user"_a, "index"_a.noconvert().none(), "value"_a.noconvert().none(), "item"_a, "n"_a)
      .def(
          "fold_in_users",
          [](HeldImplicit& held, const Ratings& events, std::size_t threads) {
            const nb::gil_scoped_release unlocked;
            return fold_in_users(held.model, events, nullptr, threads);
          },
          "events"_a, "threads"_a);
}

}  // namespace

void bind_implicit(nb::module_& module) {
  nb::class_<HeldImplicit> model = bind_facts(module);
  bind_answers(model);
  model.def("evaluate", &evaluate_events, "test"_a, "measures"_a, "options"_a)
      .def("save", [](const HeldImplicit& held, const std::string& path) { save_implicit(held.model, path); })
      .def_static("load", [](const std::string& path) { return hold(load_implicit(path)); })
      .def("__getstate__",
           [](const HeldImplicit& held) {
             const std::string bytes = implicit_to_bytes(held.model);
             return nb::bytes(bytes.data(), bytes.size());
           })
      .def("__setstate__", [](HeldImplicit& held, const nb::bytes& state) {
        new (&held) HeldImplicit(implicit_from_bytes(text_of_bytes(state), "pickle"));
      });
  bind_vectors(module);
  module.def("train_implicit", &train_events, "events"_a, "options"_a, "callback"_a.none(),
             "The model, a report, and whether Ctrl-C stopped it. callback(progress) returns true to stop. Takes the "
             "events: they are empty afterwards.");
  module.def("events", &events_from, "users"_a, "items"_a, "user"_a.noconvert(), "item"_a.noconvert(),
             "weight"_a.noconvert());
  module.def("read_events", &events_of_file, "path"_a, "liked"_a.none());
}

}  // namespace dorm::python
