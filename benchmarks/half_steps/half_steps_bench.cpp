// SPDX-License-Identifier: Apache-2.0
// The half steps of factorization beside the same convex problems given to the general solver:
//
//   half_steps_bench RATINGS [RANK]
//
// Each half step is a structured risk (users are blocks), so `solve` could do it: the items' with planes delta U_u'
// kept as the two factors of a rank-one matrix, a user's with planes V' delta. Printed: processor seconds of one
// thread, the objective reached and the passes, both to the same relative gap from the same point.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <memory>

#include "base/parallel.h"
#include "base/vector/vector_ops.h"
#include "dorm/ranking/list_problem.h"
#include "dorm/read.h"
#include "dorm/solver.h"
#include "recommend/factor/item_step.h"
#include "recommend/factor/user_step.h"

namespace {

using namespace dorm;

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// Weights W, items x width. A plane holds delta by item of one user, and the list it belongs to behind the items.
class RankOneGeometry final : public Geometry {
 public:
  RankOneGeometry(std::size_t items, std::size_t width, std::vector<std::span<const double>> users)
      : dimension_(items * width), width_(width), users_(std::move(users)) {}

  using Geometry::inner;
  std::size_t dimension() const override { return dimension_; }
  double inner(const Plane& x, const Plane& y) const override {  // planes of one block: the same user
    const auto user = user_of(x);
    return dorm::dot(user, user) * dorm::dot(std::span<const float>(x.direction), std::span<const float>(y.direction));
  }
  double dot(std::span<const double> w, const Plane& plane) const override {
    double sum = 0;
    for (std::size_t i = 0; i < plane.direction.size(); ++i)
      sum += static_cast<double>(plane.direction[i]) * dorm::dot(user_of(plane), row(w, plane.columns[i]));
    return sum;
  }
  void add(double scale, const Plane& plane, std::span<double> w) const override {
    for (std::size_t i = 0; i < plane.direction.size(); ++i)
      if (plane.direction[i] != 0)
        axpy(scale * static_cast<double>(plane.direction[i]), user_of(plane),
             w.subspan(plane.columns[i] * width_, width_));
  }
  void add_all(std::span<const double> scales, std::span<const Plane> planes, std::span<double> w) const override {
    Plane sum = planes.front();
    std::vector<double> total(sum.direction.size(), 0.0);
    for (std::size_t k = 0; k < scales.size(); ++k)
      if (scales[k] != 0) axpy(scales[k], std::span<const float>(planes[k].direction), total);
    for (std::size_t i = 0; i < total.size(); ++i)
      if (total[i] != 0) axpy(total[i], user_of(sum), w.subspan(sum.columns[i] * width_, width_));
  }
  bool well_formed(const Plane& plane) const override { return plane.columns.size() == plane.direction.size() + 1; }

  std::span<const double> row(std::span<const double> w, std::size_t item) const {
    return w.subspan(item * width_, width_);
  }

 private:
  std::span<const double> user_of(const Plane& plane) const { return users_[plane.columns.back()]; }

  std::size_t dimension_, width_;
  std::vector<std::span<const double>> users_;
};

struct ListScratch final : RiskWorkspace {
  std::vector<double> scores;
  ScorePlane plane;
  ListWorkspace list;
};

/// 1/2 |W|^2 + 1/lambda sum_u H_u(s0_u + W U_u).
class ItemRisk final : public StructuredRisk {
 public:
  ItemRisk(const RankingLists& lists, const FactorModel& model, const FactorMatrix& centre, double lambda)
      : lists_(lists), lambda_(lambda), centre_scores_(lists.size()) {
    for (std::size_t l = 0; l < lists.size(); ++l) {
      const auto row = model.user_factors.row(lists[l].user);
      users_.push_back(row.subspan(model.layout.item_begin(), model.layout.item_width()));
      centre_scores_[l].resize(lists.row(l).size());
      score_items(lists.row(l).index, row, centre, model.offsets, centre_scores_[l]);
    }
    geometry_ = std::make_unique<RankOneGeometry>(lists.ratings().num_items(), model.layout.item_width(), users_);
  }
  const Geometry& geometry() const override { return *geometry_; }
  std::size_t num_blocks() const override { return lists_.size(); }
  double block_weight(std::size_t) const override { return 1 / lambda_; }
  std::unique_ptr<RiskWorkspace> make_workspace() const override { return std::make_unique<ListScratch>(); }
  double linearize_cost(std::size_t block) const override {
    return static_cast<double>(lists_.row(block).size() * (users_[block].size() + 40));
  }
  double linearize(std::size_t block, std::span<const double> w, Plane& out, RiskWorkspace& workspace) const override {
    auto& scratch = static_cast<ListScratch&>(workspace);
    const auto items = lists_.row(block).index;
    scratch.scores.resize(items.size());
    for (std::size_t i = 0; i < items.size(); ++i)
      scratch.scores[i] = centre_scores_[block][i] + dorm::dot(users_[block], geometry_->row(w, items[i]));
    lists_.separate(block, scratch.scores, scratch.plane, scratch.list);
    out.direction.assign(scratch.plane.delta.begin(), scratch.plane.delta.end());
    out.columns.assign(items.begin(), items.end());
    out.columns.push_back(static_cast<std::uint32_t>(block));
    out.offset = scratch.plane.loss;
    for (std::size_t i = 0; i < items.size(); ++i) out.offset -= scratch.plane.delta[i] * centre_scores_[block][i];
    return scratch.plane.value;
  }

