// SPDX-License-Identifier: Apache-2.0
#include "serve/service.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <exception>
#include <new>

#include "base/quote.h"
#include "base/stopwatch.h"
#include "serve/gate.h"
#include "serve/json_text.h"

namespace dorm::serve {
namespace {

std::string_view path_of(std::string_view target) { return target.substr(0, target.find_first_of("?#")); }

template <class Fits>
std::shared_ptr<const LoadedModel> find_model(const ModelStore& store, std::string_view name, const Fits& fits,
                                              const char* what) {
  for (const auto& model : *store.models())
    if (name.empty() ? fits(*model) : model->name() == name) {
      if (!fits(*model))
        throw Refusal(404, fmt::format("the model {} is of the kind {}; expected one that {}", model->name(),
                                       model->kind(), what));
      return model;
    }
  throw Refusal(404, name.empty()
                         ? fmt::format("no model that {} is served", what)
                         : fmt::format("no model is named {}; /v1/models lists the served models", in_quotes(name)));
}

int status_of(const Error& error) {
  if (const auto* refusal = dynamic_cast<const Refusal*>(&error)) return refusal->status();
  return error.code() == ErrorCode::io || error.code() == ErrorCode::internal ? 500 : 400;
}

std::string now_text() {
  const auto now = std::chrono::system_clock::now();
  const auto milliseconds =
      std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count() % 1000;
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(std::chrono::system_clock::to_time_t(now)),
                     milliseconds);
}

}  // namespace

Answer error_answer(int status, std::string_view message) {
  Answer answer{.status = status};
  answer.body = "{\"error\":";
  append_text(answer.body, message);
  answer.body += "}\n";
  return answer;
}

bool has_type(const Request& request, std::string_view type) {
  std::string_view given = request.content_type.substr(0, request.content_type.find(';'));
  while (given.ends_with(' ')) given.remove_suffix(1);
  return std::equal(given.begin(), given.end(), type.begin(), type.end(),
                    [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + 32 : a) == b; });
}

void require_type(const Request& request, std::string_view type) {
  if (!has_type(request, type))
    throw Refusal(415, fmt::format("the content type is {}; expected {}", in_quotes(request.content_type), type));
}

Answer answer_of(const LoadedModel& model) { return {.model = model.name(), .version = model.version()}; }

Service::Service(const Options& options)
    : limits_(options.limits),
      token_(options.token),
      for_this_machine_(is_loopback(options.address)),
      budget_(options.limits.memory_bytes),
      log_(options.log),
      store_(std::make_shared<ModelStore>(options.models, options.say)) {
  if (!token_.empty()) check_token(token_);
  if (limits_.memory_bytes < limits_.body_bytes + kBodyPadding)
    throw Error(ErrorCode::bad_option,
                fmt::format("the memory for all bodies is {} bytes; expected more than those of the largest body, {}",
                            limits_.memory_bytes, limits_.body_bytes));
  if (!for_this_machine_ && token_.empty())
    throw Error(ErrorCode::bad_option,
                fmt::format("the address {} can be reached by others; expected a token that they must know, or a "
                            "loopback address such as 127.0.0.1",
                            options.address));
  if (options.routes) {
    options.routes(router_);
    return;
  }
  if (options.models.empty()) throw Error(ErrorCode::bad_option, "no model is given; expected at least one");
  lists_endpoints_ = true;
  add_rank_routes(*this);
  add_recommend_routes(*this);
  add_inference_routes(*this);
  add_about_routes(*this);
}

std::shared_ptr<const LoadedModel> Service::ranker(std::string_view name) const {
  return find_model(
      *store_, name, [](const LoadedModel& model) { return model.ranker() != nullptr; }, "ranks documents");
}

std::shared_ptr<const LoadedModel> Service::recommender(std::string_view name) const {
  return find_model(
      *store_, name, [](const LoadedModel& model) { return model.recommender() != nullptr; }, "recommends items");
}

std::shared_ptr<const LoadedModel> Service::model(std::string_view name) const {
  return find_model(
      *store_, name, [](const LoadedModel&) { return true; }, "is served");
}

