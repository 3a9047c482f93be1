// SPDX-License-Identifier: Apache-2.0
// What sessions on interleaved lists say: a sign test, and how many sessions it takes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/numeric.h"
#include "dorm/clicks/interleave.h"
#include "dorm/error.h"
#include "evaluation/distributions.h"

namespace dorm {
namespace {

constexpr double kAskedPower = 0.8;
constexpr double kMostSessions = 1e12;  // beyond, probabilities lose their digits

void require_share(const char* what, double x) {
  if (!(x > 0 && x < 1))
    throw Error(ErrorCode::bad_option, fmt::format("{} {}; expected a number between 0 and 1", what, x));
}

/// The most wins of one side at which a two-sided sign test is significant; false: there is none.
bool critical_wins(std::uint64_t decided, double level, std::uint64_t& most) {
  if (2 * fair_coin_at_most(0, decided) > level) return false;
  std::uint64_t low = 0, high = decided / 2;  // significant at low
  while (low < high) {
    const std::uint64_t middle = (low + high + 1) / 2;
    if (2 * fair_coin_at_most(middle, decided) <= level)
      low = middle;
    else
      high = middle - 1;
  }
  most = low;
  return true;
}

}  // namespace

double sign_test_power(double sessions, double share, double level) {
  require_share("level", level);
  if (!(sessions >= 0 && sessions <= kMostSessions))
    throw Error(ErrorCode::bad_option,
                fmt::format("{:g} decided sessions, at a share of wins of {}; expected at most {:g}", sessions, share,
                            kMostSessions));
  const auto decided = static_cast<std::uint64_t>(sessions);
  if (!(share >= 0 && share <= 1))
    throw Error(ErrorCode::bad_option, fmt::format("share of wins {}; expected a number from 0 to 1", share));
  std::uint64_t most = 0;
  if (decided == 0 || !critical_wins(decided, level, most)) return 0;
  if (share == 0 || share == 1) return 1;
  return binomial_at_most(most, decided, share) + binomial_at_most(most, decided, 1 - share);
}

double decided_sessions_needed(double share, double power, double level) {
  require_share("power", power);
  require_share("level", level);
  if (!(share >= 0 && share <= 1))
    throw Error(ErrorCode::bad_option, fmt::format("share of wins {}; expected a number from 0 to 1", share));
  if (share == 0.5) return kInfinity;
  const double root = normal_quantile(1 - level / 2) / 2 + normal_quantile(power) * std::sqrt(share * (1 - share));
  const double needed = std::ceil(std::pow(std::max(0.0, root) / (share - 0.5), 2));
  return std::max(needed, std::ceil(1 - std::log2(level)));  // fewer are never significant
}

InterleavingResult analyse_interleaving(std::span<const double> credits, const EvaluateOptions& options, double level) {
  if (credits.empty()) throw Error(ErrorCode::bad_input, "no sessions; expected some to analyse");
  for (const double credit : credits)
    if (!std::isfinite(credit))
      throw Error(ErrorCode::bad_input, fmt::format("the credit of a session is {}; expected a finite number", credit));
  InterleavingResult result;
  result.test = compare(credits, std::vector<double>(credits.size(), 0.0), options);
  const double wins = real(result.test.wins), ties = real(result.test.ties);
  const std::uint64_t decided = result.test.wins + result.test.losses;
  result.preference = (wins + ties / 2) / real(credits.size()) - 0.5;
  result.share = decided > 0 ? wins / real(decided) : kNaN;
  result.power = decided > 0 ? sign_test_power(real(decided), result.share, level) : 0;
  result.sessions_needed =
      decided > 0
          ? std::ceil(decided_sessions_needed(result.share, kAskedPower, level) * real(credits.size()) / real(decided))
          : kInfinity;
  return result;
}

}  // namespace dorm
