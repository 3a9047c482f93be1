// SPDX-License-Identifier: Apache-2.0
// One trial of the experiment with joint kernels: every learner, its parameter chosen on held-out training ratings,
// judged on what was never known.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dorm/recommend/factorize.h"
#include "lab/compare/cell_store.h"
#include "lab/experiment/eru_trial.h"

namespace dorm {

inline constexpr std::size_t kEruUsers = 100, kEruItems = 800;

struct MovieData {
  Ratings ratings;
  SideFeatures user_features, item_features;
};

/// What users and items are compared by; identity always belongs to it.
enum class EruKernels { demographics_and_ratings, ratings_and_genres, everything };

/// The learners, in the order of records; their parameters are chosen from a grid.
struct EruLearner {
  std::string_view name;
  std::vector<double> grid;
};
std::vector<EruLearner> eru_learners();
std::span<const std::string> eru_measures();  // learners are judged by all of them

struct EruCell {
  Unseen unseen;
  EruKernels kernels;
  std::size_t trial;
};

std::string key_of(const EruCell& cell, std::uint64_t seed);

/// In the record, `valid` has the validation values of the grid of each learner, and `test` the values by learner and
/// measure, one per user: NaN where nothing was ranked for him. Nothing when `wanted` says no.
std::optional<CellRecord> run_eru_cell(const EruCell& cell, const MovieData& data, std::uint64_t seed,
                                       const std::function<bool()>& wanted);

/// Whether a record can be that of a cell over ratings of so many users.
bool record_fits(const CellRecord& record, std::size_t users);

double mean_of_numbers(std::span<const double> values);  // NaN left out

}  // namespace dorm
