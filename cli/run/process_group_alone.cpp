// SPDX-License-Identifier: Apache-2.0
// In builds without MPI.
#include <fmt/format.h>

#include <cstdlib>

#include "dorm/error.h"
#include "run/process_group.h"

namespace dorm::cli {

struct ProcessGroup::State {};

ProcessGroup::ProcessGroup() {
  throw Error(ErrorCode::unsupported,
              fmt::format("{} processes were started together, and this build cannot work with the others; expected "
                          "one built with cmake -DDORM_MPI=ON (docs/scale.md), or a single process",
                          launched().processes));
}
ProcessGroup::~ProcessGroup() = default;
void ProcessGroup::end_all() { std::abort(); }
std::size_t ProcessGroup::size() const { return 1; }
std::size_t ProcessGroup::rank() const { return 0; }
std::string ProcessGroup::broadcast(std::string said) { return said; }
std::vector<std::string> ProcessGroup::gather(const std::string& mine) { return {mine}; }

}  // namespace dorm::cli
