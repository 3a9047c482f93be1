// SPDX-License-Identifier: Apache-2.0
// Expected rank utility with joint kernels: PRank, JRank and DORM with the same similarities, MovieLens-100K in the
// place of EachMovie.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dorm/read.h"
#include "lab/compare/run_cells.h"
#include "lab/experiment/data_sets.h"
#include "lab/experiment/eru_cell.h"
#include "lab/experiment/experiments.h"

namespace dorm {
namespace {

constexpr std::size_t kTrials = 100;
constexpr std::size_t kDorm = 5;  // among the learners: the one that others are tested against

struct EruSetting {
  EruKernels kernels;
  std::string_view caption;
  std::array<std::string_view, 3> paper;  // PRank, JRank, DORM
};
constexpr std::array kEruSettings{
    EruSetting{EruKernels::demographics_and_ratings,
               "experiment 1, user features and item correlations",
               {"70.8", "75.3", "76.5 ± 0.43"}},
    EruSetting{EruKernels::ratings_and_genres,
               "experiment 2, item features and user correlations",
               {"73.4", "76.2", "76.7 ± 0.32"}},
    EruSetting{EruKernels::everything, "all similarities at once (not in the paper)", {}},
};

/// Ages in the groups that the publisher of the larger sets uses.
SideFeatures demographics(const std::string& path) {
  constexpr std::array kOldest = {17.0, 24.0, 34.0, 44.0, 49.0, 55.0};
  const SideFeatures age = read_side_features(path, "2"), rest = read_side_features(path, "3,4");
  SideFeatures made{rest.names, rest.ids, {}};
  for (std::size_t group = 0; group <= kOldest.size(); ++group)
    made.names.push_back(fmt::format("age group {}", group + 1));
  for (std::size_t row = 0; row < rest.ids.size(); ++row) {
    const auto own = rest.values.begin() + static_cast<std::ptrdiff_t>(row * rest.names.size());
    made.values.insert(made.values.end(), own, own + static_cast<std::ptrdiff_t>(rest.names.size()));
    const auto group = std::lower_bound(kOldest.begin(), kOldest.end(), age.values[row]) - kOldest.begin();
    for (std::size_t k = 0; k <= kOldest.size(); ++k)
      made.values.push_back(static_cast<std::size_t>(group) == k ? 1.0 : 0.0);
  }
  return made;
}

MovieData read_movies(const std::string& directory) {
  RatingsData data = movielens(directory);
  return {std::move(data.ratings), demographics(data_path(directory, "movielens-100k", "u.user")),
          std::move(data.facts)};
}

std::vector<EruCell> all_cells() {
  std::vector<EruCell> cells;
  for (const Unseen unseen : {Unseen::items, Unseen::users})
    for (const EruSetting& setting : kEruSettings)
      for (std::size_t trial = 0; trial < kTrials; ++trial) cells.push_back({unseen, setting.kernels, trial});
  return cells;
}

std::optional<std::vector<CellRecord>> run_eru_cells(const std::vector<EruCell>& cells, const Laboratory& laboratory) {
  const ExperimentOptions& options = laboratory.options;
  const MovieData data = read_movies(options.data_directory);
  const CellWork work{
      .count = cells.size(),
      .key = [&](std::size_t c) { return key_of(cells[c], options.seed); },
      .method = [](std::size_t) { return std::string("joint kernels"); },
      .compute =
          [&](std::size_t c, const std::function<bool()>& wanted) {
            return run_eru_cell(cells[c], data, options.seed, wanted);
          },
      .fits = [&](std::size_t, const CellRecord& record) { return record_fits(record, data.ratings.num_users()); }};
  return run_cells(work, cells_folder(laboratory), options.threads, laboratory.observer);
}

/// What a learner got under a measure: means by trial, and by user over the trials he was ranked for in.
struct Outcome {
  std::vector<double> by_trial, by_user;
};

Outcome outcome_of(std::span<const CellRecord> records, std::size_t learner, std::size_t measure) {
  Outcome outcome;
  const std::size_t at = learner * eru_measures().size() + measure;
  std::vector<std::vector<double>> of_user(records[0].test[at].size());
  for (const CellRecord& record : records) {
    outcome.by_trial.push_back(mean_of_numbers(record.test[at]));
    for (std::size_t u = 0; u < of_user.size(); ++u) of_user[u].push_back(record.test[at][u]);
  }
  for (const std::vector<double>& values : of_user) outcome.by_user.push_back(mean_of_numbers(values));
  return outcome;
}

double deviation(const std::vector<double>& values) {
  const double mean = mean_of_numbers(values);
  double sum = 0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return std::sqrt(sum / static_cast<double>(values.size() - 1));
}

/// The parameter that was chosen most often.
std::string usual_choice(std::span<const CellRecord> records, std::size_t learner, const std::vector<double>& grid) {
  if (grid.size() < 2) return "";
  std::vector<std::size_t> votes(grid.size());
  for (const CellRecord& record : records) {
    const std::vector<double>& valid = record.valid[learner];
    ++votes[static_cast<std::size_t>(std::max_element(valid.begin(), valid.end()) - valid.begin())];
  }
  const auto best = std::max_element(votes.begin(), votes.end()) - votes.begin();
  return fmt::format("{} ({} of {})", grid[static_cast<std::size_t>(best)], votes[static_cast<std::size_t>(best)],
                     records.size());
}

report::Table table_of(const EruSetting& setting, Unseen unseen, std::span<const CellRecord> records) {
  report::Table table{fmt::format("{}: {}; {} trials", unseen == Unseen::items ? "New items" : "New users",
                                  setting.caption, records.size()),
                      report::text_columns({"method", "ERU x 100", "paper (EachMovie)", "p, trials", "p, users",
                                            "NDCG@10 x 100", "parameter chosen most"})};
  const std::vector<EruLearner> learners = eru_learners();
  const Outcome dorm = outcome_of(records, kDorm, 0);
  for (std::size_t learner = 0; learner < learners.size(); ++learner) {
    const Outcome eru = outcome_of(records, learner, 0), ndcg = outcome_of(records, learner, 1);
    const bool in_paper = learner + 3 > kDorm && learner <= kDorm;
    const bool tested = learner != kDorm;
    table.rows.push_back(
        {std::string(learners[learner].name),
         fmt::format("{} ± {}", percent(mean_of_numbers(eru.by_trial)), percent(deviation(eru.by_trial))),
         in_paper ? std::string(setting.paper[learner + 2 - kDorm]) : "",
         tested ? report::p_value_text(compare(dorm.by_trial, eru.by_trial).p_t) : "",
         tested ? report::p_value_text(compare(dorm.by_user, eru.by_user).p_t) : "",
         fmt::format("{} ± {}", percent(mean_of_numbers(ndcg.by_trial)), percent(deviation(ndcg.by_trial))),
         usual_choice(records, learner, learners[learner].grid)});
  }
  return table;
}

}  // namespace

ExperimentResult eachmovie_eru(const Laboratory& laboratory) {
  ExperimentResult result;
  result.title = "Expected rank utility with joint kernels";
  result.paper =
      "DORM is better than JRank, and JRank than PRank, with the same kernels: 76.5 ± 0.43, 75.3 and 70.8 in "
      "experiment 1, 76.7 ± 0.32, 76.2 and 73.4 in experiment 2 (100 trials).";
  result.difference =
      "EachMovie was withdrawn by its owner; MovieLens-100K, which has a 28th of its ratings, replaces "
      "it. The paper refers to another for its protocol, of which it gives three numbers: both readings are "
      "tried. Neutral vote, half-life and weights of the kernels are not given either.";
  result.remarks = {
      fmt::format("{} trials; each draws {} training users and {} training items. All other users are input users: "
                  "their ratings say how alike users and items are, and are not learnt from. New items: ranked are "
                  "the training users' ratings of the other items, and all ratings of input users are known. New "
                  "users: of every input user's ratings of training items one half is known, the other is ranked.",
                  kTrials, kEruUsers, kEruItems),
      "ERU is normalised, half-life 5, neutral vote 3. Parameters (passes, C, lambda, damping) are chosen by "
      "the same question asked within the training ratings. ± is the standard deviation over trials; "
      "p-values are of paired t tests of DORM (ERU) against the method, over trials, which share data, and "
      "over users, each averaged over his trials; not corrected for their number."};
  const std::vector<EruCell> cells = all_cells();
  const auto records = run_eru_cells(cells, laboratory);
  result.complete = records.has_value();
  for (std::size_t begin = 0; records && begin < records->size(); begin += kTrials)
    for (const EruSetting& setting : kEruSettings)
      if (setting.kernels == cells[begin].kernels)
        result.tables.push_back(table_of(setting, cells[begin].unseen, std::span(*records).subspan(begin, kTrials)));
  return result;
}

}  // namespace dorm
