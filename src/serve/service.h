// SPDX-License-Identifier: Apache-2.0
// What the server answers, without sockets: who may ask, routes, metrics and the log.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "dorm/apps/serve.h"
#include "serve/exchange.h"
#include "serve/log_writer.h"
#include "serve/memory_budget.h"
#include "serve/metrics.h"
#include "serve/model_store.h"
#include "serve/router.h"

namespace dorm::serve {

class Service {
 public:
  /// Loads the models. Throws as ModelStore() does, and Error(bad_option) for an address that is not loopback and no
  /// token or one that is not usable, for neither models nor routes, and for limits that contradict each other.
  explicit Service(const Options& options);

  /// By any thread. Whatever goes wrong is an answer.
  Answer answer(Request& request);
  /// The answer that is known before the body is read: to a request that is not allowed, of a path that is not there,
  /// or that takes no body.
  std::optional<Answer> turned_back(const Request& request);
  /// Of what never became a request: too long, too slow, malformed.
  Answer refuse(int status, std::string_view message, std::string_view remote);

  Router& router() { return router_; }  // for further routes, before the first request
  ModelStore& store() { return *store_; }
  std::shared_ptr<ModelStore> shared_store() { return store_; }
  Metrics& metrics() { return metrics_; }
  std::string metrics_text() const { return metrics_.text(*store_, {log_.dropped(), budget_.used()}); }
  MemoryBudget& budget() { return budget_; }
  const Limits& limits() const { return limits_; }

  /// The model of this name; without a name the first that ranks (or recommends). Throws Refusal(404).
  std::shared_ptr<const LoadedModel> ranker(std::string_view name) const;
  std::shared_ptr<const LoadedModel> recommender(std::string_view name) const;
  std::shared_ptr<const LoadedModel> model(std::string_view name) const;

  /// The scores of a request's documents, counted in the answer and the metrics.
  std::vector<double> score(const LoadedModel& model, const Layout& layout, const DenseRows& rows, Answer& answer);

 private:
  std::optional<Answer> gate(const Request& request, const Router::Found& found) const;
  static Answer nothing_there(const Request& request, const Router::Found& found, bool lists_endpoints);
  Answer route(Request& request);
  void note(const Request& request, const Answer& answer, double seconds);

  Limits limits_;
  std::string token_;
  bool for_this_machine_;
  bool lists_endpoints_ = false;  // at /openapi.json
  MemoryBudget budget_;
  LogWriter log_;
  std::shared_ptr<ModelStore> store_;
  Metrics metrics_;
  Router router_;
};

/// The routes, by what they are about.
void add_rank_routes(Service& service);       // /v1/rank, /v1/explain
void add_recommend_routes(Service& service);  // /v1/recommend
void add_inference_routes(Service& service);  // /v2, the Open Inference Protocol
void add_about_routes(Service& service);      // models, metrics, the description of all this

/// Throws Refusal(415) unless the body is of this type.
void require_type(const Request& request, std::string_view type);
bool has_type(const Request& request, std::string_view type);

/// An answer of this model.
Answer answer_of(const LoadedModel& model);

}  // namespace dorm::serve
