// SPDX-License-Identifier: Apache-2.0
#include "ranking/topics/topic_program.h"

#include <algorithm>
#include <limits>
#include <map>

#include "base/numeric.h"

namespace dorm {
namespace {

// The objective spans this much, so that the solver's absolute tolerances (1e-7) are small against it.
constexpr double kObjectiveSpan = 1000;

// Documents that take the same of every topic, as lists of document numbers.
std::vector<std::vector<std::uint32_t>> equal_profiles(const TopicBudget& budget) {
  std::map<std::vector<std::pair<std::uint32_t, double>>, std::vector<std::uint32_t>> by_profile;
  for (std::uint32_t i = 0; i < budget.documents; ++i) {
    std::vector<std::pair<std::uint32_t, double>> profile;
    for (const TopicShare& share : budget.shares(i))
      if (share.weight > 0) profile.emplace_back(share.topic, share.weight);
    by_profile[profile].push_back(i);
  }
  std::vector<std::vector<std::uint32_t>> groups;
  for (auto& [profile, documents] : by_profile) groups.push_back(std::move(documents));
  return groups;
}

void add(ProgramRow& row, std::size_t column, double value) {
  row.columns.push_back(static_cast<int>(column));
  row.values.push_back(value);
}

}  // namespace

TopicProgram::TopicProgram(std::span<const double> values, std::size_t positions, const TopicBudget& budget)
    : budget_(budget), positions_(positions) {
  choose_cells(values);
  set_objective(values);
  add_assignment_rows();
  add_topic_rows();
}

// Among documents of one profile only the n most valuable at a position can be needed there: a list that puts another
// one there leaves one of those n out, and exchanging the two changes no topic.
void TopicProgram::choose_cells(std::span<const double> values) {
  for (std::vector<std::uint32_t>& group : equal_profiles(budget_)) {
    const std::size_t kept = std::min(positions_, group.size());
    for (std::uint32_t j = 0; j < positions_; ++j) {
      const auto better = [&](std::uint32_t i, std::uint32_t k) {
        const double x = values[i * positions_ + j], y = values[k * positions_ + j];
        return x > y || (x == y && i < k);
      };
      std::partial_sort(group.begin(), group.begin() + static_cast<std::ptrdiff_t>(kept), group.end(), better);
      for (std::size_t k = 0; k < kept; ++k) cells_.push_back({group[k], j});
    }
  }
  variable_of_.assign(budget_.documents, kNone);
  for (const Cell& cell : cells_) variable_of_[cell.document] = 0;
  for (std::uint32_t i = 0; i < budget_.documents; ++i) {
    if (variable_of_[i] == kNone) continue;
    variable_of_[i] = documents_.size();
    documents_.push_back(i);
  }
}

// Every position is filled once, so the best value at each may be taken off all of them.
void TopicProgram::set_objective(std::span<const double> values) {
  std::vector<double> best(positions_, -kInfinity);
  const auto value = [&](const Cell& cell) { return values[cell.document * positions_ + cell.position]; };
  for (const Cell& cell : cells_) best[cell.position] = std::max(best[cell.position], value(cell));
  double span = 0;
  for (const Cell& cell : cells_) span = std::max(span, best[cell.position] - value(cell));
  if (span > 0) scale_ = kObjectiveSpan / span;
  for (const double x : best) constant_ += x;
  program_.integers = documents_.size();
  program_.objective.assign(documents_.size(), 0.0);
  for (const Cell& cell : cells_) program_.objective.push_back(scale_ * (value(cell) - best[cell.position]));
}

void TopicProgram::add_assignment_rows() {
  std::vector<ProgramRow> by_position(positions_, {{}, {}, 1, 1});
  std::vector<ProgramRow> by_document(documents_.size(), {{}, {}, 0, 0});
  for (std::size_t y = 0; y < documents_.size(); ++y) add(by_document[y], y, -1);
  for (std::size_t k = 0; k < cells_.size(); ++k) {
    add(by_position[cells_[k].position], documents_.size() + k, 1);
    add(by_document[variable_of_[cells_[k].document]], documents_.size() + k, 1);
  }
  program_.rows = std::move(by_position);
  program_.rows.insert(program_.rows.end(), by_document.begin(), by_document.end());
}

// Weights are divided by the largest of their topic: the solver's tolerance is then relative to it.
void TopicProgram::add_topic_rows() {
  const std::vector<double>& limits = budget_.table.limits;
  std::vector<ProgramRow> rows(limits.size(), {{}, {}, -kInfinity, 0});
  std::vector<double> largest(limits.size(), 0.0);
  for (std::size_t y = 0; y < documents_.size(); ++y)
    for (const TopicShare& share : budget_.shares(documents_[y])) {
      if (share.weight == 0) continue;
      add(rows[share.topic], y, share.weight);
      largest[share.topic] = std::max(largest[share.topic], share.weight);
    }
  for (std::size_t t = 0; t < rows.size(); ++t) {
    if (rows[t].columns.empty() || largest[t] * real(positions_) <= limits[t]) continue;
    for (double& x : rows[t].values) x /= largest[t];
    rows[t].upper = limits[t] / largest[t];
    program_.rows.push_back(std::move(rows[t]));
  }
}

std::vector<double> TopicProgram::taken(std::span<const double> solution) const {
  std::vector<double> taken(budget_.documents, 0.0);
  for (std::size_t y = 0; y < documents_.size(); ++y) taken[documents_[y]] = solution[y];
  return taken;
}

void TopicProgram::exclude(std::span<const std::uint32_t> documents) {
  ProgramRow row{{}, {}, -kInfinity, real(documents.size()) - 1};
  for (const std::uint32_t i : documents) add(row, variable_of_[i], 1);
  program_.rows.push_back(std::move(row));
}

}  // namespace dorm
