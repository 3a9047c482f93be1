// SPDX-License-Identifier: Apache-2.0
#include "learning/solver/plane_cache.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/vector/vector_ops.h"
#include "learning/solver/proximal_point.h"
#include "learning/solver/simplex_qp.h"

namespace dorm {
namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

// The plane without weight that has been so for longest.
std::size_t oldest_inactive(const BlockPlanes& held) {
  std::size_t oldest = kNone;
  for (std::size_t k = 0; k < held.planes.size(); ++k)
    if (held.alpha[k] == 0 && (oldest == kNone || held.last_active[k] < held.last_active[oldest])) oldest = k;
  return oldest;
}

std::uint64_t plane_bytes(const Plane& plane) {
  return sizeof(Plane) + plane.direction.size() * sizeof(float) + plane.columns.size() * sizeof(std::uint32_t);
}

template <class T>
void fetch_values(const std::vector<T>& values) {
  constexpr std::size_t kMost = 16, kLine = 64;
  const auto* const bytes = reinterpret_cast<const char*>(values.data());
  const std::size_t size = std::min(kMost * kLine, values.size() * sizeof(T));
  for (std::size_t k = 0; k < size; k += kLine) __builtin_prefetch(bytes + k);
}

}  // namespace

PlaneCache::PlaneCache(const StructuredRisk& risk, const Cone& cone, SolverState& state, const PlaneLimits& limits)
    : risk_(risk), geometry_(risk.geometry()), cone_(cone), state_(state), limits_(limits), grams_(risk.num_blocks()) {
  state_.blocks.resize(risk.num_blocks());
  for (std::size_t block = 0; block < state_.blocks.size(); ++block) {
    std::vector<Plane> planes = std::move(state_.blocks[block].planes);
    state_.blocks[block].planes.clear();
    for (Plane& plane : planes) {
      state_.blocks[block].planes.push_back(std::move(plane));
      append_gram_row(block);
    }
  }
}

// Inner products of the last plane with all others of its block.
void PlaneCache::append_gram_row(std::size_t block) {
  const std::vector<Plane>& planes = state_.blocks[block].planes;
  Gram& gram = grams_[block];
  const std::size_t last = planes.size() - 1;
  if (planes.size() > gram.stride) {
    const std::size_t stride = std::max<std::size_t>(4, gram.stride * 2);
    std::vector<double> wider(stride * stride);
    for (std::size_t i = 0; i < last; ++i) std::copy_n(&gram.entries[i * gram.stride], last, &wider[i * stride]);
    gram = {std::move(wider), stride};
  }
  for (std::size_t k = 0; k <= last; ++k) {
    const double product = geometry_.inner(planes[last], planes[k]);
    gram.entries[last * gram.stride + k] = gram.entries[k * gram.stride + last] = product;
  }
}

// The last plane takes the freed slot.
void PlaneCache::erase(std::size_t block, std::size_t slot) {
  BlockPlanes& held = state_.blocks[block];
  Gram& gram = grams_[block];
  const std::size_t last = held.planes.size() - 1;
  if (slot != last) {
    held.planes[slot] = std::move(held.planes[last]);
    held.alpha[slot] = held.alpha[last];
    held.last_active[slot] = held.last_active[last];
    for (std::size_t k = 0; k < last; ++k) {
      const std::size_t other = k == slot ? last : k;
      gram.entries[slot * gram.stride + k] = gram.entries[k * gram.stride + slot] =
          gram.entries[last * gram.stride + other];
    }
  }
  held.planes.pop_back();
  held.alpha.pop_back();
  held.last_active.pop_back();
}

