// SPDX-License-Identifier: Apache-2.0
#include "recommend/factor/item_step.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/rng.h"
#include "base/vector/vector_ops.h"

namespace dorm {
namespace {

constexpr std::size_t kPlanesPerUser = 12;
constexpr std::size_t kUnlimited = static_cast<std::size_t>(-1) / 8;
constexpr std::size_t kOracleCallsPerVisit = 3;
constexpr std::size_t kShards = 16;
constexpr std::size_t kMaxBatch = 64;

std::span<double> row_of(std::vector<double>& matrix, std::size_t row, std::size_t width) {
  return std::span(matrix).subspan(row * width, width);
}

}  // namespace

ItemStep::ItemStep(RankingLists& lists, const ItemStepSettings& settings, ThreadPool& pool)
    : lists_(lists),
      settings_(settings),
      pool_(pool),
      width_(settings.layout.item_width()),
      planes_(lists.size()),
      centre_scores_(lists.size()),
      squared_norm_(lists.size()),
      w_(lists.ratings().num_items() * width_),
      step_(w_.size()),
      stamp_(lists.ratings().num_items(), 0),
      proposals_(std::clamp<std::size_t>(lists.size() / 50, 1, kMaxBatch)),
      scratch_(pool.size()) {
  make_shards();
}

// Ranges of items with about as many ratings each.
void ItemStep::make_shards() {
  const Ratings& ratings = lists_.ratings();
  std::size_t count = 0;
  std::uint32_t begin = 0;
  for (std::uint32_t item = 0; item < ratings.num_items(); ++item) {
    count += ratings.of_item(item).size();
    if (count * kShards < ratings.size() * (shards_.size() + 1) && item + 1 < ratings.num_items()) continue;
    shards_.push_back({begin, item + 1, {}, 0});
    begin = item + 1;
  }
}

std::span<const double> ItemStep::user_part(std::size_t l) const {
  return user_factors_->row(lists_[l].user).subspan(settings_.layout.item_begin(), width_);
}

void ItemStep::scores_at(std::size_t l, std::span<const double> w, std::span<double> scores) const {
  const auto items = lists_.row(l).index;
  const auto user = user_part(l);
  for (std::size_t i = 0; i < items.size(); ++i)
    scores[i] = centre_scores_[l][i] + dot(user, w.subspan(items[i] * width_, width_));
}

// Scores at the centre, references at the present point, planes moved with their references.
void ItemStep::prepare(const FactorMatrix& user_factors, std::span<const double> offsets, const FactorMatrix& centre,
                       const FactorMatrix& item_factors) {
  user_factors_ = &user_factors;
  pool_.run(lists_.size(), [&](std::size_t l, std::size_t worker) {
    Scratch& scratch = scratch_[worker];
    const auto items = lists_.row(l).index;
    const auto user = user_factors.row(lists_[l].user);
    scratch.scores.resize(items.size());
    score_items(items, user, item_factors, offsets, scratch.scores);
    lists_.set_reference(l, scratch.scores, scratch.list, scratch.change);
    if (!scratch.change.empty()) planes_[l].shift(scratch.change);
    centre_scores_[l].resize(items.size());
    score_items(items, user, centre, offsets, centre_scores_[l]);
    squared_norm_[l] = dot(user_part(l), user_part(l));
  });
}

// W of the dual weights at hand, for the present U.
void ItemStep::rebuild_weights() {
  std::fill(w_.begin(), w_.end(), 0.0);
  pool_.run(shards_.size(), [&](std::size_t s, std::size_t) {
    const Shard& shard = shards_[s];
    for (std::size_t l = 0; l < lists_.size(); ++l) {
      const auto items = lists_.row(l).index;
      const auto first = std::lower_bound(items.begin(), items.end(), shard.begin) - items.begin();
      const auto last = std::lower_bound(items.begin(), items.end(), shard.end) - items.begin();
      const LocalPlanes<float>& planes = planes_[l];
      for (std::ptrdiff_t i = first; i < last; ++i) {
        double sum = 0;
        for (std::size_t k = 0; k < planes.size(); ++k) sum += planes.alpha()[k] * planes.vector(k)[i];
        if (sum != 0) axpy(sum / settings_.lambda, user_part(l), row_of(w_, items[i], width_));
      }
    }
  });
}

double ItemStep::evaluate(std::span<const double> w) {
  std::vector<double> values(lists_.size());
  pool_.run(lists_.size(), [&](std::size_t l, std::size_t worker) {
    Scratch& scratch = scratch_[worker];
    scratch.scores.resize(centre_scores_[l].size());
    scores_at(l, w, scratch.scores);
    lists_.separate(l, scratch.scores, scratch.plane, scratch.list);
    values[l] = scratch.plane.value;
    scratch.delta.assign(scratch.plane.delta.begin(), scratch.plane.delta.end());
    planes_[l].add(scratch.delta, scratch.plane.loss, kPlanesPerUser);
  });
  return std::accumulate(values.begin(), values.end(), 0.5 * settings_.lambda * dot(w, w));
}

double ItemStep::dual() const {
  std::vector<double> values(lists_.size(), 0.0);
  pool_.run(lists_.size(), [&](std::size_t l, std::size_t) {
    const LocalPlanes<float>& planes = planes_[l];
    for (std::size_t k = 0; k < planes.size(); ++k)
      if (const double alpha = planes.alpha()[k]; alpha > 0)
        values[l] += alpha * (planes.loss(k) - dot(planes.vector(k), std::span<const double>(centre_scores_[l])));
  });
  const double squares = dot(std::span<const double>(w_), std::span<const double>(w_));
  return std::accumulate(values.begin(), values.end(), -0.5 * settings_.lambda * squares);
}

// Cutting planes on the user's own weights, everything else fixed at w: scores move by |U|^2 / lambda times the
// change of delta.
void ItemStep::propose(std::size_t l, Proposal& out, Scratch& scratch) {
  LocalPlanes<float>& planes = planes_[l];
  const double scale = squared_norm_[l] / settings_.lambda;
  scratch.scores.resize(centre_scores_[l].size());
  scores_at(l, w_, scratch.scores);
  scratch.local = scratch.scores;
  for (std::size_t call = 0; call < kOracleCallsPerVisit; ++call) {
    lists_.separate(l, scratch.local, scratch.plane, scratch.list);
    scratch.delta.assign(scratch.plane.delta.begin(), scratch.plane.delta.end());
    // Only the first call may move planes to other places: later ones would mix up the proposed weights.
    const bool fresh = planes.add(scratch.delta, scratch.plane.loss, call == 0 ? kPlanesPerUser : kUnlimited);
    if (call == 0) out.alpha.assign(planes.alpha().begin(), planes.alpha().end());
    if (!fresh && call > 0) break;
    out.alpha.resize(planes.size(), 0.0);
    scratch.h.resize(planes.size());
    double highest = 0, inner = 0;
    for (std::size_t k = 0; k < planes.size(); ++k) {
      scratch.h[k] = planes.loss(k) - dot(planes.vector(k), std::span<const double>(scratch.local));
      highest = std::max(highest, scratch.h[k]);
      inner += out.alpha[k] * scratch.h[k];
    }
    const double gap = std::max(0.0, highest - inner);
    if (call == 0) out.gap = gap;
    if (gap <= 0.1 * settings_.tolerance * highest) break;
    planes.improve(scratch.h, scale, 1e-3 * gap, out.alpha);
    scratch.local = scratch.scores;
    for (std::size_t k = 0; k < planes.size(); ++k)
      axpy(scale * (out.alpha[k] - planes.alpha()[k]), planes.vector(k), std::span(scratch.local));
  }
  describe_move(l, out, scratch);
}

// What the proposed weights do to W, and how fast the dual rises on the way.
void ItemStep::describe_move(std::size_t l, Proposal& out, Scratch& scratch) const {
  const LocalPlanes<float>& planes = planes_[l];
  out.slope = 0;
  scratch.move.assign(scratch.scores.size(), 0.0);
  for (std::size_t k = 0; k < planes.size(); ++k) {
    const double change = out.alpha[k] - planes.alpha()[k];
    if (change == 0) continue;
    out.slope += change * planes.loss(k);
    axpy(change, planes.vector(k), std::span(scratch.move));
  }
  const auto items = lists_.row(l).index;
  out.entries.clear();
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (scratch.move[i] == 0) continue;
    out.slope -= scratch.move[i] * scratch.scores[i];
    out.entries.push_back({items[i], scratch.move[i] / settings_.lambda});
  }
}

