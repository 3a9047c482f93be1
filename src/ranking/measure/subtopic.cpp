// SPDX-License-Identifier: Apache-2.0
// Diversity-aware measures. With J(d, i) = 1 when document d is relevant to subtopic i:
//   alpha-ndcg       sum_k [sum_i J(d_k, i) (1 - alpha)^(documents above with subtopic i)] / log2(1 + k),
//                    over the same sum of a greedy ideal ranking
//   ia-precision     the mean over subtopics of precision@n
//   subtopic-recall  the share of the subtopics that the first n documents cover
#include "ranking/measure/subtopic.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/numeric.h"
#include "dorm/error.h"
#include "dorm/measure.h"
#include "dorm/ranking/subtopics.h"

namespace dorm {
namespace {

class NamedSubtopicMeasure : public SubtopicMeasure {
 public:
  explicit NamedSubtopicMeasure(const MeasureSpec& spec) : cutoff_(spec.cutoff), name_(spec.spelling()) {}
  std::string name() const override { return name_; }

 protected:
  std::size_t cutoff_;

 private:
  std::string name_;
};

class AlphaNdcg final : public NamedSubtopicMeasure {
 public:
  AlphaNdcg(const MeasureSpec& spec, double alpha) : NamedSubtopicMeasure(spec), alpha_(alpha) {}

  std::optional<double> evaluate(const SubtopicCover& cover, std::span<const std::uint32_t> ranking) const override {
    if (cover.subtopics == 0) return std::nullopt;
    std::vector<double> worth(cover.subtopics, 1.0);
    double sum = 0;
    for (std::size_t j = 0; j < std::min(cutoff_, ranking.size()); ++j)
      sum += take(cover.of_document[ranking[j]], worth) * discount(j);
    return sum / ideal(cover);
  }

 private:
  double alpha_;

  static double discount(std::size_t position) { return 1 / std::log2(real(position) + 2); }

  // The gain of a document, given what each subtopic is still worth; lowers that worth.
  double take(const std::vector<std::uint32_t>& subtopics, std::vector<double>& worth) const {
    double gain = 0;
    for (std::uint32_t i : subtopics) {
      gain += worth[i];
      worth[i] *= 1 - alpha_;
    }
    return gain;
  }

  // The best ranking is hard to find; the usual substitute takes the largest gain at each position, and of equals the
  // first of cover.ideal_order.
  double ideal(const SubtopicCover& cover) const {
    std::vector<double> worth(cover.subtopics, 1.0);
    std::vector<std::uint32_t> open = cover.ideal_order;
    double sum = 0;
    for (std::size_t j = 0; j < cutoff_ && !open.empty(); ++j) {
      const auto gain = [&](std::uint32_t d) {
        double total = 0;
        for (std::uint32_t i : cover.of_document[d]) total += worth[i];
        return total;
      };
      const auto best = std::max_element(open.begin(), open.end(),
                                         [&](std::uint32_t x, std::uint32_t y) { return gain(x) < gain(y); });
      sum += take(cover.of_document[*best], worth) * discount(j);
      open.erase(best);
    }
    return sum;
  }
};

class IntentAwarePrecision final : public NamedSubtopicMeasure {
 public:
  using NamedSubtopicMeasure::NamedSubtopicMeasure;

  std::optional<double> evaluate(const SubtopicCover& cover, std::span<const std::uint32_t> ranking) const override {
    if (cover.subtopics == 0) return std::nullopt;
    std::size_t hits = 0;
    for (std::size_t j = 0; j < std::min(cutoff_, ranking.size()); ++j) hits += cover.of_document[ranking[j]].size();
    return real(hits) / real(cutoff_) / real(cover.subtopics);
  }
};

class SubtopicRecall final : public NamedSubtopicMeasure {
 public:
  using NamedSubtopicMeasure::NamedSubtopicMeasure;

  std::optional<double> evaluate(const SubtopicCover& cover, std::span<const std::uint32_t> ranking) const override {
    if (cover.subtopics == 0) return std::nullopt;
    std::vector<bool> covered(cover.subtopics, false);
    for (std::size_t j = 0; j < std::min(cutoff_, ranking.size()); ++j)
      for (std::uint32_t i : cover.of_document[ranking[j]]) covered[i] = true;
    return real(std::count(covered.begin(), covered.end(), true)) / real(cover.subtopics);
  }
};

}  // namespace

SubtopicMeasurePtr alpha_ndcg(const MeasureSpec& spec) {
  spec.accept(MeasureSpec::Cutoff::optional, {"alpha"});
  const double alpha = spec.number("alpha", 0.5);
  if (!(alpha >= 0 && alpha <= 1))
    throw Error(ErrorCode::bad_option,
                fmt::format("measure \"{}\": alpha {}; expected 0 to 1", spec.spelling(), alpha));
  return std::make_unique<AlphaNdcg>(spec, alpha);
}

SubtopicMeasurePtr intent_aware_precision(const MeasureSpec& spec) {
  spec.accept(MeasureSpec::Cutoff::required, {});
  return std::make_unique<IntentAwarePrecision>(spec);
}

SubtopicMeasurePtr subtopic_recall(const MeasureSpec& spec) {
  spec.accept(MeasureSpec::Cutoff::required, {});
  return std::make_unique<SubtopicRecall>(spec);
}

}  // namespace dorm
