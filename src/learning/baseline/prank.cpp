// SPDX-License-Identifier: Apache-2.0
// PRank (Crammer and Singer 2001): a perceptron with one threshold between any two neighbouring grades. A document
// whose score is on the wrong side of thresholds moves the weights by the number of those, and each of them by one. The
// weights returned are the average over all steps, which does not depend on where the last mistake was.
#include <numeric>

#include "base/rng.h"
#include "base/stopwatch.h"
#include "base/vector/vector_ops.h"
#include "learning/baseline/method.h"
#include "learning/baseline/thresholds.h"

namespace dorm {
namespace {

constexpr std::size_t kPasses = 10;

struct Place {
  std::size_t query, document;
};

}  // namespace

BaselineFit fit_prank(const BaselineProblem& problem) {
  const LinearFeatures& features = problem.set.linear_features();
  const Dataset& data = features.data();
  const std::vector<float> grades = distinct_labels(data);
  const double squared_scale = problem.set.squared_scale();  // steps as if features had unit scale
  std::vector<Place> places;
  for (std::size_t q = 0; q < data.num_queries(); ++q)
    for (std::size_t i = 0; i < data.query(q).size(); ++i) places.push_back({q, i});

  std::vector<double> w(features.dimension(), 0.0), late(w.size(), 0.0), thresholds(grades.size() - 1, 0.0);
  Rng rng(problem.options.solve.seed);
  double time = 0;
  const TimeLimit limit(problem.options.solve.seconds);
  for (std::size_t pass = 0; pass < kPasses && (pass == 0 || !limit.over()); ++pass) {
    rng.shuffle(std::span(places));
    for (const Place& place : places) {
      const double score = features.score(place.query, place.document, w);
      const float label = data.query(place.query).labels[place.document];
      const double moves = move_thresholds(score, label, grades, thresholds);
      if (moves != 0) {
        features.add_row(place.query, place.document, moves * squared_scale, w);
        features.add_row(place.query, place.document, moves * squared_scale * time, late);
      }
      ++time;
    }
  }
  axpy(-1 / time, std::span<const double>(late), w);  // mean over time of w: a change at t counts 1 - t / T
  return {std::move(w), {}};
}

}  // namespace dorm