// dW of a batch on the items of one shard.
void ItemStep::accumulate(Shard& shard, std::span<const std::size_t> batch) {
  shard.touched.clear();
  for (std::size_t b = 0; b < batch.size(); ++b) {
    const std::vector<Entry>& entries = proposals_[b].entries;
    auto entry = std::lower_bound(entries.begin(), entries.end(), shard.begin,
                                  [](const Entry& e, std::uint32_t item) { return e.item < item; });
    for (; entry != entries.end() && entry->item < shard.end; ++entry) {
      const auto row = row_of(step_, entry->item, width_);
      if (stamp_[entry->item] != batch_number_) {
        stamp_[entry->item] = batch_number_;
        shard.touched.push_back(entry->item);
        std::fill(row.begin(), row.end(), 0.0);
      }
      axpy(entry->change, user_part(batch[b]), row);
    }
  }
  shard.squared_norm = 0;
  for (const std::uint32_t item : shard.touched) {
    const std::span<const double> row = row_of(step_, item, width_);
    shard.squared_norm += dot(row, row);
  }
}

// The joint step of a batch, as long as is best for the dual.
void ItemStep::apply(std::span<const std::size_t> batch) {
  ++batch_number_;
  pool_.run(shards_.size(), [&](std::size_t s, std::size_t) { accumulate(shards_[s], batch); });
  double slope = 0, curvature = 0;
  for (std::size_t b = 0; b < batch.size(); ++b) slope += proposals_[b].slope;
  for (const Shard& shard : shards_) curvature += settings_.lambda * shard.squared_norm;
  if (!(slope > 0)) return;
  const double theta = slope < curvature ? slope / curvature : 1;
  pool_.run(shards_.size(), [&](std::size_t s, std::size_t) {
    for (const std::uint32_t item : shards_[s].touched)
      axpy(theta, std::span<const double>(row_of(step_, item, width_)), row_of(w_, item, width_));
  });
  for (std::size_t b = 0; b < batch.size(); ++b) {
    const auto alpha = planes_[batch[b]].alpha();
    for (std::size_t k = 0; k < alpha.size(); ++k)
      alpha[k] = theta == 1 ? proposals_[b].alpha[k] : alpha[k] + theta * (proposals_[b].alpha[k] - alpha[k]);
  }
}

