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
#include "dorm/learning/geometry.h"

namespace dorm {

/// Scratch memory of one thread inside a risk; a risk derives its own.
struct RiskWorkspace {
  static constexpr std::size_t kUnknown = static_cast<std::size_t>(-1);
  virtual ~RiskWorkspace() = default;
  Plane answer;                     // of linearize_all()
  std::size_t upcoming = kUnknown;  // a hint: the block that this thread will probably linearise next
  double oracle_seconds = 0;        // spent by linearize_all() so far
};

/// Blocks to be linearised at one w, in so many pieces: piece p is [count p / pieces, count (p + 1) / pieces).
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

/// A solver: a row of solver_catalog(), the first of which is the default. Got by name.
enum class SolverKind : std::uint32_t {};

std::span<const CatalogEntry> solver_catalog();
std::string_view solver_name(SolverKind kind);
SolverKind parse_solver(std::string_view name);  // throws Error(unknown_name)

struct SolveOptions {
  SolverKind solver = {};             // bcda
  double tolerance = 1e-3;            // stop at (P - D) / P <= tolerance
  double epsilon = 0;                 // nslack: the paper's order, until H_q <= slack + epsilon; 0: by tolerance
  std::uint64_t max_passes = 1000;    // oracle calls / blocks, rounded up
  double seconds = 0;                 // 0: no limit
  std::size_t threads = 1;            // 0: all cores; results do not depend on it
  std::uint64_t seed = 1;             // order of the blocks
  std::size_t planes_per_block = 50;  // cached planes with zero weight are dropped, oldest first, beyond this
  std::uint64_t plane_bytes = 0;      // the same over all blocks, in bytes; 0: no limit
  std::size_t batch = 0;              // blocks that share one w; 0: chosen from the number of blocks
  bool evaluate_often = false;        // bcda: for an observer that judges the w of every evaluation

  void validate() const;  // throws Error naming the field, its value and what is allowed
};

/// A plane over all blocks, or a mixture of planes of one block, in the coordinates of w.
struct AggregatePlane {
  double offset = 0;
  std::vector<double> direction;
};

/// The planes of one block and their dual weights, in slots of equal number.
struct BlockPlanes {
  std::vector<Plane> planes;
  std::vector<double> alpha;
  std::vector<std::uint64_t> last_active;  // the pass in which the plane arrived or last had weight
};

/// Where a solver stands: enough to go on, to the same result bit for bit (bcda, nslack, oneslack) or from the same
/// dual point (bcfw, lbfgs), or to start at another C. A plain value; `solver` says which arrays are used: blocks
/// (bcda, nslack, shards), aggregates with alpha (oneslack, lbfgs), aggregates one per block (bcfw).
struct SolverState {
  SolverKind solver = {};
  std::uint64_t dimension = 0;
  std::uint64_t pass = 0;
  std::uint64_t oracle_calls = 0;
  std::vector<double> block_weights;  // the C_q for which the dual weights are feasible
  std::vector<double> w;              // (sum alpha direction + kappa centre) / (1 + kappa), as accumulated
  std::vector<BlockPlanes> blocks;
  std::vector<AggregatePlane> aggregates;
  std::vector<double> aggregate_alpha;
  std::vector<double> best_w;  // empty: none yet
  double best_primal = 0;      // P(best_w)
  double best_dual = 0;
  std::uint64_t stalled = 0;         // rounds in a row that brought nothing
  bool between = false;              // bcda: no evaluation follows the pass, and the cached planes have been swept
  double kappa = 0;                  // of the accelerated proximal-point loop (bcda, nslack); 0: not begun
  std::vector<double> centre;        // what w is held near; empty when kappa is 0
  std::vector<double> last_centred;  // w when the centre last moved

  bool empty() const { return block_weights.empty(); }

  /// Multiplies every C_q and dual weight by `factor` > 0, which keeps the dual point feasible; the best w, its bounds
  /// and the counters belong to the old C and are cleared. Planes stay.
  void rescale(double factor);

  /// Binary, versioned and checksummed. load() refuses what is damaged, cut short or inconsistent with Error
  /// (bad_input); save() throws Error (io) when the stream fails.
  void save(std::ostream& out) const;
  static SolverState load(std::istream& in);
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

/// How to begin. `weights`: where the first planes are taken, e.g. a cheap ranker (empty: 0). `state`: a state of the
/// same solver (bcda and nslack read each other's) for the same risk; it is consumed.
struct SolveStart {
  std::span<const double> weights;
  SolverState state;
};

/// Minimises P. Throws Error for bad options or a start that does not fit, and when P is finite at no point met, not
/// even at 0; everything else that happens while solving ends in a status.
SolveResult solve(const StructuredRisk& risk, const SolveOptions& options, const Observer& observer = {},
                  SolveStart start = {});

}  // namespace dorm
