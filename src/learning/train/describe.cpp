// SPDX-License-Identifier: Apache-2.0
#include "learning/train/describe.h"

#include "data/scale/survey.h"

namespace dorm {

Certificate no_certificate() {
  Certificate none;
  none.status = "none";
  return none;
}

Origin origin_of(const TrainOptions& options) {
  return {.measure = options.measure,
          .convention = options.convention,
          .decay = options.decay,
          .target = options.target,
          .one_per = options.one_per,
          .C = options.C,
          .seed = options.solve.seed,
          .solve = &options.solve};
}

DataSummary summary_of(const Dataset& data) {
  Survey survey(data);
  survey.add_all(1);
  return {.fingerprint = survey.fingerprint(),
          .queries = data.num_queries(),
          .documents = data.num_documents(),
          .features = data.feature_range(),
          .input = data.input(),
          .statistics = survey.statistics()};
}

void describe(Model& model, const Origin& origin) {
  model.measure = origin.measure;
  model.convention = origin.convention;
  model.decay = origin.decay;
  model.target = origin.target;
  model.one_per = origin.one_per;
  model.bound = origin.bound;
  model.start = origin.start;
  model.rounds = origin.rounds;
  model.C = origin.C;
  model.seed = origin.seed;
  model.solver = origin.solve ? solver_name(origin.solve->solver) : "";
  model.tolerance = origin.solve ? origin.solve->tolerance : 0;
  model.certificate = origin.certificate;
  model.explained_risk = origin.explained_risk;
  model.validation = origin.validation;
  model.data = origin.data;
}

}  // namespace dorm
