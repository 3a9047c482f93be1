// SPDX-License-Identifier: Apache-2.0
// The servers of rankings and of the explorer, in the process of the interpreter. Signals stay Python's.
#include "dorm/apps/serve.h"

#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "base/checksum.h"
#include "bindings.h"
#include "dorm/apps/explore.h"

namespace dorm::python {
namespace {

namespace nb = nanobind;
using namespace nb::literals;

/// `settings` has all of those named here.
std::unique_ptr<serve::Server> make_server(const std::vector<std::pair<std::string, std::string>>& models,
                                           const nb::dict& settings) {
  serve::Options options;
  for (const auto& [name, path] : models) options.models.push_back({name, path});
  options.address = nb::cast<std::string>(settings["address"]);
  options.port = nb::cast<std::uint16_t>(settings["port"]);
  options.token = nb::cast<std::string>(settings["token"]);
  options.threads = nb::cast<std::size_t>(settings["threads"]);
  options.watch_seconds = nb::cast<double>(settings["watch"]);
  options.signals = false;
  options.limits.body_bytes = static_cast<std::size_t>(nb::cast<double>(settings["body_bytes"]));
  options.limits.memory_bytes = static_cast<std::size_t>(nb::cast<double>(settings["memory_bytes"]));
  options.limits.documents = nb::cast<std::size_t>(settings["documents"]);
  options.limits.connections = nb::cast<std::size_t>(settings["connections"]);
  return std::make_unique<serve::Server>(std::move(options));
}

/// The page of `dorm explore`: the explorer responses as long as the server is there.
struct ExploreServer {
  explore::Explorer explorer;
  serve::Server server;

  ExploreServer(explore::Options what, serve::Options how)
      : explorer(std::move(what)), server(with_routes(std::move(how), explorer)) {}

  static serve::Options with_routes(serve::Options how, const explore::Explorer& explorer) {
    how.routes = [&explorer](serve::Router& router) { explorer.add_routes(router); };
    return how;
  }
};

/// Its name; the model, or the kind of what else gave the scores, and these.
using ExploredRanker = std::tuple<std::string, std::optional<Model>, Dataset, std::string, std::vector<double>>;

std::unique_ptr<ExploreServer> make_explorer(const std::vector<ExploredRanker>& rankers, const std::string& measure,
                                             const EvaluateOptions& evaluation, const std::string& texts,
                                             const std::string& judgments, std::uint16_t port) {
  explore::Options what;
  for (const auto& [name, model, data, kind, scores] : rankers) {
    explore::Candidate candidate{
        .name = name, .model = {}, .data = data, .fingerprint = {}, .kind = kind, .scores = scores};
    if (model)
      candidate.model = *model;
    else
      candidate.model.method = kind;
    const std::string json = model ? to_json(*model) : std::string();
    const auto bytes = model ? std::as_bytes(std::span(json)) : std::as_bytes(std::span(scores));
    candidate.fingerprint = fmt::format("{:016x}", checksum(bytes));
    what.models.push_back(std::move(candidate));
  }
  what.data_name = "data";
  what.measure = measure;
  what.evaluation = evaluation;
  what.texts = texts;
  what.judgments = judgments;
  serve::Options how;
  how.port = port;
  how.threads = evaluation.threads;
  how.watch_seconds = 0;
  how.signals = false;
  how.limits.body_bytes = explore::kBodyBytes;
  return std::make_unique<ExploreServer>(std::move(what), std::move(how));
}

}  // namespace

void bind_serve(nb::module_& module) {
  nb::class_<serve::Server>(module, "Server", "Models behind HTTP.")
      .def(nb::new_(&make_server), "models"_a, "settings"_a)
      .def_prop_ro("url", &serve::Server::url)
      .def("run", &serve::Server::run, nb::call_guard<nb::gil_scoped_release>())
      .def("stop", &serve::Server::stop);
  nb::class_<ExploreServer>(module, "ExploreServer", "Models and data behind a page.")
      .def(nb::new_(&make_explorer), "rankers"_a, "measure"_a, "evaluation"_a, "texts"_a, "judgments"_a, "port"_a)
      .def_prop_ro("url", [](const ExploreServer& own) { return own.server.url(); })
      .def(
          "run", [](ExploreServer& own) { own.server.run(); }, nb::call_guard<nb::gil_scoped_release>())
      .def("stop", [](ExploreServer& own) { own.server.stop(); });
  module.def("read_token", &serve::read_token, "path"_a);
  module.def("can_serve", &serve::available);
}

}  // namespace dorm::python
