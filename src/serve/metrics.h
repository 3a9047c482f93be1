// SPDX-License-Identifier: Apache-2.0
// What happened, as Prometheus asks for it.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "serve/exchange.h"
#include "serve/loaded_model.h"
#include "serve/model_store.h"

namespace dorm::serve {

/// How long things took, in buckets that grow.
class Histogram {
 public:
  static constexpr std::array kBounds = {50e-6, 100e-6, 200e-6, 500e-6, 1e-3,   2e-3,   5e-3,
                                         10e-3, 20e-3,  50e-3,  100e-3, 200e-3, 500e-3, 1.0};

  void add(double seconds);
  void write(std::string& out, std::string_view name) const;

 private:
  std::array<std::uint64_t, kBounds.size() + 1> counts_ = {};
  double sum_ = 0;
};

class Metrics {
 public:
  void answered(const Answer& answer, double seconds);
  void out_of_range(const LoadedModel& model, const OutOfRange& features);
  void connected(int change);  // +1, -1
  void turned_away();          // a connection, since there were too many
  void failed() noexcept { failures_.fetch_add(1, std::memory_order_relaxed); }

  /// What others count.
  struct Elsewhere {
    std::uint64_t log_dropped = 0;
    std::size_t body_bytes = 0;
  };
  std::string text(const ModelStore& store, const Elsewhere& elsewhere) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::pair<std::string, int>, std::uint64_t> requests_;              // by model and status
  std::map<std::string, std::uint64_t> documents_;                             // by model
  std::map<std::pair<std::string, std::string>, std::uint64_t> out_of_range_;  // by model and feature
  Histogram request_seconds_, score_seconds_;
  std::int64_t connections_ = 0;
  std::uint64_t turned_away_ = 0;
  std::atomic<std::uint64_t> failures_ = 0;
};

}  // namespace dorm::serve
