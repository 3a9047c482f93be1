// SPDX-License-Identifier: Apache-2.0
// Minimising a structured risk, with a certificate:
//
//     P(w) = 1/2 |w|^2 + sum_q C_q H_q(w),    H_q(w) = max over planes of (offset - <w, direction>)  >= 0.
//
// Dual: weights alpha >= 0 on the planes of each block, sum alpha_q <= C_q (the rest lies on the zero plane), w = sum
// alpha direction, D = sum alpha offset - 1/2 |w|^2 <= P(w') for every w'. Solvers see planes through StructuredRisk
// only. Guide: docs/solvers.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dorm/base/catalog.h"
#include "dorm/base/compute.h"
#include "dorm/learning/geometry.h"
#include "dorm/learning/solver_state.h"

namespace dorm {

/// Scratch memory of one thread inside a risk; a risk derives its own.
struct RiskWorkspace {
  static constexpr std::size_t kUnknown = static_cast<std::size_t>(-1);
  virtual ~RiskWorkspace() = default;
  Plane answer;                     // of linearize_all()
  std::size_t upcoming = kUnknown;  // a hint: the block that this thread will probably linearise next
  double oracle_seconds = 0;        // spent by linearize_all() so far
};

/// Blocks to be linearised at one w, in a number of pieces: piece p is [count p / pieces, count (p + 1) / pieces).
struct BlockBatch {
  std::span<const std::size_t> blocks;
  std::span<const double> w;
  std::size_t pieces = 1;
  std::span<const std::size_t> following = {};  // a hint: blocks that will probably be asked for afterwards
};

/// One of them when it has been linearised.
struct BlockResponse {
  std::size_t index = 0;  // in the batch
  std::size_t block = 0;
  std::size_t piece = 0;
  double value = 0;    // H_q(w)
  const Plane& plane;  // attains it; gone after the visit
};
using BlockVisitor = std::function<void(const BlockResponse&)>;

/// The threads that a batch may use, each with a workspace of the risk.
class BlockWorkers {
 public:
  virtual ~BlockWorkers() = default;
  virtual std::size_t size() const = 0;
  virtual RiskWorkspace& workspace(std::size_t worker) = 0;
  /// body(index, worker) for every index < count, worker < size(); returns when all are done.
  virtual void run(std::size_t count, const std::function<void(std::size_t index, std::size_t worker)>& body) = 0;
};

/// All that a solver sees of a learning problem. Const calls are safe from several threads, each with its own
/// workspace, and give the same bits for the same arguments. What weights and planes mean belongs to the
/// risk's geometry.
class StructuredRisk {
 public:
  virtual ~StructuredRisk() = default;

  /// The space of its weights and planes: one object for as long as the risk lives.
  virtual const Geometry& geometry() const = 0;
  std::size_t dimension() const { return geometry().dimension(); }

  virtual std::size_t num_blocks() const = 0;
  virtual double block_weight(std::size_t block) const = 0;  // C_q, finite, >= 0; blocks with 0 are never visited

  virtual std::unique_ptr<RiskWorkspace> make_workspace() const;

  /// Returns H_q(w) and leaves a plane that attains it in `out` (whose old memory may be reused).
  virtual double linearize(std::size_t block, std::span<const double> w, Plane& out,
                           RiskWorkspace& workspace) const = 0;

  /// Linearises many blocks at one w; all that solvers call. Every block is visited once, with the value and the plane
  /// that linearize() gives, to the last bit: in order within a piece, pieces in any order and several at a time. By
  /// default the workers share the pieces and visit a block as soon as it is known. A risk whose oracle runs on another
  /// device or machine answers the batch there instead, and lets the workers visit.
  virtual void linearize_all(const BlockBatch& batch, BlockWorkers& workers, const BlockVisitor& visit) const;

  /// Rough number of multiply-adds of linearize(). It steers how often cached planes are reused before the next oracle
  /// pass; it never changes what is correct. Default: 50 dimension().
  virtual double linearize_cost(std::size_t block) const;
};

struct SolveOptions {
  SolverKind solver = {};             // bcda
  double tolerance = 1e-3;            // stop at (P - D) / P <= tolerance
  double epsilon = 0;                 // nslack: the paper's order, until H_q <= slack + epsilon; 0: by tolerance
  std::uint64_t max_passes = 1000;    // oracle calls / blocks, rounded up
  double seconds = 0;                 // 0: no limit
  std::uint64_t seed = 1;             // order of the blocks
  std::size_t planes_per_block = 50;  // cached planes with zero weight are dropped, oldest first, beyond this
  std::size_t batch = 0;              // blocks that share one w; 0: chosen from the number of blocks
  bool evaluate_often = false;        // bcda: for an observer that validates the w of every evaluation

  void validate() const;  // throws Error naming the field, its value and what is allowed
};

/// Whether a lower bound lies above the value it bounds by more than rounding: then arithmetic has failed, and neither
/// number certifies anything.
bool contradict(double primal, double dual);

/// (primal - dual) / primal; 0 where the bound passes the value by rounding, 1 where they contradict.
double relative_gap(double primal, double dual);

struct Progress {
  std::uint64_t pass = 0;
  double primal = 0;  // best so far
  double dual = 0;    // best so far
  double gap = 0;     // relative_gap(primal, dual); 1 before the first evaluation
  double seconds = 0;
  std::uint64_t oracle_calls = 0;
  std::uint64_t planes = 0;  // cached
  // In the observer's call only:
  bool evaluated = false;              // a primal value has just been computed
  const SolverState* state = nullptr;  // where to resume; null for `online` and, but for bcda, between evaluations
  std::span<const double> best_w;      // empty before the first evaluation
};

/// Called after every oracle pass, and with `evaluated` whenever a primal value has been computed. False stops the
/// solver; between evaluations, after one last evaluation pass.
using Observer = std::function<bool(const Progress&)>;

enum class SolveStatus { converged, pass_limit, time_limit, interrupted, numerical_trouble };

struct SolveReport {
  SolveStatus status = SolveStatus::converged;
  double primal = 0;    // P(w) of the returned w
  double dual = 0;      // the best lower bound found
  double gap = 0;       // relative_gap(primal, dual)
  std::string trouble;  // the reason, for numerical_trouble
  std::uint64_t passes = 0;
  std::uint64_t oracle_calls = 0;
  std::uint64_t planes = 0;           // cached at the end
  std::uint64_t support_vectors = 0;  // planes with positive weight at the end
  double seconds = 0;
  double oracle_seconds = 0;  // linearize, summed over threads
  double qp_seconds = 0;      // products with planes, quadratic programs, updates of w; wall clock
  std::vector<Progress> history;
};

struct SolveResult {
  std::vector<double> w;  // the best primal iterate
  SolveReport report;
  SolverState state;  // where the solver stopped; empty for `online`
};

/// How to begin. `weights`: where the first planes are taken, e.g. an initial model (empty: 0). `state`: a state of the
/// same solver (bcda and nslack read each other's) for the same risk; it is consumed.
struct SolveStart {
  std::span<const double> weights;
  SolverState state;
};

/// Minimises P. Throws Error for bad options or a start that does not fit, and when P is finite at no point met, not
/// even at 0; everything else that happens while solving ends in a status. Of `compute`, the threads count, and the
/// memory limits the cached planes of all blocks: idle ones are dropped beyond it.
SolveResult solve(const StructuredRisk& risk, const SolveOptions& options, const Observer& observer = {},
                  SolveStart start = {}, const ComputeOptions& compute = {.threads = 1});

}  // namespace dorm
