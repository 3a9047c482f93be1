// SPDX-License-Identifier: Apache-2.0
#include "report/pages/words.h"

#include <fmt/format.h>

namespace dorm::pages {

std::string effort_text(const SolveReport& solve) {
  if (solve.passes == 0) return {};
  std::string text = fmt::format("{} passes, {} oracle calls", solve.passes, solve.oracle_calls);
  if (solve.planes > 0) text += fmt::format(", {} planes, {} support vectors", solve.planes, solve.support_vectors);
  if (solve.qp_seconds > 0)
    text += fmt::format(", {:.0f} % of the time in the QP",
                        100 * (solve.seconds > 0 ? solve.qp_seconds / solve.seconds : 0));
  return text;
}

std::string cell_name(const TuneCell& cell) {
  const std::string kernel = cell.kernel == "none" ? "" : ", kernel " + cell.kernel;
  if (!cell.bound) return fmt::format("{}, C {:.4g}{}", name_of(cell.start), cell.C, kernel);
  return fmt::format("{}, C {:.4g}, decay {}, bound {} from {}{}", cell.measure, cell.C, cell.decay,
                     name_of(*cell.bound), name_of(cell.start), kernel);
}

}  // namespace dorm::pages
