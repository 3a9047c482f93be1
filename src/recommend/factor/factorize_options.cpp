// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "base/numeric.h"
#include "base/validate.h"
#include "dorm/oracle.h"
#include "recommend/factor/ranking_lists.h"

namespace dorm {

void FactorizeOptions::validate() const {
  make_trainable(measure, make_convention(convention));
  static_cast<void>(Decay(decay));  // throws for a name or parameter it does not know
  parse_bound(bound);
  const auto positive = [](std::string_view name, double value) {
    require(value > 0 && std::isfinite(value), name, value, "a number above 0");
  };
  positive("lambda", lambda);
  positive("margin", margin);
  require(start_lambda > 0, "start lambda", start_lambda, "a number above 0, or infinity");
  require(item_damping >= 0 && std::isfinite(item_damping), "item damping", item_damping, "0 or more");
  require(std::isfinite(item_prior), "item prior", item_prior, "a number");
  require(implicit >= 0 && std::isfinite(implicit), "implicit", implicit, "0 (off) or more");
  require(neighbours <= 1000, "neighbours", real(neighbours), "0 to 1000");
  require(start_sweeps <= 10000, "start_sweeps", real(start_sweeps), "0 to 10000");
  require(rank <= 100000, "rank", real(rank), "0 to 100000");
  require(tolerance > 0 && tolerance < 1, "tolerance", tolerance, "a number between 0 and 1, both excluded");
  require(max_passes > 0, "max_passes", 0, "at least 1");
  require(seconds >= 0, "seconds", seconds, "0 (no limit) or more");
}

}  // namespace dorm
