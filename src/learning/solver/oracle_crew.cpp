// SPDX-License-Identifier: Apache-2.0
#include "learning/solver/oracle_crew.h"

#include <algorithm>

#include "base/stopwatch.h"
#include "learning/solver/batch_relay.h"

namespace dorm {

OracleCrew::OracleCrew(const StructuredRisk& risk, std::size_t threads) : risk_(risk), pool_(thread_count(threads)) {
  for (std::size_t worker = 0; worker < pool_.size(); ++worker) {
    workers_.push_back(std::make_unique<Worker>());
    workers_.back()->workspace = risk.make_workspace();
  }
  for (std::size_t block = 0; block < risk.num_blocks(); ++block) {
    if (!(risk.block_weight(block) > 0)) continue;
    blocks_.push_back(block);
    total_weight_ += risk.block_weight(block);
  }
}

void OracleCrew::run(std::size_t count, const std::function<void(std::size_t, std::size_t)>& body) {
  if (count > 1 && pool_.size() > 1) return pool_.run(count, body);
  for (std::size_t index = 0; index < count; ++index) body(index, 0);
}

void OracleCrew::run_batches(std::size_t count, std::size_t batch,
                             const std::function<void(std::size_t, std::size_t)>& body,
                             const std::function<void(std::size_t, std::size_t)>& serial) {
  if (batch > 1 && pool_.size() > 1) {
    BatchRelay relay(body);
    return pool_.run(pool_.size(), [&](std::size_t index, std::size_t worker) {
      if (index == 0)
        relay.lead(count, batch, worker, serial);
      else
        relay.follow(worker);
    });
  }
  for (std::size_t first = 0; first < count; first += batch) {
    const std::size_t last = std::min(count, first + batch);
    for (std::size_t index = first; index < last; ++index) body(index, 0);
    serial(first, last);
  }
}

OracleCrew::Answer OracleCrew::linearize(std::size_t block, std::span<const double> w, std::size_t worker) {
  Worker& self = *workers_[worker];
  const Stopwatch watch;
  const double value = risk_.linearize(block, w, self.plane, *self.workspace);
  self.seconds += watch.seconds();
  ++self.calls;
  return {value, &self.plane};
}

double OracleCrew::evaluate(std::span<const double> w, std::size_t chunks, const Visit& visit) {
  const std::size_t count = blocks_.size();
  values_.resize(count);
  run(chunks, [&](std::size_t chunk, std::size_t worker) {
    for (std::size_t k = count * chunk / chunks; k < count * (chunk + 1) / chunks; ++k) {
      const Answer answer = linearize(blocks_[k], w, worker);
      values_[k] = answer.value;
      if (visit) visit(chunk, blocks_[k], answer);
    }
  });
  double sum = 0;
  for (std::size_t k = 0; k < count; ++k) sum += risk_.block_weight(blocks_[k]) * values_[k];
  return sum;
}

std::uint64_t OracleCrew::calls() const {
  std::uint64_t sum = 0;
  for (const auto& worker : workers_) sum += worker->calls;
  return sum;
}

double OracleCrew::seconds() const {
  double sum = 0;
  for (const auto& worker : workers_) sum += worker->seconds;
  return sum;
}

}  // namespace dorm
