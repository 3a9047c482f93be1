// SPDX-License-Identifier: Apache-2.0
// What tests of learning go through one by one.
#pragma once

#include <ostream>

#include "dorm/oracle.h"
#include "dorm/solver.h"

namespace dorm {

/// In the names of parameterised tests.
inline void PrintTo(SolverKind shown, std::ostream* out) { *out << solver_name(shown); }

}  // namespace dorm

namespace dorm::test {

inline constexpr Bound kBounds[] = {Bound::given, Bound::average, Bound::best, Bound::predicted};

/// The solvers that prove how far from the optimum they stop, and reach any distance asked for.
inline const SolverKind kCertified[] = {parse_solver("bcda"), parse_solver("nslack"), parse_solver("oneslack"),
                                        parse_solver("bcfw"), parse_solver("lbfgs")};

}  // namespace dorm::test