// A block's planes are three steps away: each step is taken well before the next, for a block that is nearer by then.
void PlaneCache::fetch(std::span<const std::size_t> blocks, std::size_t distance) const {
  const std::size_t soon = distance, later = 2 * distance, latest = 3 * distance;
  if (latest < blocks.size()) {
    __builtin_prefetch(&state_.blocks[blocks[latest]]);
    __builtin_prefetch(&grams_[blocks[latest]]);
  }
  if (later < blocks.size()) {
    const BlockPlanes& held = state_.blocks[blocks[later]];
    fetch_values(held.planes);
    fetch_values(held.alpha);
    fetch_values(held.last_active);
    fetch_values(grams_[blocks[later]].entries);
  }
  if (soon < blocks.size())
    for (const Plane& plane : state_.blocks[blocks[soon]].planes) fetch_values(plane.direction);
}

bool PlaneCache::insert(std::size_t block, const Plane& plane) {
  BlockPlanes& held = state_.blocks[block];
  if (std::find(held.planes.begin(), held.planes.end(), plane) != held.planes.end()) return false;
  if (!std::isfinite(plane.offset)) return false;
  Plane copy;  // in the memory of one that goes, if any
  for (std::size_t k = held.planes.size(); k-- > 0;) {
    if (held.alpha[k] > 0 || state_.pass - held.last_active[k] <= limits_.idle_passes) continue;
    copy = std::move(held.planes[k]);
    erase(block, k);
  }
  while (held.planes.size() >= limits_.planes_per_block) {
    const std::size_t oldest = oldest_inactive(held);
    if (oldest == kNone) break;
    copy = std::move(held.planes[oldest]);
    erase(block, oldest);
  }
  copy = plane;
  held.planes.push_back(std::move(copy));
  held.alpha.push_back(0);
  held.last_active.push_back(state_.pass);
  append_gram_row(block);
  const std::size_t last = held.planes.size() - 1;
  if (std::isfinite(grams_[block].entries[last * grams_[block].stride + last])) return true;
  erase(block, last);
  return false;
}

double PlaneCache::cached_value(std::size_t block, std::span<const double> w) const {
  double value = 0;
  for (const Plane& plane : state_.blocks[block].planes)
    value = std::max(value, plane.offset - geometry_.dot(w, plane));
  return value;
}

void PlaneCache::propose(std::size_t block, std::span<const double> w, Proposal& out) {
  BlockPlanes& held = state_.blocks[block];
  const Gram& gram = grams_[block];
  const std::size_t count = held.planes.size();
  const double weight = risk_.block_weight(block);
  out.alpha = held.alpha;
  out.h.resize(count);
  double highest = 0, inner = 0;
  out.cost = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const Plane& plane = held.planes[k];
    out.h[k] = plane.offset - geometry_.dot(w, plane);
    highest = std::max(highest, out.h[k]);
    inner += out.alpha[k] * out.h[k];
    out.cost += static_cast<double>(plane.direction.size());
  }
  out.gap = std::max(0.0, weight * highest - inner);
  const double damping = 1 + state_.kappa;  // a Gram matrix divided by it is h multiplied by it
  for (double& h : out.h) h *= damping;
  const SimplexQpReport qp = improve_simplex({gram.entries.data(), count, gram.stride}, weight, out.h, out.alpha,
                                             {SimplexKind::capped, 1e-3 * damping * out.gap, 20 + 10 * count});
  out.moves = qp.gain > 0;
  out.cost += static_cast<double>(qp.steps * (20 + 4 * count));
  for (std::size_t k = 0; k < count; ++k)
    if (out.alpha[k] > 0 || held.alpha[k] > 0) held.last_active[k] = state_.pass;
  if (out.moves) describe_change(block, out);
}

// What apply() needs to know of the change as a whole. Steps are applied one after the other: what can be summed before
// is summed here, by the thread that made the proposal.
void PlaneCache::describe_change(std::size_t block, Proposal& out) const {
  const BlockPlanes& held = state_.blocks[block];
  const Gram& gram = grams_[block];
  const std::size_t count = held.planes.size();
  out.change.resize(count);
  for (std::size_t k = 0; k < count; ++k) out.change[k] = out.alpha[k] - held.alpha[k];
  out.offset = out.curvature = 0;
  std::size_t length = 0;
  for (std::size_t k = 0; k < count; ++k) {
    if (out.change[k] == 0) continue;
    out.offset += out.change[k] * held.planes[k].offset;
    length += held.planes[k].direction.size();
    double row = 0;
    for (std::size_t j = 0; j < count; ++j) row += gram.entries[k * gram.stride + j] * out.change[j];
    out.curvature += out.change[k] * row;
  }
  out.direction.clear();
  if (length < state_.w.size()) return;
  out.direction.resize(state_.w.size(), 0.0);
  geometry_.add_all(out.change, held.planes, out.direction);
}

