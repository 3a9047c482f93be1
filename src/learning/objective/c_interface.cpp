// SPDX-License-Identifier: Apache-2.0
// dorm/objective_c.h: no exception leaves, every failure becomes a code and a message.
#include <algorithm>
#include <cstring>
#include <exception>

#include "dorm/error.h"
#include "dorm/objective.h"
#include "dorm/objective_c.h"

struct dorm_objective {
  dorm::Objective objective;
};

namespace {

constexpr int kOutOfMemory = 100, kUnknown = 101;

void write_message(const char* message, char* error) {
  if (error == nullptr) return;
  const std::size_t length = std::min<std::size_t>(std::strlen(message), DORM_ERROR_LENGTH - 1);
  std::memcpy(error, message, length);
  error[length] = '\0';
}

template <class Body>
int guarded(char* error, const Body& body) {
  try {
    body();
    return 0;
  } catch (const dorm::Error& failure) {
    write_message(failure.what(), error);
    return 1 + static_cast<int>(failure.code());
  } catch (const std::bad_alloc&) {
    write_message("out of memory", error);
    return kOutOfMemory;
  } catch (const std::exception& failure) {
    write_message(failure.what(), error);
    return kUnknown;
  }
}

dorm::ObjectiveOptions translate(const dorm_objective_options& given) {
  dorm::ObjectiveOptions options;
  if (given.measure != nullptr) options.measure = given.measure;
  if (given.convention != nullptr) options.convention = given.convention;
  if (given.reference != nullptr) options.reference = given.reference;
  if (given.decay != nullptr) options.decay = given.decay;
  options.sigma = given.sigma;
  if (given.pairs != 0) options.pairs = given.pairs;
  if (given.margin != 0) options.margin = given.margin;
  options.curvature_floor = given.curvature_floor;
  if (given.seed != 0) options.seed = given.seed;
  options.threads = given.threads;
  return options;
}

}  // namespace

void dorm_objective_defaults(dorm_objective_options* options) {
  const dorm::ObjectiveOptions defaults;
  *options = {"ndcg@10",      "standard",      "best",          "auto",
              defaults.sigma, defaults.pairs,  defaults.margin, defaults.curvature_floor,
              defaults.seed,  defaults.threads};
}

// NOLINTNEXTLINE(readability-function-size): C has no spans
int dorm_objective_create(const float* labels, size_t num_documents, const uint64_t* query_end, size_t num_queries,
                          const double* query_weights, const dorm_objective_options* options, dorm_objective** out,
                          char error[DORM_ERROR_LENGTH]) {
  return guarded(error, [&] {
    const std::span<const double> weights =
        query_weights == nullptr ? std::span<const double>() : std::span(query_weights, num_queries);
    dorm_objective_options defaults;
    dorm_objective_defaults(&defaults);
    *out = std::make_unique<dorm_objective>(
               dorm_objective{dorm::Objective({labels, num_documents}, {query_end, num_queries},
                                              translate(options == nullptr ? defaults : *options), weights)})
               .release();
  });
}

int dorm_objective_gradient(const dorm_objective* objective, const double* scores, uint64_t round, double* gradient,
                            double* curvature, char error[DORM_ERROR_LENGTH]) {
  return guarded(error, [&] {
    const std::size_t n = objective->objective.num_documents();
    objective->objective.gradient({scores, n}, round, {gradient, n}, {curvature, n});
  });
}

int dorm_objective_losses(const dorm_objective* objective, const double* scores, double* losses,
                          char error[DORM_ERROR_LENGTH]) {
  return guarded(error, [&] {
    const std::vector<double> values = objective->objective.losses({scores, objective->objective.num_documents()});
    std::copy(values.begin(), values.end(), losses);
  });
}

void dorm_objective_free(dorm_objective* objective) { std::unique_ptr<dorm_objective> owner(objective); }
