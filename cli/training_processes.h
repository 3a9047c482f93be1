// SPDX-License-Identifier: Apache-2.0
// `dorm train` by several processes that were started together: each holds shards of the data and responses requests
// about them; the first drives, prints and writes (dorm/learning/shard.h, docs/scale.md).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "dorm/learning/shard.h"
#include "process_group.h"
#include "training_options.h"

namespace dorm::cli {

/// How many shards the files that `words` name are the shards of, by their names; 0: they are not shards of one set.
std::size_t shards_of_files(const std::string& words);

/// What --shards says, else by the size of the data; files of so many shards (0: none) have whole shards of that many.
std::size_t settled_shards(const TrainOptions& options, std::size_t queries, std::size_t features,
                           std::size_t of_files);

class TrainingProcesses {
 public:
  /// Reads what falls to this process, once the one that drives has called `check`. What goes wrong in one is thrown in
  /// all: a process that ended before it has joined the others would leave launchers waiting. Throws Error(unsupported)
  /// for arguments that need all documents in one process.
  TrainingProcesses(const TrainingArguments& arguments, const Settings& settings, const std::function<void()>& check);
  /// The one that drives tells the others that it is over.
  ~TrainingProcesses();
  TrainingProcesses(const TrainingProcesses&) = delete;
  TrainingProcesses& operator=(const TrainingProcesses&) = delete;

  bool drives() const { return group_.rank() == 0; }
  std::size_t num_shards() const { return num_shards_; }
  std::string text() const;  // what was read, for people

  /// Of the one that drives.
  TrainResult train(const TrainOptions& options, const TrainObserver& observer);
  /// Of the others: responses until it is over.
  void response();

 private:
  template <class Body>
  void together(const Body& body);
  void read_own(const TrainingArguments& arguments, const Settings& settings);
  void settle_labels(Unjudged rule);
  void make_host(const TrainOptions& options, const Settings& settings);
  void read_valid(const TrainingArguments& arguments, const Settings& settings);
  std::vector<std::string> ask(char whom, std::string_view request);
  const ShardHost& host(char whom) const { return whom == kValid ? *valid_ : *train_; }

  static constexpr char kTrain = 't', kValid = 'v', kOver = 'o';  // what a message to all begins with

  ProcessGroup group_;
  Dataset own_;               // the documents of this process, or all of them
  std::size_t of_files_ = 0;  // as shards_of_files(); then only files of this process were read
  std::size_t num_shards_ = 0, num_features_ = 0;
  std::uint64_t queries_ = 0, documents_ = 0, unjudged_ = 0;  // of all processes
  InputDescription input_;
  std::optional<ShardHost> train_, valid_;
};

}  // namespace dorm::cli
