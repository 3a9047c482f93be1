// SPDX-License-Identifier: Apache-2.0
#include "text/joint_text.h"

#include <fmt/format.h>

#include "base/json.h"

namespace dorm::cli {

std::string joint_text(const JointModel& model, const std::string& path) {
  std::string text;
  const auto line = [&text](const char* name, const std::string& value) {
    text += fmt::format("{:<15}{}\n", name, value);
  };
  line("format", "joint kernel over users and items");
  line("kernel", model.kernel);
  line("ratings",
       fmt::format("{} of {} users and {} items{}", model.known.size(), model.users().size(), model.items().size(),
                   model.trained_users < model.users().size()
                       ? fmt::format("; {} users were folded in", model.users().size() - model.trained_users)
                       : ""));
  if (model.measure.empty()) {
    line("method", model.method + ", no certificate");
  } else {
    line("trained for", fmt::format("{} ({}), C {:g}{}, decay {}, bound {}", model.measure, model.convention, model.C,
                                    model.paper_C ? " of the paper" : "", model.decay, model.bound));
    line("certificate", fmt::format("primal {:.6g}, gap {:.2g}, {}; explained risk {:.3f}", model.certificate.primal,
                                    model.certificate.gap, model.certificate.status, model.explained_risk));
    if (model.dropped > 0) line("users", fmt::format("{} without usable ratings are dropped", model.dropped));
  }
  line("pairs", fmt::format("{} with a coefficient", model.ranker.size()));
  line("model", path);
  return text;
}

std::string joint_json(const JointModel& model, const std::string& path) {
  Json info = {{"model", path},
               {"format", "joint"},
               {"kernel", model.kernel},
               {"method", model.method},
               {"users", model.users().size()},
               {"items", model.items().size()},
               {"ratings", model.known.size()},
               {"trained_users", model.trained_users},
               {"pairs", model.ranker.size()}};
  if (!model.measure.empty())
    info.update({{"measure", model.measure},
                 {"convention", model.convention},
                 {"C", model.C},
                 {"paper_C", model.paper_C},
                 {"decay", model.decay},
                 {"bound", model.bound},
                 {"explained_risk", model.explained_risk},
                 {"dropped_users", model.dropped},
                 {"certificate",
                  {{"primal", model.certificate.primal},
                   {"dual", model.certificate.dual},
                   {"gap", model.certificate.gap},
                   {"status", model.certificate.status}}}});
  return printable_json(info, 2) + "\n";
}

}  // namespace dorm::cli
