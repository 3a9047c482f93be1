// SPDX-License-Identifier: Apache-2.0
// Lists under topic budgets: assignment first, then the integer program, then rounding when time runs out.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "base/stopwatch.h"
#include "base/validate.h"
#include "dorm/error.h"
#include "dorm/learning/assignment.h"
#include "ranking/topics/topic_program.h"

namespace dorm {
namespace {

using List = std::vector<std::uint32_t>;
constexpr double kRounding = 1e-9;

double most_of(double limit) { return limit + kRounding * std::max(limit, kRounding); }

void require(bool holds, const std::string& message) {
  if (!holds) throw Error(ErrorCode::bad_input, message);
}

double objective_of(std::span<const double> values, std::size_t positions, const List& list) {
  double sum = 0;
  for (std::size_t j = 0; j < list.size(); ++j) sum += values[list[j] * positions + j];
  return sum;
}

// The best order of these documents, as many as there are positions or more: an assignment.
List placed(std::span<const double> values, std::size_t positions, const List& documents) {
  std::vector<double> matrix;
  for (const std::uint32_t i : documents)
    matrix.insert(matrix.end(), values.begin() + static_cast<std::ptrdiff_t>(i * positions),
                  values.begin() + static_cast<std::ptrdiff_t>((i + 1) * positions));
  const Assignment best = assign(matrix, documents.size(), positions, Sense::maximize);
  List list(positions);
  for (std::size_t k = 0; k < documents.size(); ++k)
    if (best.column_of_row[k] != kUnassigned) list[best.column_of_row[k]] = documents[k];
  return list;
}

List all_documents(std::size_t count) {
  List documents(count);
  std::iota(documents.begin(), documents.end(), 0u);
  return documents;
}

// Takes documents by decreasing preference while the budgets allow it; nothing when fewer than n fit.
std::optional<List> filled(std::size_t positions, const TopicBudget& budget, const std::vector<double>& preference) {
  List order = all_documents(budget.documents);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t i, std::uint32_t k) { return preference[i] > preference[k]; });
  std::vector<double> left;
  for (const double limit : budget.table.limits) left.push_back(most_of(limit));
  List chosen;
  for (const std::uint32_t i : order) {
    const auto shares = budget.shares(i);
    if (chosen.size() == positions) break;
    if (std::any_of(shares.begin(), shares.end(),
                    [&](const TopicShare& share) { return share.weight > left[share.topic]; }))
      continue;
    for (const TopicShare& share : shares) left[share.topic] -= share.weight;
    chosen.push_back(i);
  }
  if (chosen.size() < positions || !keeps_limits(chosen, budget)) return std::nullopt;
  return chosen;
}

std::vector<double> best_values(std::span<const double> values, std::size_t positions) {
  std::vector<double> best;
  for (std::size_t i = 0; i * positions < values.size(); ++i) {
    const auto row = values.subspan(i * positions, positions);
    best.push_back(*std::max_element(row.begin(), row.end()));
  }
  return best;
}

// Documents that take the smallest share of their scarcest topic first.
std::vector<double> frugality(const TopicBudget& budget) {
  std::vector<double> preference(budget.documents, 0.0);
  for (std::size_t i = 0; i < budget.documents; ++i)
    for (const TopicShare& share : budget.shares(i))
      preference[i] = std::min(preference[i], -share.weight / std::max(budget.table.limits[share.topic], 1e-300));
  return preference;
}

// The documents of a whole solution.
List chosen_by(const std::vector<double>& taken) {
  List chosen;
  for (std::uint32_t i = 0; i < taken.size(); ++i)
    if (taken[i] > 0.5) chosen.push_back(i);
  return chosen;
}

/// One problem and the best answer so far.
class Search {
 public:
  Search(std::span<const double> values, std::size_t positions, const TopicBudget& budget, double seconds)
      : values_(values), positions_(positions), budget_(budget), seconds_(seconds) {
    best_.status = TopicStatus::nothing_found;
    best_.objective = -std::numeric_limits<double>::infinity();
  }

  TopicList run() {
    const List free = placed(values_, positions_, all_documents(budget_.documents));
    best_.bound = objective_of(values_, positions_, free);
    if (offer(free)) return finish(TopicStatus::optimal);
    TopicProgram program(values_, positions_, budget_);
    for (;;) {
      const ProgramSolution solution = solve_program(program.program(), seconds_left());
      if (solution.status == ProgramStatus::infeasible) return finish(TopicStatus::infeasible);
      best_.bound = std::min(best_.bound, program.value_of(solution.bound));
      const List chosen = solution.values.empty() ? List() : chosen_by(program.taken(solution.values));
      const bool kept = !chosen.empty() && offer(placed(values_, positions_, chosen));
      if (solution.status == ProgramStatus::limit_reached) return round(program, solution);
      if (kept) return finish(TopicStatus::optimal);
      program.exclude(chosen);
    }
  }

 private:
  // Keeps the list if it is allowed and better than the best so far; returns whether it is allowed.
  bool offer(const List& list) {
    if (!keeps_limits(list, budget_)) return false;
    const double objective = objective_of(values_, positions_, list);
    if (objective > best_.objective) best_.objective = objective, best_.documents = list;
    return true;
  }

