// SPDX-License-Identifier: Apache-2.0
// The server, in the process of the interpreter. Signals stay Python's.
#include "dorm/serve.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <utility>

#include "bindings.h"

namespace dorm::python {
namespace {

namespace nb = nanobind;
using namespace nb::literals;

std::unique_ptr<serve::Server> make_server(const std::vector<std::pair<std::string, std::string>>& models,
                                           const std::string& address, std::uint16_t port, const std::string& token,
                                           std::size_t threads, double watch, double body_bytes, std::size_t documents,
                                           std::size_t connections) {
  serve::Options options;
  for (const auto& [name, path] : models) options.models.push_back({name, path});
  options.address = address;
  options.port = port;
  options.token = token;
  options.threads = threads;
  options.watch_seconds = watch;
  options.signals = false;
  options.limits.body_bytes = static_cast<std::size_t>(body_bytes);
  options.limits.documents = documents;
  options.limits.connections = connections;
  return std::make_unique<serve::Server>(std::move(options));
}

}  // namespace

void bind_serve(nb::module_& module) {
  nb::class_<serve::Server>(module, "Server", "Models behind HTTP.")
      .def(nb::new_(&make_server), "models"_a, "address"_a, "port"_a, "token"_a, "threads"_a, "watch"_a, "body_bytes"_a,
           "documents"_a, "connections"_a)
      .def_prop_ro("url", &serve::Server::url)
      .def("run", &serve::Server::run, nb::call_guard<nb::gil_scoped_release>())
      .def("stop", &serve::Server::stop);
  module.def("read_token", &serve::read_token, "path"_a);
  module.def("can_serve", &serve::available);
}

}  // namespace dorm::python
