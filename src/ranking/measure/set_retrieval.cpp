// SPDX-License-Identifier: Apache-2.0
// What was retrieved as a set, whatever its order: precision, recall and their F measure.
#include <fmt/format.h>

#include <algorithm>

#include "base/numeric.h"
#include "dorm/error.h"
#include "ranking/measure/parts.h"

namespace dorm {
namespace {

// (1 + beta^2) P R / (beta^2 P + R) is found (1 + beta^2) / (beta^2 relevant + retrieved): P for beta = 0, R for
// an infinite one.
class SetRetrieval final : public NamedMeasure<Measure> {
 public:
  SetRetrieval(const MeasureSpec& spec, const Convention& convention, double precision_share)
      : NamedMeasure(spec, convention), precision_share_(precision_share) {}

  std::optional<double> expected(Labels labels, const TiedRanking& ranking) const override {
    const auto [is_relevant, relevant] = found_relevant(convention_, labels, ranking);
    if (relevant == 0) return std::nullopt;
    std::size_t found = 0;
    for (std::uint32_t i : ranking.documents) found += is_relevant(labels[i]);
    if (found == 0) return 0;
    return real(found) / (precision_share_ * real(ranking.documents.size()) + (1 - precision_share_) * relevant);
  }

 private:
  double precision_share_;  // 1 / (1 + beta^2)
};

// The same of the first n positions, of which a short list leaves some empty.
class RetrievalAtCutoff final : public NamedMeasure<Measure> {
 public:
  RetrievalAtCutoff(const MeasureSpec& spec, const Convention& convention, double precision_share)
      : NamedMeasure(spec, convention), precision_share_(precision_share) {}

  std::optional<double> expected(Labels labels, const TiedRanking& ranking) const override {
    const auto [is_relevant, relevant] = found_relevant(convention_, labels, ranking);
    if (relevant == 0) return std::nullopt;
    double found = 0;
    for_each_block(ranking, [&, &relevant_one = is_relevant](std::size_t begin, std::size_t end) {
      if (begin >= cutoff_) return;
      double r = 0;
      for (std::size_t j = begin; j < end; ++j) r += relevant_one(labels[ranking.documents[j]]) ? 1 : 0;
      found += r * real(std::min(end, cutoff_) - begin) / real(end - begin);
    });
    return found / (precision_share_ * real(cutoff_) + (1 - precision_share_) * relevant);
  }

 private:
  double precision_share_;
};

/// Precision times recall, or precision over the best of a list of that length.
class SetProduct final : public NamedMeasure<Measure> {
 public:
  SetProduct(const MeasureSpec& spec, const Convention& convention, bool relative)
      : NamedMeasure(spec, convention), relative_(relative) {}

  std::optional<double> expected(Labels labels, const TiedRanking& ranking) const override {
    const auto [is_relevant, relevant] = found_relevant(convention_, labels, ranking);
    if (relevant == 0) return std::nullopt;
    double found = 0;
    for (std::uint32_t i : ranking.documents) found += is_relevant(labels[i]) ? 1 : 0;
    if (found == 0) return 0;
    const double retrieved = real(ranking.documents.size());
    return relative_ ? found / std::min(retrieved, relevant) : found * found / (retrieved * relevant);
  }

 private:
  bool relative_;
};

double beta_of(const MeasureSpec& spec) {
  const double beta = spec.number("beta", 1);
  if (!(beta >= 0))
    throw Error(ErrorCode::bad_option,
                fmt::format("measure \"{}\": beta {}; expected a number not below 0", spec.spelling(), beta));
  return beta;
}

MeasurePtr make_set_measure(const MeasureSpec& spec, const Convention& convention, double precision_share) {
  return std::make_unique<SetRetrieval>(spec, with_relevance_parameter(spec, convention), precision_share);
}

}  // namespace

MeasurePtr set_precision(const MeasureSpec& spec, const Convention& convention) {
  spec.accept(MeasureSpec::Cutoff::none, {"rel"});
  return make_set_measure(spec, convention, 1);
}

MeasurePtr set_recall(const MeasureSpec& spec, const Convention& convention) {
  spec.accept(MeasureSpec::Cutoff::none, {"rel"});
  return make_set_measure(spec, convention, 0);
}

MeasurePtr set_f(const MeasureSpec& spec, const Convention& convention) {
  spec.accept(MeasureSpec::Cutoff::none, {"beta", "rel"});
  const double beta = beta_of(spec);
  return make_set_measure(spec, convention, 1 / (1 + beta * beta));
}

MeasurePtr f_at_cutoff(const MeasureSpec& spec, const Convention& convention) {
  spec.accept(MeasureSpec::Cutoff::required, {"beta", "rel"});
  const double beta = beta_of(spec);
  return std::make_unique<RetrievalAtCutoff>(spec, with_relevance_parameter(spec, convention), 1 / (1 + beta * beta));
}

MeasurePtr set_average_precision(const MeasureSpec& spec, const Convention& convention) {
  spec.accept(MeasureSpec::Cutoff::none, {"rel"});
  return std::make_unique<SetProduct>(spec, with_relevance_parameter(spec, convention), false);
}

MeasurePtr set_relative_precision(const MeasureSpec& spec, const Convention& convention) {
  spec.accept(MeasureSpec::Cutoff::none, {"rel"});
  return std::make_unique<SetProduct>(spec, with_relevance_parameter(spec, convention), true);
}

}  // namespace dorm
