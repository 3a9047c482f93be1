// SPDX-License-Identifier: Apache-2.0
// Lists under topic budgets: seconds per list against the number of documents. Prints one JSON object per instance,
// numbers included, so that run.py can have it solved by another program.
//   topics_bench DOCUMENTS POSITIONS TOPICS INSTANCES SECONDS
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/rng.h"
#include "dorm/learning/assignment.h"

namespace {

using dorm::Rng;

struct Instance {
  std::vector<double> values;
  dorm::TopicTable table;
};

// Scores and gains of a ranking problem, values c_j (g_i - b_i) or c_j g_i - a_j b_i; every document belongs to one to
// three topics with weights in tenths, and a list may take what n average ones would.
Instance make(std::size_t documents, std::size_t positions, std::size_t topics, Rng& rng) {
  Instance out;
  out.table.first = {0};
  std::vector<double> total(topics, 0.0);
  for (std::size_t i = 0; i < documents; ++i) {
    const double gain = std::floor(5 * std::pow(rng.uniform(), 3));
    const double score = 0.3 * gain + rng.normal();
    for (std::size_t j = 0; j < positions; ++j) {
      const double rank = static_cast<double>(j) + 1;
      out.values.push_back(score / std::sqrt(rank + 1) - 0.1 * gain / std::log2(rank + 1));
    }
    std::vector<double> weight(topics, 0.0);
    for (std::size_t k = 0; k <= rng.below(3); ++k)
      weight[rng.below(topics)] = 0.1 * static_cast<double>(1 + rng.below(10));
    for (std::uint32_t t = 0; t < topics; ++t) {
      total[t] += weight[t];
      if (weight[t] > 0) out.table.shares.push_back({t, weight[t]});
    }
    out.table.first.push_back(out.table.shares.size());
  }
  for (std::size_t t = 0; t < topics; ++t) {
    out.table.names.push_back(fmt::format("t{}", t));
    out.table.limits.push_back(total[t] * static_cast<double>(positions) / static_cast<double>(documents));
  }
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) return 2;
  const auto number = [argv](int i) { return static_cast<std::size_t>(std::atoi(argv[i])); };
  const std::size_t documents = number(1), topics = number(3);
  const std::size_t positions = std::min(number(2), documents / 2);  // a shorter list leaves a choice
  Rng rng(1);
  for (std::size_t repeat = 0; repeat < number(4); ++repeat) {
    const Instance instance = make(documents, positions, topics, rng);
    const dorm::TopicBudget budget{instance.table, 0, documents};
    const auto began = std::chrono::steady_clock::now();
    const dorm::TopicList list = dorm::solve_topics(instance.values, positions, budget, {std::atof(argv[5])});
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - began;
    nlohmann::json shares = nlohmann::json::array();
    for (std::size_t i = 0; i < documents; ++i)
      for (const dorm::TopicShare& share : budget.shares(i)) shares.push_back({i, share.topic, share.weight});
    const nlohmann::json line = {{"seconds", spent.count()},
                                 {"status", dorm::topic_status_name(list.status)},
                                 {"objective", list.objective},
                                 {"bound", list.bound},
                                 {"gap", list.gap()},
                                 {"values", instance.values},
                                 {"shares", shares},
                                 {"limits", instance.table.limits}};
    fmt::print("{}\n", line.dump());
  }
}
