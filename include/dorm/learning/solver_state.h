// SPDX-License-Identifier: Apache-2.0
// Solvers by name, and where one stopped: enough to resume it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <span>
#include <string_view>
#include <vector>

#include "dorm/base/catalog.h"
#include "dorm/learning/geometry.h"

namespace dorm {

/// A solver: a row of solver_catalog(), the first of which is the default. Got by name.
enum class SolverKind : std::uint32_t {};

std::span<const CatalogEntry> solver_catalog();
std::string_view solver_name(SolverKind kind);
SolverKind parse_solver(std::string_view name);  // throws Error(unknown_name)

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

/// Where a solver stopped: enough to resume, to the same result bit for bit (bcda, nslack, oneslack) or from the same
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

}  // namespace dorm