 private:
  const RankingLists& lists_;
  double lambda_;
  std::vector<std::vector<double>> centre_scores_;
  std::vector<std::span<const double>> users_;
  std::unique_ptr<RankOneGeometry> geometry_;
};

/// 1/2 |x - x0|^2 + 1/lambda H_u of one user.
class UserRisk final : public StructuredRisk {
 public:
  UserRisk(const RankingLists& lists, std::size_t l, const FactorModel& model, double lambda)
      : lists_(lists),
        list_(l),
        model_(model),
        lambda_(lambda),
        geometry_(model.layout.user_width()),
        centre_scores_(lists.row(l).size()) {
    score_items(lists.row(l).index, model.user_factors.row(lists[l].user), model.item_factors, model.offsets,
                centre_scores_);
  }
  const Geometry& geometry() const override { return geometry_; }
  std::size_t num_blocks() const override { return 1; }
  double block_weight(std::size_t) const override { return 1 / lambda_; }
  std::unique_ptr<RiskWorkspace> make_workspace() const override { return std::make_unique<ListScratch>(); }
  double linearize(std::size_t, std::span<const double> w, Plane& out, RiskWorkspace& workspace) const override {
    auto& scratch = static_cast<ListScratch&>(workspace);
    const auto items = lists_.row(list_).index;
    scratch.scores.resize(items.size());
    for (std::size_t i = 0; i < items.size(); ++i)
      scratch.scores[i] = centre_scores_[i] + dorm::dot(w, model_.item_factors.row(items[i]).first(w.size()));
    lists_.separate(list_, scratch.scores, scratch.plane, scratch.list);
    std::vector<double> pulled(w.size(), 0.0);
    out.offset = scratch.plane.loss;
    for (std::size_t i = 0; i < items.size(); ++i) {
      axpy(scratch.plane.delta[i], model_.item_factors.row(items[i]).first(w.size()), pulled);
      out.offset -= scratch.plane.delta[i] * centre_scores_[i];
    }
    out.direction.assign(pulled.begin(), pulled.end());
    return scratch.plane.value;
  }

 private:
  const RankingLists& lists_;
  std::size_t list_;
  const FactorModel& model_;
  double lambda_;
  EuclideanGeometry geometry_;
  std::vector<double> centre_scores_;
};

void item_steps(RankingLists& lists, const FactorModel& model, const FactorizeOptions& options, ThreadPool& pool) {
  FactorMatrix items = model.item_factors;
  const double before = processor_seconds();
  ItemStep step(lists, {model.layout, options.lambda, options.tolerance, 1000, options.seed}, pool);
  const ItemStepResult own =
      step.solve(model.user_factors, model.offsets, model.item_factors, items, [](double) { return true; });
  const double between = processor_seconds();
  const ItemRisk risk(lists, model, model.item_factors, options.lambda);
  const SolveResult general = solve(risk, {.tolerance = options.tolerance, .max_passes = 1000});
  const double after = processor_seconds();
  fmt::print("items  own     {:8.3f} s  objective {:.6f}  passes {}\n", between - before, own.after, own.passes);
  fmt::print("items  general {:8.3f} s  objective {:.6f}  passes {}  ({:.2f} times the time)\n", after - between,
             options.lambda * general.report.primal, general.report.passes, (after - between) / (between - before));
}

void user_steps(RankingLists& lists, const FactorModel& model, const FactorizeOptions& options) {
  UserStep step(options.lambda, options.tolerance);
  double own = 0, general = 0;
  const double before = processor_seconds();
  for (std::size_t l = 0; l < lists.size(); ++l) {
    std::vector<double> row(model.user_factors.row(lists[l].user).begin(), model.user_factors.row(lists[l].user).end());
    const std::vector<double> centre(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(model.layout.user_width()));
    own += step.solve(lists, l, model.item_factors, model.offsets, centre, row).after;
  }
  const double between = processor_seconds();
  for (std::size_t l = 0; l < lists.size(); ++l)
    general += options.lambda *
               solve(UserRisk(lists, l, model, options.lambda), {.tolerance = options.tolerance}).report.primal;
  const double after = processor_seconds();
  fmt::print("users  own     {:8.3f} s  objective {:.6f}\n", between - before, own);
  fmt::print("users  general {:8.3f} s  objective {:.6f}  ({:.2f} times the time)\n", after - between, general,
             (after - between) / (between - before));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "expected: half_steps_bench RATINGS [RANK]\n");
    return 2;
  }
  FactorizeOptions options;
  options.rank = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : options.rank;
  options.threads = 1;
  options.rounds = 1;  // factors as they stand before a second round
  const Ratings ratings = read_ratings(argv[1]);
  const FactorModel model = factorize(ratings, options).model;
  ThreadPool pool(1);
  RankingLists lists(ratings, options, pool);
  fmt::print("{} lists, {} ratings, rank {}, gap {}\n", lists.size(), ratings.size(), options.rank, options.tolerance);
  item_steps(lists, model, options, pool);
  user_steps(lists, model, options);
}
