// SPDX-License-Identifier: Apache-2.0
// The processes of one launch (mpirun), and their messages. Only process_group_mpi.cpp uses MPI;
// process_group_alone.cpp replaces it in builds without.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace dorm::cli {

/// The number of processes and the rank of this one, from the environment of the launcher; one process without it.
struct Launched {
  std::size_t processes = 1, rank = 0;
};
Launched launched();

/// Seconds without a message after which a process assumes that another one hangs: DORM_MPI_TIMEOUT, or an hour.
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
  std::size_t rank() const;  // 0: the driver, which prints and writes

  /// Ends all processes at once, when this one cannot continue and the others wait for it.
  [[noreturn]] static void end_all();

  // All processes call the following together, in the same order. A waiting process sleeps. The launcher ends all
  // processes when one dies, and a process that has waited longest_wait() ends them, too.

  /// Returns the text of rank 0 in all processes.
  std::string broadcast(std::string text);
  /// Returns in rank 0 the texts of all processes, by rank; nothing in the others.
  std::vector<std::string> gather(const std::string& mine);
  /// As gather(), in all processes.
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
