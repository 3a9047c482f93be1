// SPDX-License-Identifier: Apache-2.0
// `dorm serve`: models behind HTTP.
#include "dorm/apps/serve.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "base/json.h"
#include "command.h"
#include "command_line.h"
#include "dorm/error.h"
#include "options/option_group.h"
#include "run/run_server.h"
#include "text/messages.h"

namespace dorm::cli {
namespace {

constexpr const char* kServeDescription =
    "Answer requests for rankings over HTTP.\n"
    "\n"
    "POST /v1/rank takes the documents of one query, as JSON or as bytes, and returns their order and the scores\n"
    "of dorm rank. /v1/explain returns contributions, /v1/recommend serves recommenders, /v2 is the Open\n"
    "Inference Protocol, /metrics is for Prometheus, and /openapi.json describes all endpoints. The server\n"
    "reloads a model when its file changes, and at once on SIGHUP; open requests finish on the old model, which\n"
    "also stays when the new file is invalid. SIGTERM and Ctrl-C finish the open requests. Only this machine can\n"
    "reach the server unless --bind and --token-file are given. There is no TLS: use a proxy.";

constexpr const char* kServeExamples =
    "Examples:\n"
    "  dorm serve m.json\n"
    "  dorm serve web=m.json shop=new.json films.factors --port 9000 --log\n"
    "  dorm serve m.json --bind 0.0.0.0 --token-file /run/secrets/token\n"
    "  curl -s localhost:8080/v1/rank --json '{\"features\": [\"bm25\", \"age\"], \"documents\":\n"
    "    [{\"id\": \"a\", \"values\": [3.1, 2]}, {\"id\": \"b\", \"values\": [4.0, 7]}]}'\n";

struct ServeArguments {
  std::vector<std::string> models;
  std::string address = "127.0.0.1", token_file;
  std::uint16_t port = 8080;
  double watch = 1, max_body = 8, max_memory = 256;
  std::size_t max_documents = 10'000, max_connections = 1'024;
  bool log = false;
};

/// "web=m.json", or a file that gives its name to the model.
serve::ModelFile model_file(const std::string& word) {
  const std::size_t sign = word.find('=');
  if (sign != std::string::npos && word.find('/') > sign) return {word.substr(0, sign), word.substr(sign + 1)};
  return {std::filesystem::path(word).stem().string(), word};
}

void announce(const serve::Server& server, const serve::Options& options, const Settings& settings) {
  if (settings.json) {
    Json names = Json::array();
    for (const serve::ModelFile& file : options.models) names.push_back(file.name);
    print(printable_json({{"url", server.url()}, {"models", std::move(names)}}) + "\n");
    return;
  }
  std::vector<std::string> names;
  for (const serve::ModelFile& file : options.models) names.push_back(file.name);
  if (!settings.quiet) say(fmt::format("dorm: serving {} at {}\n", fmt::join(names, ", "), server.url()));
}

void run_serve(const ServeArguments& arguments, const Settings& settings) {
  require_option(!arguments.models.empty(), "MODEL", "expected models of dorm train, tune or factorize");
  serve::Options options;
  for (const std::string& word : arguments.models) options.models.push_back(model_file(word));
  options.address = arguments.address;
  options.port = arguments.port;
  if (!arguments.token_file.empty()) options.token = serve::read_token(arguments.token_file);
  options.threads = settings.threads;
  options.watch_seconds = arguments.watch;
  options.limits.body_bytes = static_cast<std::size_t>(arguments.max_body * (1 << 20));
  options.limits.memory_bytes = static_cast<std::size_t>(arguments.max_memory * (1 << 20));
  options.limits.documents = arguments.max_documents;
  options.limits.connections = arguments.max_connections;
  if (arguments.log) options.log = [](std::string_view line) { print(std::string(line) + "\n"); };
  if (!settings.quiet) options.say = [](std::string_view line) { say(fmt::format("dorm: {}\n", line)); };
  serve::Server server(options);
  announce(server, options, settings);
  run_to_the_end(server);
}

}  // namespace

Action declare_serve(CLI::App& app, const Settings& settings) {
  auto arguments = std::make_shared<ServeArguments>();
  const OptionGroup where(app, "Server"), models(app, "Models"), limits(app, "Limits");
  app.add_option("MODEL", arguments->models,
                 "models of dorm train, tune or recommend train, as FILE or NAME=FILE;\nthe first is the default");
  where.add("--bind", arguments->address, "ADDRESS",
            "address to listen at; all but loopback need --token-file (127.0.0.1)");
  where.number("--port", arguments->port, whole_from(0, 65535), "N", "port; 0: a free port (8080)");
  where.add("--token-file", arguments->token_file, "FILE",
            "file whose first line is the token of requests:\nAuthorization: Bearer TOKEN");
  where.flag("--log", arguments->log, "print one JSON object per request");
  models.number("--watch", arguments->watch, number_from(0, 86400), "S",
                "check the files every S seconds; 0: only on SIGHUP (1)");
  limits.number("--max-body", arguments->max_body, number_above(0, 1024), "MIB", "largest body of a request (8)");
  limits.number("--max-memory", arguments->max_memory, number_above(0, 1 << 20), "MIB",
                "memory for the bodies of all requests and responses in flight (256)");
  limits.number("--max-documents", arguments->max_documents, whole_from(1), "N",
                "largest number of documents of a request (10000)");
  limits.number("--max-connections", arguments->max_connections, whole_from(1), "N",
                "largest number of open connections (1024)");
  app.description(kServeDescription);
  app.footer(kServeExamples);
  return [arguments, &settings] { run_serve(*arguments, settings); };
}

}  // namespace dorm::cli
