// SPDX-License-Identifier: Apache-2.0
// What a risk does unless it says otherwise.
#include "base/stopwatch.h"
#include "base/vector/ordered_sum.h"
#include "dorm/solver.h"

namespace dorm {
namespace {

// The block that a worker who now has number k of the batch will probably get next.
std::size_t next_block(const BlockBatch& batch, std::size_t k, std::size_t workers) {
  const std::size_t count = batch.blocks.size(), next = k + (batch.pieces == count ? workers : 1);
  if (next < count) return batch.blocks[next];
  return next - count < batch.following.size() ? batch.following[next - count] : RiskWorkspace::kUnknown;
}

}  // namespace

std::unique_ptr<RiskWorkspace> StructuredRisk::make_workspace() const { return std::make_unique<RiskWorkspace>(); }

double StructuredRisk::linearize_cost(std::size_t) const { return 50.0 * static_cast<double>(dimension()); }

void StructuredRisk::linearize_all(const BlockBatch& batch, BlockWorkers& workers, const BlockVisitor& visit) const {
  const std::size_t count = batch.blocks.size();
  workers.run(batch.pieces, [&](std::size_t piece, std::size_t worker) {
    RiskWorkspace& workspace = workers.workspace(worker);
    const std::size_t end = piece_begin(count, batch.pieces, piece + 1);
    for (std::size_t k = piece_begin(count, batch.pieces, piece); k < end; ++k) {
      const Stopwatch watch;
      workspace.upcoming = next_block(batch, k, workers.size());
      const double value = linearize(batch.blocks[k], batch.w, workspace.answer, workspace);
      workspace.oracle_seconds += watch.seconds();
      visit({k, batch.blocks[k], piece, value, workspace.answer});
    }
  });
}

}  // namespace dorm
