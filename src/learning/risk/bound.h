// SPDX-License-Identifier: Apache-2.0
// Which reference ranking a bound is measured against.
#pragma once

#include "dorm/measure.h"
#include "dorm/oracle.h"
#include "dorm/reference.h"

namespace dorm {

enum class Bound { given, average, best, predicted };

/// Whether the reference depends on the current weights, so that rounds make sense.
inline bool depends_on_scores(Bound bound) { return bound == Bound::best || bound == Bound::predicted; }

inline void make_reference(Bound bound, const PreparedQuery& query, Labels labels, std::span<const double> scores,
                           Reference& out) {
  switch (bound) {
    case Bound::given:
      return reference_given(query, labels, out);
    case Bound::average:
      return reference_average(query, labels, out);
    case Bound::best:
      return reference_best(query, scores, out);
    case Bound::predicted:
      return reference_predicted(query, scores, out);
  }
}

}  // namespace dorm
