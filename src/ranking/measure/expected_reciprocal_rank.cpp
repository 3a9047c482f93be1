// SPDX-License-Identifier: Apache-2.0
// Expected reciprocal rank: a user reads down and stops at document i with probability R_i = (2^label_i - 1) /
// 2^max_grade; ERR is the mean of 1 / (rank where she stops), 0 if she never does.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/numeric.h"
#include "dorm/error.h"
#include "ranking/measure/parts.h"

namespace dorm {
namespace {

// The mean over all subsets of j documents of the product of x = 1 - R, for j = 0, 1, ..., most. Adding one document to
// m others: Q'_j = ((m + 1 - j) Q_j + j x Q_(j-1)) / (m + 1). By Maclaurin's inequality Q_j is at most (mean x)^j;
// entries below 1e-18 are left out.
std::vector<double> mean_products(const std::vector<double>& stop, std::size_t most) {
  const double mean_stop = std::accumulate(stop.begin(), stop.end(), 0.0) / real(stop.size());
  const double needed = std::ceil(-41.5 / std::log1p(-mean_stop));
  const auto last = static_cast<std::size_t>(std::min(needed, real(std::min(stop.size(), most))));
  std::vector<double> q(last + 1, 0.0);
  q[0] = 1;
  for (std::size_t m = 0; m < stop.size(); ++m) {
    const double total = real(m + 1);
    for (std::size_t j = std::min(m + 1, last); j > 0; --j) {
      const double taken = real(j);
      q[j] = ((total - taken) * q[j] + taken * (1 - stop[m]) * q[j - 1]) / total;
    }
  }
  return q;
}

// Contribution of a block whose first position is `begin`, for a user who reaches it: `size` documents, of which those
// with a stopping probability are in `stop`; positions from `limit` on do not count. With j stoppers met, the next
// position holds another with probability (stoppers - j) / (documents left), and she stops there with probability Q_j -
// Q_(j+1) in all. O(positions * entries of Q).
double block_value(const std::vector<double>& stop, std::size_t size, std::size_t begin, std::size_t limit) {
  const std::vector<double> q = mean_products(stop, std::min(size, limit - begin));
  const double stoppers = real(stop.size());
  std::vector<double> met(q.size(), 0.0);  // probability that j stoppers were met
  met[0] = 1;
  double sum = 0;
  for (std::size_t offset = 0; offset < size && begin + offset < limit; ++offset) {
    const double left = real(size - offset);
    double stops_here = 0;
    for (std::size_t j = std::min(offset, q.size() - 1) + 1; j-- > 0;) {
      const double next = met[j] * (stoppers - real(j)) / left;
      met[j] -= next;
      if (j + 1 == q.size()) continue;  // she has stopped long before
      met[j + 1] += next;
      stops_here += next * (q[j] - q[j + 1]);
    }
    sum += stops_here / real(begin + offset + 1);
  }
  return sum;
}

class ExpectedReciprocalRank final : public NamedMeasure<Measure> {
 public:
  ExpectedReciprocalRank(const MeasureSpec& spec, const Convention& convention)
      : NamedMeasure(spec, convention), max_grade_(spec.number("max_grade", 4)) {
    if (!(max_grade_ > 0 && max_grade_ <= 1000))
      throw Error(ErrorCode::bad_option, fmt::format("measure \"{}\": max_grade {}; expected above 0, at most 1000",
                                                     spec.spelling(), max_grade_));
  }

  bool normalised() const override { return true; }

  std::optional<double> expected(Labels labels, const TiedRanking& ranking) const override {
    if (std::none_of(labels.begin(), labels.end(), [](float label) { return label > 0; })) return std::nullopt;
    double reaches = 1, sum = 0;
    std::vector<double> stop;
    for_each_block(ranking, [&](std::size_t begin, std::size_t end) {
      if (begin >= cutoff_ || reaches == 0) return;
      stop.clear();
      for (std::size_t j = begin; j < end; ++j)
        if (const double r = stopping(labels[ranking.documents[j]]); r > 0) stop.push_back(r);
      if (stop.empty()) return;
      sum +=
          end - begin == 1 ? reaches * stop[0] / real(end) : reaches * block_value(stop, end - begin, begin, cutoff_);
      for (double r : stop) reaches *= 1 - r;
    });
    return sum;
  }

 private:
  double stopping(float label) const {
    if (label <= 0) return 0;
    if (static_cast<double>(label) > max_grade_)
      throw Error(ErrorCode::bad_input,
                  fmt::format("label {} is above the highest grade {} of {}; say {}{}max_grade={}", label, max_grade_,
                              name(), name(), name().find(':') == std::string::npos ? ":" : ",", std::ceil(label)));
    return (std::exp2(static_cast<double>(label)) - 1) / std::exp2(max_grade_);
  }

  double max_grade_;
};

}  // namespace

MeasurePtr expected_reciprocal_rank(const MeasureSpec& spec, const Convention& convention) {
  spec.accept(MeasureSpec::Cutoff::optional, {"max_grade"});
  return std::make_unique<ExpectedReciprocalRank>(spec, convention);
}

}  // namespace dorm