  TopicList round(const TopicProgram& program, const ProgramSolution& solution) {
    for (const std::vector<double>& preference :
         {program.taken(solution.relaxed), best_values(values_, positions_), frugality(budget_)})
      if (const std::optional<List> chosen = filled(positions_, budget_, preference))
        offer(placed(values_, positions_, *chosen));
    if (best_.documents.empty()) return finish(TopicStatus::nothing_found);
    const double open = best_.bound - best_.objective;
    const bool proven = open <= kRounding * std::max(std::abs(best_.bound), std::abs(best_.objective));
    return finish(proven ? TopicStatus::optimal : TopicStatus::limit_reached);
  }

  TopicList finish(TopicStatus status) {
    best_.status = status;
    if (status == TopicStatus::optimal) best_.bound = best_.objective;
    if (best_.documents.empty()) best_.objective = 0;
    if (status == TopicStatus::infeasible) best_.bound = 0;
    best_.bound = std::max(best_.bound, best_.objective);
    return best_;
  }

  double seconds_left() const {
    if (seconds_ == 0) return 0;
    return std::max(1e-9, seconds_ - watch_.seconds());
  }

  std::span<const double> values_;
  std::size_t positions_;
  const TopicBudget& budget_;
  double seconds_;
  Stopwatch watch_;
  TopicList best_;
};

void check(std::span<const double> values, std::size_t positions, const TopicBudget& budget) {
  require(budget.first_document + budget.documents <= budget.table.num_documents(),
          fmt::format("topics of {} documents for a query that ends at document {}", budget.table.num_documents(),
                      budget.first_document + budget.documents));
  require(positions > 0 && positions <= budget.documents,
          fmt::format("a list of {} of {} documents; expected 1 to {}", positions, budget.documents, budget.documents));
  require(values.size() == positions * budget.documents,
          fmt::format("{} values for {} documents and {} positions", values.size(), budget.documents, positions));
}

}  // namespace

double TopicList::gap() const {
  const double size = std::max(std::abs(bound), std::abs(objective));
  return size > 0 ? (bound - objective) / size : 0;
}

void TopicOptions::validate() const {
  require(std::isfinite(seconds) && seconds >= 0, "time limit of a list", seconds, "seconds, 0 for none");
}

std::string topic_status_name(TopicStatus status) {
  switch (status) {
    case TopicStatus::optimal:
      return "optimal";
    case TopicStatus::limit_reached:
      return "limit_reached";
    case TopicStatus::infeasible:
      return "infeasible";
    case TopicStatus::nothing_found:
      break;
  }
  return "nothing_found";
}

void validate(const TopicTable& table) {
  require(table.names.size() == table.limits.size(),
          fmt::format("{} limits for {} topics", table.limits.size(), table.names.size()));
  for (std::size_t t = 0; t < table.limits.size(); ++t)
    require(std::isfinite(table.limits[t]) && table.limits[t] >= 0,
            fmt::format("the limit of topic {} is {}; expected a number that is not negative", table.names[t],
                        table.limits[t]));
  require(!table.first.empty() && table.first.front() == 0 && table.first.back() == table.shares.size() &&
              std::is_sorted(table.first.begin(), table.first.end()),
          "topic shares do not fit the documents");
  for (std::size_t d = 0; d < table.num_documents(); ++d)
    for (std::size_t k = table.first[d]; k < table.first[d + 1]; ++k) {
      const TopicShare& share = table.shares[k];
      require(share.topic < table.names.size(),
              fmt::format("document {} has topic number {} of {}", d, share.topic, table.names.size()));
      require(k == table.first[d] || table.shares[k - 1].topic < share.topic,
              fmt::format("document {} has topic {} twice or out of order", d, table.names[share.topic]));
      require(std::isfinite(share.weight) && share.weight >= 0,
              fmt::format("document {} has weight {} in topic {}; expected a number that is not negative", d,
                          share.weight, table.names[share.topic]));
    }
}

bool keeps_limits(std::span<const std::uint32_t> list, const TopicBudget& budget) {
  std::vector<double> used(budget.table.limits.size(), 0.0);
  for (const std::uint32_t i : list)
    for (const TopicShare& share : budget.shares(i)) used[share.topic] += share.weight;
  for (std::size_t t = 0; t < used.size(); ++t)
    if (used[t] > most_of(budget.table.limits[t])) return false;
  return true;
}

std::string explain_infeasible(std::size_t positions, const TopicBudget& budget) {
  const TopicTable& table = budget.table;
  for (std::size_t t = 0; t < table.limits.size(); ++t) {
    std::vector<double> weights(budget.documents, 0.0);
    for (std::size_t i = 0; i < budget.documents; ++i)
      for (const TopicShare& share : budget.shares(i))
        if (share.topic == t) weights[i] = share.weight;
    std::sort(weights.begin(), weights.end());
    const double least =
        std::accumulate(weights.begin(), weights.begin() + static_cast<std::ptrdiff_t>(positions), 0.0);
    if (least > most_of(table.limits[t]))
      return fmt::format(
          "no list of {} of its {} documents keeps the limits: any takes at least {} of topic {}, whose "
          "limit is {}; raise that limit or ask for fewer documents",
          positions, budget.documents, least, table.names[t], table.limits[t]);
  }
  return fmt::format(
      "no list of {} of its {} documents keeps the limits of all topics together; raise limits or ask for "
      "fewer documents",
      positions, budget.documents);
}

TopicList solve_topics(std::span<const double> values, std::size_t positions, const TopicBudget& budget,
                       const TopicOptions& options) {
  options.validate();
  check(values, positions, budget);
  return Search(values, positions, budget, options.seconds).run();
}

std::string topic_solver() { return program_solver(); }

bool topic_solver_in_threads() { return program_solver_in_threads(); }

}  // namespace dorm
