/* SPDX-License-Identifier: Apache-2.0
 * The loss of dorm/objective.h for other languages and for native custom objectives: plain C, no exceptions,
 * no state but the handle. Functions return 0, or an error code > 0 with a message in `error` (always
 * terminated). */
#ifndef DORM_OBJECTIVE_C_H
#define DORM_OBJECTIVE_C_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DORM_ERROR_LENGTH 512

typedef struct dorm_objective dorm_objective;

/* Zero and null fields stand for the defaults of ObjectiveOptions, but `sigma` and `curvature_floor`, which
 * are taken as they are; dorm_objective_defaults() fills in all of them. */
typedef struct dorm_objective_options {
  const char* measure;    /* "ndcg@10" */
  const char* convention; /* "standard" */
  const char* reference;  /* "best" (hinge) or "predicted" (ramp) */
  const char* decay;      /* "auto" */
  double sigma;
  size_t pairs;
  double margin;
  double curvature_floor;
  uint64_t seed;
  size_t threads; /* 0: all cores */
} dorm_objective_options;

void dorm_objective_defaults(dorm_objective_options* options);

/* Query q holds documents [query_end[q-1], query_end[q]). query_weights may be null. Arrays are copied where
 * needed; the handle is freed by dorm_objective_free. */
int dorm_objective_create(const float* labels, size_t num_documents, const uint64_t* query_end, size_t num_queries,
                          const double* query_weights, const dorm_objective_options* options, dorm_objective** out,
                          char error[DORM_ERROR_LENGTH]);

/* One gradient and one curvature per document. Safe from several threads at once. */
int dorm_objective_gradient(const dorm_objective* objective, const double* scores, uint64_t round, double* gradient,
                            double* curvature, char error[DORM_ERROR_LENGTH]);

/* The unperturbed loss of every query. */
int dorm_objective_losses(const dorm_objective* objective, const double* scores, double* losses,
                          char error[DORM_ERROR_LENGTH]);

void dorm_objective_free(dorm_objective* objective);

#ifdef __cplusplus
}
#endif
#endif
