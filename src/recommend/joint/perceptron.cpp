// SPDX-License-Identifier: Apache-2.0
// JRank and PRank. A pair whose score is on the wrong side of some thresholds moves its own coefficient by the
// number of those, and each of them by one. What is returned is the average over all steps: a change at step t of T
// counts 1 - t / T.
//
// Scores are kept as B = K_I A', one row per item, one column per user: a score is a product with a row of K_U, and a
// mistake adds a row of K_I to one column.
#include <algorithm>
#include <map>

#include "base/rng.h"
#include "base/validate.h"
#include "base/vector/vector_ops.h"
#include "dorm/error.h"
#include "dorm/recommend/joint.h"
#include "learning/baseline/thresholds.h"

namespace dorm {
namespace {

std::vector<float> distinct_values(std::span<const Rating> ratings) {
  std::vector<float> values;
  for (const Rating& rating : ratings) values.push_back(rating.value);
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

/// Scores of all pairs of the users and items learnt from.
class ScoreTable {
 public:
  ScoreTable(const Similarities& users, const Similarities& items)
      : users_(users), items_(items), table_(users.size * items.size) {}

  double score(std::size_t user, std::size_t item) const {
    return dot(users_.row(user), std::span<const double>(table_).subspan(item * users_.size, users_.size));
  }
  void add(std::size_t user, std::size_t item, double coefficient) {
    const std::span<const double> alike = items_.row(item);
    for (std::size_t j = 0; j < alike.size(); ++j)
      if (alike[j] != 0) table_[j * users_.size + user] += coefficient * alike[j];
  }

 private:
  const Similarities& users_;
  const Similarities& items_;
  std::vector<double> table_;
};

/// One perceptron over ratings whose users and items are numbered as in the similarities.
JointRanker run(const Similarities& users, const Similarities& items, std::vector<Rating> ratings,
                const PerceptronOptions& options) {
  const std::vector<float> grades = distinct_values(ratings);
  std::vector<double> thresholds(grades.size() - 1, 0.0);
  ScoreTable table(users, items);
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> coefficients;
  const auto steps = static_cast<double>(options.passes * ratings.size());
  Rng rng(options.seed);
  double step = 0;
  for (std::size_t pass = 0; pass < options.passes; ++pass) {
    rng.shuffle(std::span(ratings));
    for (const Rating& rating : ratings) {
      const double moves = move_thresholds(table.score(rating.user, rating.item), rating.value, grades, thresholds);
      if (moves != 0) {
        table.add(rating.user, rating.item, moves);
        coefficients[{rating.user, rating.item}] += moves * (1 - step / steps);
      }
      ++step;
    }
  }
  JointRanker ranker;
  for (const auto& [pair, value] : coefficients)
    if (value != 0) ranker.push_back({pair.first, pair.second, value});
  return ranker;
}

void check(const Ratings& ratings, const PerceptronOptions& options, std::size_t items) {
  require(options.passes > 0, "passes", 0, "at least 1");
  if (ratings.size() == 0) throw Error(ErrorCode::bad_input, "no ratings to learn from");
  if (ratings.num_items() > items)
    throw Error(ErrorCode::bad_input, "items without similarities; expected one row for each");
}

}  // namespace

JointRanker train_jrank(const JointKernel& kernel, const Ratings& ratings, const PerceptronOptions& options) {
  check(ratings, options, kernel.items.size);
  if (ratings.num_users() > kernel.users.size)
    throw Error(ErrorCode::bad_input, "users without similarities; expected one row for each");
  const auto number = [](std::vector<std::uint32_t>& members, std::uint32_t member) {
    members.push_back(member);
    return static_cast<std::uint32_t>(members.size() - 1);
  };
  std::vector<std::uint32_t> users, items, local(ratings.num_items());
  for (std::uint32_t i = 0; i < ratings.num_items(); ++i)
    if (ratings.of_item(i).size() > 0) local[i] = number(items, i);
  std::vector<Rating> list;
  for (std::uint32_t u = 0; u < ratings.num_users(); ++u) {
    const RatingRow row = ratings.of_user(u);
    if (row.size() == 0) continue;
    const std::uint32_t user = number(users, u);
    for (std::size_t k = 0; k < row.size(); ++k) list.push_back({user, local[row.index[k]], row.value[k]});
  }
  JointRanker ranker = run(selected(kernel.users, users), selected(kernel.items, items), std::move(list), options);
  for (PairCoefficient& pair : ranker) pair = {users[pair.user], items[pair.item], pair.value};
  return ranker;
}

JointRanker train_prank(const Similarities& items, const Ratings& ratings, const PerceptronOptions& options) {
  check(ratings, options, items.size);
  JointRanker ranker;
  const Similarities alone = identity_similarities(1);
  for (std::uint32_t u = 0; u < ratings.num_users(); ++u) {
    const RatingRow row = ratings.of_user(u);
    if (row.size() == 0) continue;
    std::vector<Rating> list;
    for (std::uint32_t k = 0; k < row.size(); ++k) list.push_back({0, k, row.value[k]});
    for (const PairCoefficient& pair : run(alone, selected(items, row.index), std::move(list), options))
      ranker.push_back({u, row.index[pair.item], pair.value});
  }
  return ranker;
}

}  // namespace dorm