double PlaneCache::apply(std::size_t block, Proposal& proposal) {
  if (!proposal.moves) return 0;
  BlockPlanes& held = state_.blocks[block];
  const std::size_t count = held.planes.size();
  const double damping = 1 + state_.kappa, curvature = proposal.curvature / damping;
  double slope = proposal.offset;
  if (!proposal.direction.empty()) {
    slope -= cone_.product(state_.w, proposal.direction);
  } else {
    for (std::size_t k = 0; k < count; ++k)
      if (proposal.change[k] != 0) slope -= proposal.change[k] * cone_.product(state_.w, held.planes[k]);
  }
  if (!(slope > 0)) return 0;
  const double step = slope < curvature ? slope / curvature : 1;
  for (std::size_t k = 0; k < count; ++k)
    if (proposal.change[k] != 0)
      held.alpha[k] = step == 1 ? proposal.alpha[k] : held.alpha[k] + step * proposal.change[k];
  if (!proposal.direction.empty()) {
    axpy(step / damping, std::span<const double>(proposal.direction), state_.w);
  } else {
    for (double& change : proposal.change) change *= step / damping;
    geometry_.add_all(proposal.change, held.planes, state_.w);
  }
  return step * (slope - 0.5 * step * std::max(0.0, curvature));
}

void PlaneCache::refresh_weights() {
  std::fill(state_.w.begin(), state_.w.end(), 0.0);
  for (const BlockPlanes& held : state_.blocks) geometry_.add_all(held.alpha, held.planes, state_.w);
  for (std::size_t j = 0; j < state_.centre.size(); ++j)
    state_.w[j] = (state_.w[j] + state_.kappa * state_.centre[j]) / (1 + state_.kappa);
}

double PlaneCache::dual() const {
  double sum = 0;
  for (const BlockPlanes& held : state_.blocks)
    for (std::size_t k = 0; k < held.planes.size(); ++k) sum += held.alpha[k] * held.planes[k].offset;
  const std::vector<double> v = dual_weights(state_);
  return sum - 0.5 * cone_.square(v);
}

std::uint64_t PlaneCache::planes() const {
  std::uint64_t sum = 0;
  for (const BlockPlanes& held : state_.blocks) sum += held.planes.size();
  return sum;
}

std::uint64_t PlaneCache::support_vectors() const {
  std::uint64_t sum = 0;
  for (const BlockPlanes& held : state_.blocks)
    for (const double alpha : held.alpha) sum += alpha > 0;
  return sum;
}

std::uint64_t PlaneCache::bytes() const {
  std::uint64_t sum = 0;
  for (std::size_t block = 0; block < grams_.size(); ++block) {
    sum += grams_[block].entries.size() * sizeof(double);
    for (const Plane& plane : state_.blocks[block].planes) sum += plane_bytes(plane);
  }
  return sum;
}

void PlaneCache::trim(std::uint64_t limit) {
  std::uint64_t held_bytes = bytes();
  for (std::uint64_t age = 64; held_bytes > limit; age /= 2) {
    for (std::size_t block = 0; block < grams_.size() && held_bytes > limit; ++block) {
      BlockPlanes& held = state_.blocks[block];
      for (std::size_t k = held.planes.size(); k-- > 0;) {
        if (held.alpha[k] > 0 || held.last_active[k] + age > state_.pass) continue;
        held_bytes -= plane_bytes(held.planes[k]);
        erase(block, k);
      }
    }
    if (age == 0) break;
  }
}

}  // namespace dorm
