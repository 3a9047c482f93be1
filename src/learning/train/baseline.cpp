// SPDX-License-Identifier: Apache-2.0
// The cheap rankers that rounds start from, as models of their own.
#include <algorithm>
#include <array>

#include "dorm/error.h"
#include "dorm/train.h"
#include "learning/train/training_set.h"

namespace dorm {

Model train_start(const Dataset& data, std::string_view start, const TrainOptions& options) {
  options.validate();
  constexpr std::array<CatalogEntry, 2> kNames = {{{"ridge", "ridge", ""}, {"pairwise", "pairwise", ""}}};
  if (std::none_of(kNames.begin(), kNames.end(), [&](const CatalogEntry& entry) { return entry.name == start; }))
    throw_unknown_name("start", start, kNames);
  if (options.kernel == "precomputed") check_precomputed(data);
  TrainingSet set(data, options.scale, options.threads, KernelOptions(options), options.seed);
  const std::vector<double>& w = set.start(start);
  if (std::all_of(w.begin(), w.end(), [](double x) { return x == 0; }))
    throw Error(ErrorCode::bad_input, "no query has documents of different labels: there is nothing to learn from");
  Model model = set.model(w);
  model.measure = options.measure;
  model.convention = options.convention;
  model.bound = "none";
  model.start = start;
  model.seed = options.seed;
  model.certificate.status = "none";
  model.data.fingerprint = data.fingerprint();
  return model;
}

}  // namespace dorm
