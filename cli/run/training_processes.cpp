// SPDX-License-Identifier: Apache-2.0
#include "run/training_processes.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "data/storage.h"
#include "dorm/data/prepare.h"
#include "dorm/data/shard_files.h"
#include "dorm/error.h"
#include "dorm/learning/shard.h"
#include "dorm/learning/train_shards.h"
#include "dorm/train.h"
#include "run/stop.h"
#include "text/messages.h"

namespace dorm::cli {
namespace {

// First character of an response: it is one, or a failure.
constexpr char kAnswers = 'a', kFailure = 'f';

void refuse_for_processes(bool given, const char* option, const char* why) {
  if (given) throw Error(ErrorCode::unsupported, fmt::format("{} does not go with several processes: {}", option, why));
}

void require_own_shard(const Dataset& data, std::size_t of_files, const ProcessGroup& group) {
  for (std::size_t q = 0; q < data.num_queries(); ++q)
    if (const std::string_view id = data.query(q).id; shard_of(id, of_files) % group.size() != group.rank())
      throw Error(ErrorCode::bad_input,
                  fmt::format("the query \"{}\" is not in the file of its shard; dorm convert --shards makes files in "
                              "which it is",
                              id));
}

std::vector<Shard> own_shards(std::vector<Dataset> shards, std::size_t of_files, const ProcessGroup& group) {
  std::vector<Shard> own;
  for (std::size_t s = 0; s < shards.size(); ++s) {
    const std::size_t file = of_files > 0 ? s % of_files : s;
    if (file % group.size() == group.rank()) own.push_back({static_cast<std::uint32_t>(s), std::move(shards[s])});
  }
  return own;
}

bool all_negative(const Dataset& data) {
  const std::span<const float> labels = data.storage().labels;
  return std::all_of(labels.begin(), labels.end(), [](float label) { return label < 0; });
}

}  // namespace

std::size_t shards_of_files(const std::string& pattern) {
  if (!names_many_files(pattern)) return 0;
  std::size_t of = 0;
  for (const std::string& file : files_present(pattern)) {
    const std::optional<ShardName> name = parse_shard_file_name(file);
    if (!name || (of != 0 && name->num_shards != of)) return 0;
    of = name->num_shards;
  }
  return of;
}

std::size_t settled_shards(const TrainOptions& options, std::size_t queries, std::size_t features,
                           std::size_t of_files) {
  if (options.shards > 0) return options.shards;
  const std::size_t wanted = default_shards(queries, features);
  return of_files == 0 ? wanted : (wanted + of_files - 1) / of_files * of_files;
}

TrainingProcesses::TrainingProcesses(const TrainingArguments& arguments, const Settings& settings,
                                     const std::function<void()>& check) {
  refuse_for_processes(!arguments.reports.empty(), "--report", "a page shows documents of all; dorm eval has one, too");
  refuse_for_processes(!arguments.weights.empty(), "--weights",
                       "weights are those of one file; give them to dorm convert");
  refuse_for_processes(arguments.options.compute.memory > 0, "--memory", "each process has memory of its own");
  together([&] {
    if (drives()) check();
  });
  together([&] { read_own(arguments, settings); });
  settle_labels(parse_unjudged(arguments.input.unjudged));
  together([&] { make_host(arguments.options, settings); });
  if (!arguments.valid.empty()) together([&] { read_valid(arguments, settings); });
  if (drives() && unjudged_ > 0 && arguments.input.unjudged == name_of(Unjudged::automatic))
    warn(settings, fmt::format("{}: {} documents have label -1, which counts as label 0; --unjudged grade "
                               "takes them for worse than 0",
                               arguments.data, unjudged_));
}

TrainingProcesses::~TrainingProcesses() {
  if (drives()) group_.broadcast(std::string(1, kOver));
}

std::string TrainingProcesses::text() const {
  return fmt::format("dorm: {} processes, {} shards: {} queries, {} documents\n", group_.size(), num_shards_, queries_,
                     documents_);
}

// What is thrown in one process is thrown in all.
template <class Body>
void TrainingProcesses::together(const Body& body) {
  std::vector<std::string> failure;
  try {
    body();
  } catch (const Error& error) {
    failure = {std::to_string(static_cast<int>(error.code())), error.what()};
  } catch (const std::exception& error) {
    failure = {std::to_string(static_cast<int>(ErrorCode::internal)), error.what()};
  }
  for (const std::string& said : group_.exchange(packed(failure))) {
    if (said.empty()) continue;
    const std::vector<std::string> parts = unpacked(said);
    throw Error(static_cast<ErrorCode>(std::stoi(parts.at(0))), parts.at(1));
  }
}

void TrainingProcesses::read_own(const TrainingArguments& arguments, const Settings& settings) {
  Settings own_settings = settings;
  own_settings.quiet = settings.quiet || !drives();
  InputArguments input = arguments.input;
  input.unjudged = name_of(Unjudged::grade);  // settled over all processes
  of_files_ = shards_of_files(arguments.data);
  const std::vector<std::string> files =
      of_files_ > 0 ? chosen_files(arguments.data, {group_.rank(), group_.size()}) : data_files(arguments.data);
  if (files.empty()) return;
  own_ = load(arguments.data, files, input, own_settings).data;
  input_ = own_.input();
  if (of_files_ > 0) about_file(arguments.data, [&] { require_own_shard(own_, of_files_, group_); });
}

// The rule is one for all; numbers of documents are counted over all.
void TrainingProcesses::settle_labels(Unjudged rule) {
  Unjudged settled = settle_unjudged(rule, own_.storage().labels);
  for (const Counts& counts : group_.exchange_counts({static_cast<std::uint64_t>(settled == Unjudged::grade)}))
    if (counts[0] != 0) settled = Unjudged::grade;
  std::size_t changed = 0;
  if (settled == Unjudged::drop && all_negative(own_)) {
    changed = own_.num_documents();
    own_ = Dataset();
  } else {
    own_ = with_unjudged(own_, settled, &changed);
  }
  const bool counted = of_files_ > 0 || drives();  // else all have read the same
  std::uint64_t features = 0;
  for (const Counts& counts : group_.exchange_counts(
           {own_.num_queries(), own_.num_documents(), changed, own_.num_features(), counted ? 1u : 0u})) {
    features = std::max(features, counts[3]);
    if (counts[4] == 0) continue;
    queries_ += counts[0];
    documents_ += counts[1];
    unjudged_ += counts[2];
  }
  num_features_ = features;
}

void TrainingProcesses::make_host(const TrainOptions& options, const Settings& settings) {
  num_shards_ = settled_shards(options, queries_, num_features_, of_files_);
  if (of_files_ > 0 && num_shards_ % of_files_ != 0)
    throw Error(ErrorCode::bad_option, fmt::format("--shards is {}, and the files are {} shards; with several "
                                                   "processes expected a multiple of that",
                                                   num_shards_, of_files_));
  train_.emplace(own_shards(split_into_shards(own_, num_shards_, settings.threads), of_files_, group_),
                 ComputeOptions{.threads = settings.threads});
}

void TrainingProcesses::read_valid(const TrainingArguments& arguments, const Settings& settings) {
  Settings own_settings = settings;
  own_settings.quiet = settings.quiet || !drives();
  const Dataset data = load(arguments.valid, arguments.input, own_settings, {.like = &input_}).data;
  // Judged with its documents in the order of the file, as dorm eval does.
  valid_.emplace(own_shards(queries_of_shards(data, num_shards_), 0, group_),
                 ComputeOptions{.threads = settings.threads});
}

std::vector<std::string> TrainingProcesses::ask(char whom, std::string_view request) {
  group_.broadcast(whom + std::string(request));
  std::vector<std::string> responses;
  std::exception_ptr failure;  // thrown once the others have been heard
  try {
    responses = host(whom).response(request);
  } catch (...) {
    failure = std::current_exception();
  }
  const std::vector<std::string> said = group_.gather("");
  if (failure) std::rethrow_exception(failure);
  for (std::size_t rank = 1; rank < said.size(); ++rank) {
    if (said[rank].front() == kFailure)
      throw Error(ErrorCode::internal, fmt::format("process {}: {}", rank, said[rank].substr(1)));
    for (std::string& response : unpacked(said[rank].substr(1))) responses.push_back(std::move(response));
  }
  return responses;
}

void TrainingProcesses::respond() try {
  const EndingSignals left_to_the_first([](int) {});
  for (;;) {
    const std::string said = group_.broadcast("");
    if (said.front() == kOver) return;
    std::string reply;
    try {
      reply = kAnswers + packed(host(said.front()).response(std::string_view(said).substr(1)));
    } catch (const std::exception& error) {
      reply = kFailure + std::string(error.what());
    }
    group_.gather(reply);
  }
} catch (const std::exception& error) {
  restore_output();
  say(fmt::format("dorm: process {}: {}\n", group_.rank(), error.what()));
  ProcessGroup::end_all();
}

TrainResult TrainingProcesses::train(const TrainOptions& options, const TrainObserver& observer) {
  ShardTransport held_out;
  if (valid_) held_out = [this](std::string_view request) { return ask(kValid, request); };
  return train_shards([this](std::string_view request) { return ask(kTrain, request); }, options, held_out, observer);
}

}  // namespace dorm::cli
