// SPDX-License-Identifier: Apache-2.0
#include "text/implicit_text.h"

#include <fmt/format.h>

#include <cmath>

namespace dorm::cli {

std::string implicit_text(const ImplicitModel& model, const std::string& path) {
  const ImplicitOptions& o = model.options;
  std::string text = fmt::format("model         {}\nevents        {} of {} users and {} items\n", path,
                                 model.seen.size(), model.users.size(), model.items.size());
  text += fmt::format("implicit ALS  {} factors, ridge {:g}, alpha {:g}, {} iterations\n", o.als.factors, o.als.ridge,
                      o.als.alpha, o.als.iterations);
  text += model.ease_weight != 0 ? fmt::format("EASE          ridge {:g}, share {:g}\n", o.ease_ridge, o.ease_share)
                                 : std::string("EASE          has no part\n");
  if (std::isfinite(model.validation))
    text += fmt::format("validated     {} {:.4f} on {:g} % of the events, {} trials\n", o.measure, model.validation,
                        100 * o.held_out, model.trials.size());
  return text;
}

Json implicit_json(const ImplicitModel& model, const std::string& path) {
  const ImplicitOptions& o = model.options;
  return {{"model", path},
          {"events", model.seen.size()},
          {"users", model.users.size()},
          {"items", model.items.size()},
          {"factors", o.als.factors},
          {"ridge", o.als.ridge},
          {"alpha", o.als.alpha},
          {"iterations", o.als.iterations},
          {"ease_ridge", o.ease_ridge},
          {"ease_share", model.ease_weight != 0 ? o.ease_share : 0},
          {"measure", o.measure},
          {"validation", std::isfinite(model.validation) ? Json(model.validation) : Json()},
          {"trials", model.trials.size()}};
}

}  // namespace dorm::cli
