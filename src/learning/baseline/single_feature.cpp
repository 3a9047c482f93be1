// SPDX-License-Identifier: Apache-2.0
// One column as a ranker, e.g. BM25: what any learnt combination has to beat.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "dorm/error.h"
#include "dorm/evaluate.h"
#include "learning/baseline/method.h"

namespace dorm {
namespace {

std::string known_features(const Dataset& data) {
  constexpr std::size_t kShown = 10;
  std::string text;
  for (std::size_t j = 0; j < std::min(kShown, data.num_features()); ++j)
    text += (j > 0 ? ", " : "") + data.feature_name(j);
  return data.num_features() > kShown ? text + ", ..." : text;
}

}  // namespace

Model single_feature(const Dataset& data, std::string_view feature, const MethodOptions& options) {
  std::size_t column = 0;
  while (column < data.num_features() && data.feature_name(column) != feature) ++column;
  if (column == data.num_features())
    throw Error(ErrorCode::bad_option,
                fmt::format("no feature \"{}\" in the data; expected one of {}", feature, known_features(data)));
  Model model;
  model.features = {std::string(feature)};
  const std::array<std::string, 1> measure = {options.measure};
  const EvaluateOptions evaluation{
      .convention = options.convention, .bootstrap = 0, .threads = options.compute.threads};
  double best = 0;
  for (double sign : {1.0, -1.0}) {
    Model candidate = model;
    candidate.weights = {sign};
    const double value =
        evaluate(data, score(candidate, data, options.compute.threads), measure, evaluation).measures[0].mean;
    if (sign > 0 || value > best) {
      model.weights = {sign};
      best = value;
    }
  }
  return model;
}

}  // namespace dorm