std::vector<double> Service::score(const LoadedModel& model, const Layout& layout, const DenseRows& rows,
                                   Answer& answer) {
  const Stopwatch watch;
  std::vector<double> scores = model.scores(layout, rows);
  answer.score_seconds = watch.seconds();
  answer.documents = rows.rows;
  metrics_.out_of_range(model, LoadedModel::out_of_range(layout, rows));
  return scores;
}

std::optional<Answer> Service::gate(const Request& request, const Router::Found& found) const {
  if (for_this_machine_ && !(request.host.empty() && !request.must_name_host) && !names_this_machine(request.host))
    return error_answer(
        421, fmt::format("the host is {}; expected localhost or a loopback address", in_quotes(request.host)));
  if (for_this_machine_ && comes_from_elsewhere(request))
    return error_answer(403, fmt::format("the request comes from a page of {}; expected one of this machine",
                                         request.origin.empty() ? "another site" : in_quotes(request.origin)));
  if (token_.empty() || (found.handler && !found.needs_token) || bears_token(request.authorization, token_)) return {};
  Answer answer = error_answer(401, "no valid token; expected the header Authorization: Bearer TOKEN");
  answer.headers.emplace_back("WWW-Authenticate", "Bearer");
  return answer;
}

Answer Service::nothing_there(const Request& request, const Router::Found& found, bool lists_endpoints) {
  if (found.allowed.empty())
    return error_answer(404, fmt::format("nothing is at {}{}", in_quotes(path_of(request.target)),
                                         lists_endpoints ? "; /openapi.json lists what is" : ""));
  Answer answer =
      error_answer(405, fmt::format("the method is {}; expected {}", in_quotes(request.method), found.allowed));
  answer.headers.emplace_back("Allow", found.allowed);
  return answer;
}

std::optional<Answer> Service::turned_back(const Request& request) {
  const Router::Found found = router_.find(request.method, path_of(request.target));
  std::optional<Answer> answer = gate(request, found);
  if (!answer && !found.handler) answer = nothing_there(request, found, lists_endpoints_);
  if (!answer && !found.needs_token) answer = error_answer(413, "there is a body; expected none");
  if (answer) note(request, *answer, 0);
  return answer;
}

Answer Service::route(Request& request) {
  const Router::Found found = router_.find(request.method, path_of(request.target));
  if (auto refused = gate(request, found)) return std::move(*refused);
  if (found.handler) return (*found.handler)(request, found.captured);
  return nothing_there(request, found, lists_endpoints_);
}

Answer Service::answer(Request& request) {
  const Stopwatch watch;
  Answer answer;
  try {
    answer = route(request);
  } catch (const Error& error) {
    const int status = status_of(error);
    answer = error_answer(status, status == 500 ? "the server failed" : error.what());
  } catch (const std::bad_alloc&) {
    answer = error_answer(503, "out of memory");
  } catch (const std::exception&) {
    answer = error_answer(500, "the server failed");
  }
  note(request, answer, watch.seconds());
  return answer;
}

Answer Service::refuse(int status, std::string_view message, std::string_view remote) {
  Answer answer = error_answer(status, message);
  Request request{.method = "", .target = ""};
  request.remote = remote;
  note(request, answer, 0);
  return answer;
}

void Service::note(const Request& request, const Answer& answer, double seconds) {
  metrics_.answered(answer, seconds);
  if (!log_.wanted()) return;
  std::string line = fmt::format("{{\"time\":\"{}\",\"remote\":", now_text());
  append_text(line, request.remote);
  line += ",\"method\":";
  append_text(line, request.method);
  line += ",\"path\":";
  append_text(line, path_of(request.target).substr(0, 256));
  line += ",\"model\":";
  append_text(line, answer.model);
  fmt::format_to(std::back_inserter(line),
                 ",\"status\":{},\"documents\":{},\"bytes_in\":{},\"bytes_out\":{},"
                 "\"seconds\":{:.6f}}}",
                 answer.status, answer.documents, request.body.size(), answer.body.size(), seconds);
  log_.add(std::move(line));
}

}  // namespace dorm::serve
