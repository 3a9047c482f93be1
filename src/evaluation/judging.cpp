// SPDX-License-Identifier: Apache-2.0
#include "dorm/evaluation/judging.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/numeric.h"
#include "evaluation/agreement.h"

namespace dorm {
namespace {

using LabelsOfQuery = std::unordered_map<std::string_view, float>;

std::unordered_map<std::string_view, LabelsOfQuery> labels_of(std::span<const Judgment> judgments) {
  std::unordered_map<std::string_view, LabelsOfQuery> labels;
  for (const Judgment& judgment : judgments) labels[judgment.query].emplace(judgment.document, judgment.label);
  return labels;
}

// The first `depth` documents of each query of the run that have no judgment, as trec_eval orders them.
std::vector<const RunEntry*> unjudged_of(std::span<const Judgment> judgments, std::span<const RunEntry> run,
                                         std::size_t depth) {
  const auto labels = labels_of(judgments);
  std::map<std::string_view, std::vector<const RunEntry*>> queries;
  for (const RunEntry& entry : run)
    if (labels.contains(entry.query)) queries[entry.query].push_back(&entry);
  std::vector<const RunEntry*> unjudged;
  for (auto& [query, entries] : queries) {
    std::sort(entries.begin(), entries.end(), [](const RunEntry* a, const RunEntry* b) {
      return a->score != b->score ? a->score > b->score : a->document > b->document;
    });
    if (depth < entries.size()) entries.resize(depth);
    for (const RunEntry* entry : entries) {
      const LabelsOfQuery& judged = labels.at(query);
      const auto found = judged.find(entry->document);
      if (found == judged.end() || found->second < 0) unjudged.push_back(entry);
    }
  }
  return unjudged;
}

std::vector<double> means_of(std::span<const Judgment> judgments, std::span<const RunEntry> run,
                             std::span<const std::string> measures, EvaluateOptions options) {
  options.bootstrap = 0;
  std::vector<double> means;
  for (const MeasureResult& result : evaluate_run(judgments, run, measures, options).measures)
    means.push_back(result.mean);
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

Coverage coverage_of(std::span<const Judgment> judgments, std::span<const RunEntry> run,
                     std::span<const std::size_t> cutoffs, std::span<const std::string> measures,
                     const EvaluateOptions& options) {
  std::vector<std::string> shares;
  for (const std::size_t cutoff : cutoffs) shares.push_back(fmt::format("judged@{}", cutoff));
  const std::size_t depth = *std::max_element(cutoffs.begin(), cutoffs.end());
  const std::vector<const RunEntry*> unjudged = unjudged_of(judgments, run, depth);
  float best = 0;
  for (const Judgment& judgment : judgments) best = std::max(best, judgment.label);
  std::vector<Judgment> good(judgments.begin(), judgments.end());
  const std::set<std::pair<std::string_view, std::string_view>> open = [&] {
    std::set<std::pair<std::string_view, std::string_view>> result;
    for (const RunEntry* entry : unjudged) result.insert({entry->query, entry->document});
    return result;
  }();
  std::erase_if(good, [&](const Judgment& judgment) {
    return judgment.label < 0 && open.contains({judgment.query, judgment.document});
  });
  for (const RunEntry* entry : unjudged) good.push_back({entry->query, entry->document, best});

  Coverage coverage{means_of(judgments, run, shares, options), unjudged.size(), {}};
  const std::vector<double> as_bad = means_of(judgments, run, measures, options);
  const std::vector<double> without = means_of(judgments, run, over_judged(measures, options), options);
  const std::vector<double> as_good = means_of(good, run, measures, options);
  for (std::size_t m = 0; m < measures.size(); ++m) coverage.figures.push_back({as_bad[m], without[m], as_good[m]});
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
