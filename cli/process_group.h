// SPDX-License-Identifier: Apache-2.0
// Processes that were started together (mpirun), and what they tell each other. process_group_mpi.cpp is the one file
// that knows MPI; process_group_alone.cpp replaces it in builds without.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace dorm::cli {

/// What the launcher says in the environment: how many processes it has started, and which of them this is. One where
/// nothing is said.
struct Launched {
  std::size_t processes = 1, rank = 0;
};
Launched launched();

/// Seconds without a word from the others after which a process takes one of them to hang:
/// DORM_MPI_TIMEOUT, or an hour.
std::size_t longest_wait();

using Counts = std::vector<std::uint64_t>;

class ProcessGroup {
 public:
  /// Joins the others; once in a process. Throws Error(unsupported) in builds without MPI.
  ProcessGroup();
  ~ProcessGroup();
  ProcessGroup(const ProcessGroup&) = delete;
  ProcessGroup& operator=(const ProcessGroup&) = delete;

  std::size_t size() const;
  std::size_t rank() const;  // 0: the one that drives, prints and writes

  /// Ends all processes at once, where this one cannot go on and the others wait for it.
  [[noreturn]] static void end_all();

  // All processes call the following together, in the same order. A process that waits sleeps; one that dies ends all,
  // by the launcher, and so does one that has waited longest_wait().

  /// What rank 0 says, in all processes.
  std::string broadcast(std::string said);
  /// In rank 0 what each process says, by rank; nothing in the others.
  std::vector<std::string> gather(const std::string& mine);
  /// The same in all processes.
  std::vector<std::string> exchange(const std::string& mine);
  std::vector<Counts> exchange_counts(const Counts& mine);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Texts in one, and back.
std::string packed(const std::vector<std::string>& texts);
std::vector<std::string> unpacked(const std::string& bytes);

}  // namespace dorm::cli