// Returns the sum of the users' gaps, each just before its step: about P - D.
double ItemStep::pass(std::uint64_t number) {
  std::vector<std::size_t> order(lists_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  Rng rng(Rng(settings_.seed).next() ^ Rng(number).next());
  rng.shuffle(std::span(order));
  double gap = 0;
  for (std::size_t first = 0; first < order.size(); first += proposals_.size()) {
    const auto batch =
        std::span<const std::size_t>(order).subspan(first, std::min(proposals_.size(), order.size() - first));
    pool_.run(batch.size(),
              [&](std::size_t b, std::size_t worker) { propose(batch[b], proposals_[b], scratch_[worker]); });
    for (std::size_t b = 0; b < batch.size(); ++b) gap += proposals_[b].gap;
    apply(batch);
  }
  return gap;
}

ItemStepResult ItemStep::solve(const FactorMatrix& user_factors, std::span<const double> offsets,
                               const FactorMatrix& centre, FactorMatrix& item_factors, const PassObserver& observer) {
  prepare(user_factors, offsets, centre, item_factors);
  const std::size_t begin = settings_.layout.item_begin();
  std::vector<double> best(w_.size());
  for (std::size_t j = 0; j < item_factors.rows; ++j)
    for (std::size_t c = 0; c < width_; ++c)
      best[j * width_ + c] = item_factors.row(j)[begin + c] - centre.row(j)[begin + c];
  rebuild_weights();
  ItemStepResult result;
  result.before = result.after = evaluate(best);
  result.dual = dual();
  bool go_on = true, improved = false;
  while (go_on && result.passes < settings_.pass_limit) {
    const double gap = pass(++result.passes);
    const double estimate = gap / std::max(dual() + gap, 1e-300);
    go_on = observer(estimate);
    if (go_on && estimate > settings_.tolerance && result.passes < settings_.pass_limit) continue;
    const double primal = evaluate(w_);
    result.dual = std::max(result.dual, dual());
    if (primal < result.after) {
      result.after = primal;
      best = w_;
      improved = true;
    }
    if (result.after - result.dual <= settings_.tolerance * result.after) break;
  }
  if (!improved) return result;
  for (std::size_t j = 0; j < item_factors.rows; ++j)
    for (std::size_t c = 0; c < width_; ++c)
      item_factors.row(j)[begin + c] = centre.row(j)[begin + c] + best[j * width_ + c];
  return result;
}

}  // namespace dorm
