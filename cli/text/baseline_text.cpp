// SPDX-License-Identifier: Apache-2.0
#include "text/baseline_text.h"

#include <fmt/format.h>

#include <cmath>

namespace dorm::cli {
namespace {

constexpr double kSure = 0.05;

}  // namespace

std::string baseline_text(const pages::Evidence& evidence) {
  const pages::Yardstick& other = evidence.yardsticks.front();
  const double difference = other.test.mean_difference;
  const std::string p = report::p_value_text(other.p);
  const std::string verdict = !(other.p < kSure) ? "not significantly different"
                              : difference > 0   ? "the model is better"
                                                 : "the model is WORSE";
  return fmt::format(
      "{:<13}{} {} {:.4f} on {}{}, the model {:.4f}\n{:<13}difference {:+.4f} [{:+.4f}, {:+.4f}], {} wins, {} losses, "
      "p {}{}: {}\n",
      "baseline", other.name, evidence.figure.name, other.figure.mean, evidence.on,
      evidence.flattering ? ", which flatters the model" : "", evidence.figure.mean, "", difference, other.test.low,
      other.test.high, other.test.wins, other.test.losses, p.starts_with('<') ? "" : "= ", p, verdict);
}

Json baseline_json(const pages::Evidence& evidence) {
  const pages::Yardstick& other = evidence.yardsticks.front();
  return {{"name", other.name},
          {"measure", evidence.figure.name},
          {"evaluated_on", evidence.on},
          {"trained_on_these", evidence.flattering},
          {"mean", other.figure.mean},
          {"model_mean", evidence.figure.mean},
          {"difference", other.test.mean_difference},
          {"interval", {other.test.low, other.test.high}},
          {"wins", other.test.wins},
          {"losses", other.test.losses},
          {"p", other.p}};
}

}  // namespace dorm::cli
