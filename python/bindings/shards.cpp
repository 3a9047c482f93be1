// SPDX-License-Identifier: Apache-2.0
// Training over shards of whole queries: hosts that response, and the driver that asks Python to ask them.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.h"
#include "bindings.h"
#include "dorm/data/prepare.h"
#include "dorm/learning/shard.h"
#include "dorm/learning/train_shards.h"
#include "dorm/train.h"
#include "learning/shards/message.h"
#include "reports.h"
#include "watcher.h"

namespace dorm::python {
namespace {

using namespace nb::literals;

nb::object shards_of(const std::vector<std::string>& ids, std::size_t num_shards) {
  std::vector<std::uint32_t> shards;
  shards.reserve(ids.size());
  for (const std::string& id : ids) shards.push_back(shard_of(id, num_shards));
  return to_numpy(std::move(shards));
}

nb::list to_bytes(const std::vector<std::string>& texts) {
  nb::list out;
  for (const std::string& text : texts) out.append(nb::bytes(text.data(), text.size()));
  return out;
}

std::string_view view_of(const nb::bytes& bytes) { return {bytes.c_str(), bytes.size()}; }

/// In canonical order: the rows, the sizes of the queries and their ids.
nb::tuple canonical_rows(const Dataset& data) {
  std::vector<std::uint64_t> rows(data.num_documents()), sizes;
  nb::list ids;
  Dataset ordered;
  {
    const nb::gil_scoped_release unlocked;
    ordered = in_canonical_order(data);
    for (std::size_t d = 0; d < rows.size(); ++d) rows[d] = ordered.source_row(d);
  }
  std::vector<double> weights;
  for (std::size_t q = 0; q < ordered.num_queries(); ++q) {
    const Query query = ordered.query(q);
    sizes.push_back(query.size());
    ids.append(nb::str(query.id.data(), query.id.size()));
    weights.push_back(query.weight);
  }
  return nb::make_tuple(to_numpy(std::move(rows)), to_numpy(std::move(sizes)), ids, to_numpy(std::move(weights)));
}

ShardHost host_of(const Dataset& data, std::size_t num_shards, std::size_t threads) {
  const nb::gil_scoped_release unlocked;
  const std::vector<Dataset> split = split_into_shards(data, num_shards, threads);
  std::vector<Shard> shards;
  for (std::size_t s = 0; s < split.size(); ++s)
    if (split[s].num_queries() > 0) shards.push_back({.number = static_cast<std::uint32_t>(s), .data = split[s]});
  return ShardHost(std::move(shards), {.threads = threads});
}

nb::list answers_of(const ShardHost& host, const nb::bytes& request) {
  std::vector<std::string> responses;
  {
    const nb::gil_scoped_release unlocked;
    responses = host.response(view_of(request));
  }
  return to_bytes(responses);
}

/// Asks shards through a function of Python. Ctrl-C while it waits ends the training once the request is
/// answered: it is asked once more, so that the best model can be kept. Everything else it raises, and a second
/// Ctrl-C, is passed on.
ShardTransport ask_python(const nb::object& ask, Watcher& watcher) {
  return [&ask, &watcher](std::string_view request) {
    const nb::gil_scoped_acquire lock;
    const nb::bytes bytes(request.data(), request.size());
    nb::object responses;
    try {
      responses = ask(bytes);
    } catch (nb::python_error& error) {
      if (!error.matches(PyExc_KeyboardInterrupt) || watcher.interrupted()) throw;
      watcher.interrupt();
    }
    if (!responses.is_valid()) responses = ask(bytes);
    std::vector<std::string> out;
    for (const nb::handle response : responses) {
      if (!nb::isinstance<nb::bytes>(response)) throw nb::type_error("ask returned responses that are not bytes");
      out.emplace_back(view_of(nb::borrow<nb::bytes>(response)));
    }
    return out;
  };
}

nb::tuple train_over_shards(const nb::object& ask, const TrainOptions& options, const nb::object& validation,
                            nb::object callback) {
  Watcher watcher(std::move(callback));
  const ShardTransport train = ask_python(ask, watcher);
  const ShardTransport judge = validation.is_none() ? ShardTransport{} : ask_python(validation, watcher);
  TrainResult result;
  {
    const nb::gil_scoped_release unlocked;
    result = train_shards(train, options, judge, [&](const TrainProgress& progress) {
      return watcher.go_on(progress.solver.evaluated, [&] { return train_progress_dict(progress); });
    });
  }
  watcher.rethrow();
  nb::dict report = train_report_dict(result.report, watcher.interrupted());
  report["validation"] = result.model.validation;
  return nb::make_tuple(std::move(result.model), report);
}

}  // namespace

void bind_shards(nb::module_& module) {
  module.def("shard_of", &shards_of, "ids"_a, "num_shards"_a, "The shard of every query id.");
  module.def("default_shards", &default_shards, "queries"_a, "features"_a);
  module.def(
      "canonical_rows", &canonical_rows, "data"_a,
      "In an order that follows from the content alone: the rows of the input, and the sizes, ids and weights of "
      "the queries.");
  nb::class_<ShardHost>(module, "ShardHost", "Whole queries that response the requests of a training, shard by shard.")
      .def(nb::new_(&host_of), "data"_a, "num_shards"_a, "threads"_a = 1)
      .def_prop_ro("shards", &ShardHost::numbers)
      .def("response", &answers_of, "request"_a, "One response for each of its shards.");
  module.def(
      "answering_shard", [](const nb::bytes& response) { return ShardResponse::parse(view_of(response)).shard; },
      "response"_a, "The shard that an response is from; an error if it is damaged, or of another version.");
  module.def(
      "train_shards", &train_over_shards, "ask"_a, "options"_a, "validation"_a.none() = nb::none(),
      "callback"_a.none() = nb::none(),
      "The model and a report. ask(request) returns the responses of all shards, in any order; callback(progress) "
      "returns true to stop; Ctrl-C stops, too.");
}

}  // namespace dorm::python
