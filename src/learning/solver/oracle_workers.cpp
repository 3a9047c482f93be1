// SPDX-License-Identifier: Apache-2.0
#include "learning/solver/oracle_workers.h"

#include <algorithm>
#include <numeric>

#include "learning/solver/batch_relay.h"

namespace dorm {

OracleWorkers::OracleWorkers(const StructuredRisk& risk, std::size_t threads)
    : risk_(risk), cone_(risk.geometry()), pool_(thread_count(threads)) {
  for (std::size_t worker = 0; worker < pool_.size(); ++worker) workspaces_.push_back(risk.make_workspace());
  for (std::size_t block = 0; block < risk.num_blocks(); ++block) {
    if (!(risk.block_weight(block) > 0)) continue;
    blocks_.push_back(block);
    total_weight_ += risk.block_weight(block);
  }
}

OracleWorkers::~OracleWorkers() = default;

void OracleWorkers::run(std::size_t count, const std::function<void(std::size_t, std::size_t)>& body) {
  if (count > 1 && relay_) return relay_->run(count, leader_, body);
  if (count > 1 && size() > 1) return pool_.run(count, body);
  for (std::size_t index = 0; index < count; ++index) body(index, leader_);
}

void OracleWorkers::run_batches(std::size_t count, std::size_t batch,
                                const std::function<void(std::size_t, std::size_t)>& step) {
  const auto run_all = [&] {
    for (std::size_t first = 0; first < count; first += batch) step(first, std::min(count, first + batch));
  };
  if (batch == 1 || size() == 1) return run_all();
  BatchRelay relay;
  pool_.run(size(), [&](std::size_t index, std::size_t worker) {
    if (index > 0) return relay.follow(worker);
    relay_ = &relay;
    leader_ = worker;
    std::exception_ptr failure;
    try {
      run_all();
    } catch (...) {
      failure = std::current_exception();
    }
    relay_ = nullptr;
    leader_ = 0;
    relay.finish();
    if (failure) std::rethrow_exception(failure);
  });
}

void OracleWorkers::linearize(std::span<const std::size_t> blocks, std::span<const double> v, const BlockVisitor& visit,
                              std::span<const std::size_t> following) {
  risk_.linearize_all({blocks, cone_.nearest(v, nearest_), blocks.size(), following}, *this, visit);
}

double OracleWorkers::evaluate(std::span<const double> v, std::size_t pieces, const BlockVisitor& visit) {
  values_.resize(blocks_.size());
  risk_.linearize_all({blocks_, cone_.nearest(v, nearest_), pieces, {}}, *this, [&](const BlockResponse& answer) {
    values_[answer.index] = risk_.block_weight(answer.block) * answer.value;
    if (visit) visit(answer);
  });
  return std::accumulate(values_.begin(), values_.end(), 0.0);
}

double OracleWorkers::seconds() const {
  double sum = 0;
  for (const auto& workspace : workspaces_) sum += workspace->oracle_seconds;
  return sum;
}

}  // namespace dorm
