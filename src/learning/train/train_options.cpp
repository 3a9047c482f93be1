// SPDX-License-Identifier: Apache-2.0
// What options may say, checked before any data is touched.
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "base/validate.h"
#include "dorm/error.h"
#include "dorm/measure.h"
#include "dorm/one_per.h"
#include "dorm/oracle.h"
#include "dorm/train.h"
#include "learning/train/fit.h"
#include "learning/train/kernel_options.h"
#include "model/kernel/feature_map.h"

namespace dorm {
namespace {

constexpr CatalogEntry kAutoBound = {
    "auto", "auto", "best if its bound is informative, else predicted; with validation data, whichever validates best"};
constexpr std::array<CatalogEntry, 3> kStarts = {{
    {"auto", "auto", "ridge; for predicted also pairwise, the better one is kept"},
    {"ridge", "ridge", "ridge regression on labels centred within each query"},
    {"pairwise", "pairwise", "mean pairwise hinge of each query"},
}};

constexpr std::uint64_t kLeastCache = 1000000;

void require_name(std::string_view kind, const std::string& name, std::span<const CatalogEntry> known) {
  for (const CatalogEntry& entry : known)
    if (entry.name == name) return;
  throw_unknown_name(kind, name, known);
}

}  // namespace

std::vector<CatalogEntry> bound_choices() {
  std::vector<CatalogEntry> choices = {kAutoBound};
  choices.insert(choices.end(), bound_catalog().begin(), bound_catalog().end());
  return choices;
}
std::span<const CatalogEntry> start_catalog() { return kStarts; }

void TrainOptions::validate() const {
  const Convention known = make_convention(convention);
  if (!own_measure) make_trainable(measure, known);
  const Decay parsed_decay(decay);
  parse_solver(solver);
  if (!one_per.empty()) parse_one_per(one_per);
  if (scale != "auto") parse_scaling(scale);
  require_name("bound", bound, bound_choices());
  require_name("start", start, kStarts);
  if (KernelOptions(*this).used()) {
    if (kernel_function == nullptr) check_kernel_spec(kernel);
    if (approximation != "none") parse_approximation(approximation);
    require(cache_bytes >= kLeastCache, "cache", static_cast<double>(cache_bytes), "at least a million bytes");
    if (kernel == "precomputed" && (approximation != "none" || (scale != "auto" && scale != "none")))
      throw Error(ErrorCode::bad_option,
                  "a precomputed kernel is taken as it is; expected no scaling and no approximation");
  }
  require(std::isfinite(C) && C > 0, "C", C, "a finite number above 0");
  require(std::isfinite(tolerance) && tolerance > 0 && tolerance < 1, "tolerance", tolerance,
          "a number between 0 and 1");
  require(max_passes > 0, "max_passes", static_cast<double>(max_passes), "at least 1");
  require(std::isfinite(seconds) && seconds >= 0, "time limit", seconds, "seconds, 0 for none");
  require(std::isfinite(checkpoint_seconds) && checkpoint_seconds >= 0, "checkpoint interval", checkpoint_seconds,
          "seconds");
  if (!checkpoint.empty() && (own_measure || initial || patience > 0))
    throw Error(ErrorCode::unsupported,
                "a checkpoint does not record measures of the caller's own, initial models or early stopping");
}

}  // namespace dorm
