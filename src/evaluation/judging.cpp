// SPDX-License-Identifier: Apache-2.0
#include "dorm/evaluation/judging.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/numeric.h"
#include "dorm/evaluation/run_evaluation.h"
#include "evaluation/agreement.h"

namespace dorm {
namespace {

using LabelsOfQuery = std::unordered_map<std::string_view, float>;

std::unordered_map<std::string_view, LabelsOfQuery> labels_of(std::span<const Judgment> judgments) {
  std::unordered_map<std::string_view, LabelsOfQuery> labels;
  for (const Judgment& judgment : judgments) labels[judgment.query].emplace(judgment.document, judgment.label);
  return labels;
}

std::vector<double> means_of(std::span<const Judgment> judgments, const RunSource& run,
                             std::span<const std::string> measures, EvaluateOptions options) {
  options.bootstrap = 0;
  RunEvaluation evaluation(judgments, measures, options);
  run(evaluation);
  std::vector<double> means;
  for (const MeasureResult& result : evaluation.table().measures) means.push_back(result.mean);
  return means;
}

std::vector<std::string> over_judged(std::span<const std::string> measures, const EvaluateOptions& options) {
  std::vector<std::string> names;
  for (const std::string& measure : measures) {
    const std::string name = make_measure(measure, convention_of(options))->name();
    names.push_back(fmt::format("{}{}judged_only=yes", name, name.find(':') == std::string::npos ? ':' : ','));
  }
  return names;
}

}  // namespace

Coverage coverage_of(std::span<const Judgment> judgments, const RunSource& run, std::span<const std::size_t> cutoffs,
                     std::span<const std::string> measures, const EvaluateOptions& options) {
  const auto labels = labels_of(judgments);
  std::vector<std::string_view> queries;
  for (const auto& [query, own] : labels) queries.push_back(query);
  EvaluateOptions in_order = options;
  in_order.ties = "document_id";
  TopOfRun top(*std::max_element(cutoffs.begin(), cutoffs.end()), in_order, queries);
  run(top);
  float best = 0;
  for (const Judgment& judgment : judgments) best = std::max(best, judgment.label);
  std::vector<Judgment> good;
  std::set<std::pair<std::string_view, std::string_view>> open;
  for (const auto& [query, own] : labels)
    for (const std::string& document : top.of(query)) {
      const auto found = own.find(document);
      if (found != own.end() && found->second >= 0) continue;
      open.insert({query, document});
    }
  for (const Judgment& judgment : judgments)
    if (judgment.label >= 0 || !open.contains({judgment.query, judgment.document})) good.push_back(judgment);
  for (const auto& [query, document] : open) good.push_back({std::string(query), std::string(document), best});

  // One reading for all that the judgments as they are say.
  std::vector<std::string> names;
  for (const std::size_t cutoff : cutoffs) names.push_back(fmt::format("judged@{}", cutoff));
  names.insert(names.end(), measures.begin(), measures.end());
  for (std::string& name : over_judged(measures, options)) names.push_back(std::move(name));
  const std::vector<double> as_is = means_of(judgments, run, names, options);
  const std::vector<double> as_good = means_of(good, run, measures, options);
  Coverage coverage{{as_is.begin(), as_is.begin() + static_cast<std::ptrdiff_t>(cutoffs.size())}, open.size(), {}};
  for (std::size_t m = 0; m < measures.size(); ++m)
    coverage.figures.push_back({as_is[cutoffs.size() + m], as_is[cutoffs.size() + measures.size() + m], as_good[m]});
  return coverage;
}

JudgmentAgreement agreement_of(std::span<const Judgment> first, std::span<const Judgment> second) {
  const auto of_first = labels_of(first);
  JudgmentAgreement result;
  std::vector<std::pair<float, float>> labels, relevant;
  for (const Judgment& judgment : second) {
    const auto query = of_first.find(judgment.query);
    const bool known = query != of_first.end() && query->second.contains(judgment.document);
    if (!known) {
      ++result.only_second;
      continue;
    }
    const float other = query->second.at(judgment.document);
    labels.emplace_back(other, judgment.label);
    relevant.emplace_back(other > 0 ? 1.0f : 0.0f, judgment.label > 0 ? 1.0f : 0.0f);
  }
  result.both = labels.size();
  result.only_first = first.size() - labels.size();
  const auto same =
      std::count_if(labels.begin(), labels.end(), [](const auto& pair) { return pair.first == pair.second; });
  result.equal = labels.empty() ? kNaN : real(same) / real(labels.size());
  result.kappa = cohen_kappa(relevant, false);
  result.weighted_kappa = cohen_kappa(labels, true);
  result.alpha = krippendorff_alpha(labels);
  return result;
}

std::optional<double> rank_correlation(std::span<const double> a, std::span<const double> b) {
  double agree = 0, of_a = 0, of_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const double x = a[i] == a[j] ? 0 : a[i] > a[j] ? 1 : -1, y = b[i] == b[j] ? 0 : b[i] > b[j] ? 1 : -1;
      agree += x * y;
      of_a += x * x;
      of_b += y * y;
    }
  if (of_a == 0 || of_b == 0) return std::nullopt;
  return agree / std::sqrt(of_a * of_b);
}

}  // namespace dorm
