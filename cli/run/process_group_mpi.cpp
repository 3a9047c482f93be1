// SPDX-License-Identifier: Apache-2.0
// Messages are sent in pieces, since MPI counts in int. Waiting is asking at growing intervals: MPI itself would keep a
// core busy all the time, in every process.
#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <thread>

#include "base/stopwatch.h"
#include "run/process_group.h"
#include "text/messages.h"

namespace dorm::cli {

struct ProcessGroup::State {
  std::size_t size = 1, rank = 0;
};

namespace {

constexpr std::uint64_t kPiece = std::uint64_t{1} << 30;
constexpr auto kLongestSleep = std::chrono::microseconds(500);

// One that hangs without dying is noticed by nobody else.
[[noreturn]] void give_up_waiting() {
  say(fmt::format("dorm: no word from the other processes for {} s: one of them hangs (DORM_MPI_TIMEOUT)\n",
                  longest_wait()));
  ProcessGroup::end_all();
}

void wait_for(MPI_Request& request) {
  const Stopwatch watch;
  const auto limit = static_cast<double>(longest_wait());
  auto sleep = std::chrono::microseconds(1);
  for (int done = 0;;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done != 0) return;
    if (watch.seconds() > limit) give_up_waiting();
    std::this_thread::sleep_for(sleep);
    sleep = std::min<std::chrono::microseconds>(2 * sleep, kLongestSleep);
  }
}

// start(bytes, count, request) for each piece.
template <class Start>
void in_pieces(char* bytes, std::uint64_t size, const Start& start) {
  for (std::uint64_t done = 0; done < size; done += kPiece) {
    MPI_Request request = MPI_REQUEST_NULL;
    start(bytes + done, static_cast<int>(std::min(kPiece, size - done)), request);
    wait_for(request);
  }
}

void broadcast_bytes(void* bytes, std::uint64_t size) {
  in_pieces(static_cast<char*>(bytes), size, [](char* piece, int count, MPI_Request& request) {
    MPI_Ibcast(piece, count, MPI_CHAR, 0, MPI_COMM_WORLD, &request);
  });
}

void send_bytes(const void* bytes, std::uint64_t size) {
  in_pieces(static_cast<char*>(const_cast<void*>(bytes)), size, [](char* piece, int count, MPI_Request& request) {
    MPI_Isend(piece, count, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &request);
  });
}

void receive_bytes(void* bytes, std::uint64_t size, int from) {
  in_pieces(static_cast<char*>(bytes), size, [from](char* piece, int count, MPI_Request& request) {
    MPI_Irecv(piece, count, MPI_CHAR, from, 0, MPI_COMM_WORLD, &request);
  });
}

}  // namespace

ProcessGroup::ProcessGroup() : state_(std::make_unique<State>()) {
  int provided = 0, size = 1, rank = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  state_->size = static_cast<std::size_t>(size);
  state_->rank = static_cast<std::size_t>(rank);
}

ProcessGroup::~ProcessGroup() { MPI_Finalize(); }

void ProcessGroup::end_all() {
  MPI_Abort(MPI_COMM_WORLD, 1);
  std::abort();
}

std::size_t ProcessGroup::size() const { return state_->size; }
std::size_t ProcessGroup::rank() const { return state_->rank; }

std::string ProcessGroup::broadcast(std::string said) {
  std::uint64_t size = said.size();
  broadcast_bytes(&size, sizeof size);
  said.resize(size);
  broadcast_bytes(said.data(), size);
  return said;
}

std::vector<std::string> ProcessGroup::gather(const std::string& mine) {
  std::uint64_t size = mine.size();
  if (state_->rank > 0) {
    send_bytes(&size, sizeof size);
    send_bytes(mine.data(), size);
    return {};
  }
  std::vector<std::string> said = {mine};
  for (std::size_t from = 1; from < state_->size; ++from) {
    receive_bytes(&size, sizeof size, static_cast<int>(from));
    receive_bytes(said.emplace_back(size, '\0').data(), size, static_cast<int>(from));
  }
  return said;
}

}  // namespace dorm::cli
