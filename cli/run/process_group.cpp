// SPDX-License-Identifier: Apache-2.0
#include "run/process_group.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <string_view>

#include "base/byte_stream.h"
#include "base/number.h"

namespace dorm::cli {
namespace {

// The value of the first of these variables that holds a number.
std::size_t number_in(std::initializer_list<const char*> variables, std::size_t otherwise) {
  for (const char* name : variables) {
    const char* const text = std::getenv(name);
    double number = 0;
    if (text != nullptr && dorm::parse_number(std::string_view(text), number) == NumberKind::finite && number >= 0)
      return static_cast<std::size_t>(number);
  }
  return otherwise;
}

}  // namespace

Launched launched() {
  // Open MPI; MPICH and what descends from it, Slurm's PMI among them.
  Launched found;
  found.processes = number_in({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}, 1);
  found.rank = number_in({"OMPI_COMM_WORLD_RANK", "PMI_RANK"}, 0);
  return found.processes > 1 ? found : Launched{};
}

std::size_t longest_wait() { return std::max<std::size_t>(1, number_in({"DORM_MPI_TIMEOUT"}, 3600)); }

std::vector<std::string> ProcessGroup::exchange(const std::string& mine) {
  return unpacked(broadcast(packed(gather(mine))));  // what others have packed is not looked at
}

std::vector<Counts> ProcessGroup::exchange_counts(const Counts& mine) {
  std::vector<Counts> all;
  const std::string bytes(reinterpret_cast<const char*>(mine.data()), mine.size() * sizeof mine[0]);
  for (const std::string& said : exchange(bytes)) {
    all.emplace_back(said.size() / sizeof mine[0]);
    std::memcpy(all.back().data(), said.data(), said.size());
  }
  return all;
}

std::string packed(const std::vector<std::string>& texts) {
  ByteWriter to;
  for (const std::string& text : texts) to.text(text);
  return to.take();
}

std::vector<std::string> unpacked(const std::string& bytes) {
  ByteReader from(bytes, "message of another process");
  std::vector<std::string> texts;
  while (!from.at_end()) texts.push_back(from.text());
  return texts;
}

}  // namespace dorm::cli
