// SPDX-License-Identifier: Apache-2.0
// `dorm train` with the processes of one launch: each holds shards of the data and responds to requests about them;
// the first is the driver, which prints and writes (dorm/learning/shard.h, docs/scale.md).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "dorm/data/prepare.h"
#include "dorm/learning/shard.h"
#include "options/training_options.h"
#include "run/process_group.h"

namespace dorm::cli {

/// The number of shards of the data set of these files, by their names; 0: they are not shards of one set.
std::size_t shards_of_files(const std::string& pattern);

/// The number of --shards, else by the size of the data. `of_files`: that of the files, whose shards stay whole; 0:
/// none.
std::size_t settled_shards(const TrainOptions& options, std::size_t queries, std::size_t features,
                           std::size_t of_files);

class TrainingProcesses {
 public:
  /// Reads the part of this process, after the driver has called `check`. An error in one process is thrown in all: a
  /// process that ends before it has joined the others would leave the launcher waiting. Throws Error(unsupported) for
  /// arguments that need all documents in one process.
  TrainingProcesses(const TrainingArguments& arguments, const Settings& settings, const std::function<void()>& check);
  /// The driver ends the other processes.
  ~TrainingProcesses();
  TrainingProcesses(const TrainingProcesses&) = delete;
  TrainingProcesses& operator=(const TrainingProcesses&) = delete;

  bool drives() const { return group_.rank() == 0; }
  std::size_t num_shards() const { return num_shards_; }
  std::string text() const;  // a summary of the data, for the terminal

  /// In the driver.
  TrainResult train(const TrainOptions& options, const TrainObserver& observer);
  /// In the other processes: responds to requests until the driver ends.
  void respond();

 private:
  template <class Body>
  void together(const Body& body);
  void read_own(const TrainingArguments& arguments, const Settings& settings);
  void settle_labels(Unjudged rule);
  void make_host(const TrainOptions& options, const Settings& settings);
  void read_valid(const TrainingArguments& arguments, const Settings& settings);
  std::vector<std::string> ask(char whom, std::string_view request);
  const ShardHost& host(char whom) const { return whom == kValid ? *valid_ : *train_; }

  static constexpr char kTrain = 't', kValid = 'v', kOver = 'o';  // the first byte of a message to all

  ProcessGroup group_;
  Dataset own_;               // the documents of this process, or all of them
  std::size_t of_files_ = 0;  // as shards_of_files(); then only files of this process were read
  std::size_t num_shards_ = 0, num_features_ = 0;
  std::uint64_t queries_ = 0, documents_ = 0, unjudged_ = 0;  // of all processes
  InputDescription input_;
  std::optional<ShardHost> train_, valid_;
};

}  // namespace dorm::cli
