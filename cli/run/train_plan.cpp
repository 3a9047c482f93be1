// SPDX-License-Identifier: Apache-2.0
#include "run/train_plan.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "base/json.h"
#include "base/parallel.h"
#include "base/stopwatch.h"
#include "run/output.h"
#include "run/progress.h"
#include "run/training_processes.h"

namespace dorm::cli {
namespace {

constexpr std::size_t kSampledDocuments = 20'000;  // some tenths of a second of training
constexpr double kUsableMemory = 0.8;              // of a machine; the system takes the rest

struct PlannedTime {
  std::size_t threads = 1;
  double seconds = 0;  // once the data is read
};

/// A sample of whole queries is trained on this machine, with 1, 2, 4 ... threads; time is in proportion to documents,
/// or to their square with an exact kernel.
struct TrainingPlan {
  std::size_t queries = 0, documents = 0, features = 0;
  std::size_t sampled_queries = 0, sampled_documents = 0;
  std::uint64_t passes = 0;      // over the sample, all rounds of all candidates
  std::uint64_t pass_bytes = 0;  // that one pass over all of the data reads
  MemoryForecast memory;
  std::vector<PlannedTime> times = {};
  std::size_t shards = 0;           // of a training by many processes
  std::uint64_t machine_bytes = 0;  // memory of this machine
  std::size_t machines = 1;         // as large as this one that hold the data and what is made of it
};

/// Whole queries, evenly over the data.
Dataset sample_of(const Dataset& data) {
  const std::size_t step = std::max<std::size_t>(1, data.num_documents() / kSampledDocuments);
  std::vector<std::size_t> queries;
  for (std::size_t q = 0; q < data.num_queries(); q += step) queries.push_back(q);
  return data.select(queries);
}

std::uint64_t memory_of_machine() {
  const long pages = ::sysconf(_SC_PHYS_PAGES), bytes = ::sysconf(_SC_PAGESIZE);
  return pages > 0 && bytes > 0 ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(bytes) : 0;
}

/// Counts the passes of all rounds: the number of a pass begins anew with each.
class PassCounter {
 public:
  bool operator()(const TrainProgress& progress) {
    if (progress.solver.pass < last_) total_ += last_;
    last_ = progress.solver.pass;
    return true;
  }
  std::uint64_t total() const { return total_ + last_; }

 private:
  std::uint64_t total_ = 0, last_ = 0;
};

TrainingPlan plan_training(const Dataset& data, const TrainOptions& options, const MemoryForecast& memory,
                           std::size_t of_files, const Settings& settings) {
  const Dataset sample = sample_of(data);
  TrainingPlan plan{.queries = data.num_queries(),
                    .documents = data.num_documents(),
                    .features = data.num_features(),
                    .sampled_queries = sample.num_queries(),
                    .sampled_documents = sample.num_documents(),
                    .pass_bytes = std::max(memory.features, memory.mapped),
                    .memory = memory};
  const double ratio = static_cast<double>(plan.documents) / static_cast<double>(plan.sampled_documents);
  const bool exact_kernel = options.kernel != "none" && options.approximation == "none";
  const std::size_t most = thread_count(settings.threads);
  for (std::size_t threads = 1; threads <= most; threads = threads < most ? std::min(most, 2 * threads) : most + 1) {
    TrainOptions trial = options;
    trial.compute.threads = threads;
    trial.checkpoint.clear();
    PassCounter passes;
    const Stopwatch watch;
    train(sample, trial, {}, std::ref(passes));
    plan.passes = passes.total();
    plan.times.push_back({threads, watch.seconds() * ratio * (exact_kernel ? ratio : 1)});
  }
  plan.shards = settled_shards(options, plan.queries, plan.features, of_files);
  plan.machine_bytes = memory_of_machine();
  const double needed = static_cast<double>(memory.total() + memory.mapped);
  if (plan.machine_bytes > 0)
    plan.machines = 1 + static_cast<std::size_t>(needed / (kUsableMemory * static_cast<double>(plan.machine_bytes)));
  return plan;
}

std::string plan_text(const TrainingPlan& plan) {
  std::vector<std::string> times;
  for (const PlannedTime& time : plan.times)
    times.push_back(
        fmt::format("{} with {} thread{}", duration_text(time.seconds), time.threads, time.threads > 1 ? "s" : ""));
  return fmt::format(
      "data         {} queries, {} documents, {} features; a pass reads {}\n"
      "sample       {} queries, {} documents were trained on: {} passes\n"
      "time         about {}, after reading\n"
      "memory       about {}; this machine has {}\n"
      "machines     {} like this one; {} shards in a training by many processes\n",
      plan.queries, plan.documents, plan.features, bytes_text(plan.pass_bytes), plan.sampled_queries,
      plan.sampled_documents, plan.passes, fmt::join(times, ", "), bytes_text(plan.memory.total()),
      bytes_text(plan.machine_bytes), plan.machines, plan.shards);
}

std::string plan_json(const TrainingPlan& plan) {
  Json times = Json::array();
  for (const PlannedTime& time : plan.times) times.push_back({{"threads", time.threads}, {"seconds", time.seconds}});
  return printable_json({{"queries", plan.queries},
                         {"documents", plan.documents},
                         {"features", plan.features},
                         {"sampled_queries", plan.sampled_queries},
                         {"sampled_documents", plan.sampled_documents},
                         {"passes", plan.passes},
                         {"pass_bytes", plan.pass_bytes},
                         {"memory_bytes", plan.memory.total()},
                         {"times", std::move(times)},
                         {"shards", plan.shards},
                         {"machine_bytes", plan.machine_bytes},
                         {"machines", plan.machines}},
                        2) +
         "\n";
}

}  // namespace

std::string plan_page(const Dataset& data, const TrainOptions& options, const MemoryForecast& memory,
                      std::size_t of_files, const Settings& settings) {
  const TrainingPlan plan = plan_training(data, options, memory, of_files, settings);
  return settings.json ? plan_json(plan) : plan_text(plan);
}

}  // namespace dorm::cli
