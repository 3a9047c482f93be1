// SPDX-License-Identifier: Apache-2.0
// A card that can be used, or why not.
#pragma once

#include <cstdint>
#include <string>

namespace dorm::cuda {

struct Card {
  int number = 0;
  std::string name;
  std::uint64_t free_bytes = 0;
  std::uint64_t shared_bytes = 0;  // that a block of threads may have
};

/// Makes the card the one of this thread. Throws Failure where there is none, or none that this build has code for.
Card use_card(int number);

}  // namespace dorm::cuda
