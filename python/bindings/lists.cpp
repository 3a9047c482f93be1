// SPDX-License-Identifier: Apache-2.0
// Lists that are not a sort: gains by position, and topic budgets. Rankings travel as places: of every document its
// rank in its query, from 1; 0: not in the list.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <ostream>

#include "arrays.h"
#include "bindings.h"
#include "dorm/error.h"
#include "dorm/learning/assignment.h"
#include "dorm/read.h"
#include "dorm/train.h"
#include "dorm/write.h"
#include "evaluation.h"
#include "reports.h"
#include "watcher.h"

namespace dorm::python {
namespace {

using namespace nb::literals;
using Places = Vector<std::int64_t>;

nb::object places_of(const Dataset& data, const std::vector<Ranking>& rankings) {
  std::vector<std::int64_t> places(data.num_documents(), 0);
  for (std::size_t q = 0; q < rankings.size(); ++q)
    for (std::size_t rank = 0; rank < rankings[q].size(); ++rank)
      places[data.first_document(q) + rankings[q][rank]] = static_cast<std::int64_t>(rank + 1);
  return to_numpy(std::move(places));
}

std::vector<Ranking> rankings_of(const Dataset& data, const Places& places) {
  if (places.shape(0) != data.num_documents())
    throw Error(ErrorCode::bad_input, "places and documents differ in number");
  std::vector<Ranking> rankings(data.num_queries());
  for (std::size_t q = 0; q < rankings.size(); ++q) {
    const Query query = data.query(q);
    std::size_t shown = 0;
    for (std::size_t i = 0; i < query.size(); ++i) shown += places.data()[query.first_document + i] > 0;
    rankings[q].assign(shown, 0);
    for (std::size_t i = 0; i < query.size(); ++i) {
      const std::int64_t place = places.data()[query.first_document + i];
      if (place > static_cast<std::int64_t>(shown))
        throw Error(ErrorCode::bad_input, "the places of a query have gaps; expected 1, 2, ... and 0 for the others");
      if (place > 0) rankings[q][static_cast<std::size_t>(place - 1)] = static_cast<std::uint32_t>(i);
    }
  }
  return rankings;
}

/// Gains row by row: of documents, or of labels.
PositionGains gains_from(const Vector<double>& values, std::size_t positions) {
  return {positions, {values.data(), values.data() + values.shape(0)}};
}

struct JudgedGains {
  Dataset data;
  PositionGains gains;
};

nb::tuple train_by_position(const Dataset& data, const PositionGains& gains, const LabelGains* known,
                            const TrainOptions& options, bool one_function, const JudgedGains* held_out,
                            nb::object callback) {
  Watcher watcher(std::move(callback));
  TrainResult result;
  {
    const nb::gil_scoped_release unlocked;
    const Task validation = held_out ? Task::positions(held_out->data, held_out->gains, one_function) : Task();
    result = train(Task::positions(data, gains, one_function), options, validation, [&](const TrainProgress& progress) {
      return watcher.go_on(progress.solver.evaluated, [&] { return train_progress_dict(progress); });
    });
  }
  watcher.rethrow();
  PositionModel model = std::move(*result.positions);
  if (known) model.gains = *known;
  nb::dict report = train_report_dict(result.report, watcher.interrupted());
  report["validation"] = model.shared.validation;
  return nb::make_tuple(std::move(model), report);
}

struct JudgedTable {
  Dataset data;
  TopicTable topics;
};

nb::dict topic_dict(const TopicReport& report) {
  nb::dict out;
  out["lists"] = report.lists;
  out["unproven"] = report.unproven;
  out["largest_gap"] = report.largest_gap;
  return out;
}

nb::tuple train_under_topics(const Dataset& data, const TopicTable& topics, std::size_t positions,
                             const TrainOptions& options, double seconds, const JudgedTable* held_out,
                             nb::object callback) {
  Watcher watcher(std::move(callback));
  TrainResult result;
  {
    const nb::gil_scoped_release unlocked;
    const TopicOptions limits{.seconds = seconds};
    const Task validation = held_out ? Task::topics(held_out->data, held_out->topics, positions, limits) : Task();
    result =
        train(Task::topics(data, topics, positions, limits), options, validation, [&](const TrainProgress& progress) {
          return watcher.go_on(progress.solver.evaluated, [&] { return train_progress_dict(progress); });
        });
  }
  watcher.rethrow();
  nb::dict report = train_report_dict(result.report, watcher.interrupted());
  report["validation"] = result.model.validation;
  return nb::make_tuple(std::move(result.model), report, topic_dict(result.report.topics));
}

nb::tuple rank_under_topics(const Model& model, const Dataset& data, const Vector<double>& scores,
                            const TopicTable& topics, std::size_t positions, double seconds) {
  TopicReport report;
  std::vector<Ranking> rankings;
  {
    const nb::gil_scoped_release unlocked;
    rankings = rank_topics(model, data, span_of(scores), topics, positions, {.seconds = seconds}, &report);
  }
  return nb::make_tuple(places_of(data, rankings), topic_dict(report));
}

TopicTable topics_from(std::vector<std::string> names, const Vector<double>& limits, const Vector<std::uint64_t>& first,
                       const Vector<std::uint32_t>& topic, const Vector<double>& weight) {
  TopicTable table{std::move(names), {limits.data(), limits.data() + limits.shape(0)}, {}, {}};
  table.first.assign(first.data(), first.data() + first.shape(0));
  if (topic.shape(0) != weight.shape(0)) throw Error(ErrorCode::bad_input, "topics and weights differ in number");
  for (std::size_t i = 0; i < topic.shape(0); ++i) table.shares.push_back({topic.data()[i], weight.data()[i]});
  validate(table);
  return table;
}

void bind_position_gains(nb::module_& module) {
  nb::class_<PositionGains>(module, "PositionGains", "What each document gains at each position.")
      .def(nb::new_(&gains_from), "values"_a.noconvert(), "positions"_a)
      .def_static(
          "by_label", [](const LabelGains& table, const Dataset& data) { return gains_of(table, data); }, "table"_a,
          "data"_a)
      .def_static(
          "read", [](const std::string& path, const Dataset& data) { return read_position_gains(path, data).gains; },
          "path"_a, "data"_a)
      .def_ro("positions", &PositionGains::positions);
  nb::class_<LabelGains>(module, "LabelGains", "What a label gains at each position.")
      .def(nb::new_([](const Vector<float>& labels, const Vector<double>& values, std::size_t positions) {
             if (values.shape(0) != labels.shape(0) * positions)
               throw Error(ErrorCode::bad_input, "gains and labels do not fit each other");
             return LabelGains{positions,
                               {labels.data(), labels.data() + labels.shape(0)},
                               {values.data(), values.data() + values.shape(0)}};
           }),
           "labels"_a.noconvert(), "values"_a.noconvert(), "positions"_a)
      .def_static(
          "read", [](const std::string& path, const Dataset& data) { return read_position_gains(path, data).by_label; },
          "path"_a, "data"_a)
      .def_ro("positions", &LabelGains::positions)
      .def_prop_ro("labels", [](const LabelGains& gains) { return to_numpy(std::vector(gains.labels)); })
      .def_prop_ro("values", [](const LabelGains& gains) { return to_numpy(std::vector(gains.gain)); });
  nb::class_<JudgedGains>(module, "JudgedGains").def(nb::new_([](const Dataset& data, const PositionGains& gains) {
    return JudgedGains{data, gains};
  }));
}

void bind_positions(nb::module_& module) {
  bind_position_gains(module);
  nb::class_<PositionModel>(module, "PositionModel", "A ranker with a function per position.")
      .def_ro("shared", &PositionModel::shared)
      .def_prop_ro("decay", [](const PositionModel& model) { return to_numpy(std::vector(model.decay)); })
      .def_prop_ro("blocks",
                   [](const PositionModel& model) {
                     nb::list out;
                     for (const std::vector<double>& block : model.blocks) out.append(to_numpy(std::vector(block)));
                     return out;
                   })
      .def_ro("gains", &PositionModel::gains)
      .def(
          "rank",
          [](const PositionModel& model, const Dataset& data, std::size_t threads) {
            std::vector<Ranking> rankings;
            {
              const nb::gil_scoped_release unlocked;
              rankings = rank(model, data, threads);
            }
            return places_of(data, rankings);
          },
          "data"_a, "threads"_a)
      .def("to_json", [](const PositionModel& model) { return to_json(model); })
      .def_static("load", &load_position_model, "path"_a)
      .def("__getstate__", [](const PositionModel& model) { return to_json(model); })
      .def("__setstate__", [](PositionModel& model, const std::string& text) {
        new (&model) PositionModel(position_model_from_json(text, "pickle"));
      });
  module.def("train_positions", &train_by_position, "data"_a, "gains"_a, "known"_a.none(), "options"_a,
             "one_function"_a, "validation"_a.none(), "callback"_a.none(), "The model and a report.");
  module.def(
      "evaluate_positions",
      [](const Dataset& data, const PositionGains& gains, const Places& places, const EvaluateOptions& options) {
        return to_dict(evaluate_positions(data, gains, rankings_of(data, places), options));
      },
      "data"_a, "gains"_a, "places"_a.noconvert(), "options"_a);
}

}  // namespace

void bind_lists(nb::module_& module) {
  bind_positions(module);
  nb::class_<TopicTable>(module, "TopicTable", "How much of each topic documents take, and lists may.")
      .def(nb::new_(&topics_from), "names"_a, "limits"_a.noconvert(), "first"_a.noconvert(), "topic"_a.noconvert(),
           "weight"_a.noconvert())
      .def_static("read", &read_topics, "topics"_a, "limits"_a, "data"_a)
      .def_ro("names", &TopicTable::names);
  nb::class_<JudgedTable>(module, "JudgedTopics").def(nb::new_([](const Dataset& data, const TopicTable& topics) {
    return JudgedTable{data, topics};
  }));
  module.def(
      "write_text",
      [](const std::string& path, const std::string& text) {
        write_atomically(path, [&](std::ostream& out) { out << text; });
      },
      "path"_a, "text"_a, "In one step.");
  module.def("train_topics", &train_under_topics, "data"_a, "topics"_a, "positions"_a, "options"_a, "seconds"_a,
             "validation"_a.none(), "callback"_a.none(), "The model, a report, and how its lists were found.");
  module.def("rank_topics", &rank_under_topics, "model"_a, "data"_a, "scores"_a.noconvert(), "topics"_a, "positions"_a,
             "seconds"_a, "Places, and how the lists were found.");
  module.def(
      "evaluate_topics",
      [](const Dataset& data, const Places& places, std::size_t n, const TopicTable& topics,
         const std::vector<std::string>& measures, double seconds, const EvaluateOptions& options) {
        const std::vector<Ranking> lists = rankings_of(data, places);
        EvaluationTable table;
        {
          const nb::gil_scoped_release unlocked;
          table = evaluate_topics(data, lists, n, topics, measures, {.seconds = seconds}, options);
        }
        return to_dict(std::move(table));
      },
      "data"_a, "places"_a.noconvert(), "n"_a, "topics"_a, "measures"_a, "seconds"_a, "options"_a);
}

}  // namespace dorm::python
