// SPDX-License-Identifier: Apache-2.0
// What the targets share. A loader may refuse its input with an Error, and with nothing else; what it accepts
// must hold together.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dorm/dataset.h"
#include "dorm/error.h"

namespace dorm::fuzz {

using Bytes = std::span<const std::uint8_t>;

struct Seed {
  std::string name, content;
};

/// One loader. `seeds` makes inputs that the loader accepts, for formats that are not written by hand; may be null.
struct Target {
  const char* name;
  void (*run)(Bytes input);
  std::vector<Seed> (*seeds)() = nullptr;
};

std::span<const Target> data_targets();
std::span<const Target> list_targets();
std::span<const Target> model_targets();
std::span<const Target> checkpoint_targets();
std::span<const Target> text_targets();
std::span<const Target> shard_targets();
std::span<const Target> serve_targets();  // where there is a server

inline std::string_view as_text(Bytes input) { return {reinterpret_cast<const char*>(input.data()), input.size()}; }

/// Ends the process, which the fuzzer reports together with the input.
inline void require(bool holds) {
  if (!holds) std::abort();
}

/// The first byte of an input, which chooses among variants, and what is left of it.
inline std::uint8_t take_choice(Bytes& input) {
  if (input.empty()) return 0;
  const std::uint8_t choice = input.front();
  input = input.subspan(1);
  return choice;
}

/// Two queries of documents with ids, three features, labels 0 to 2.
const Dataset& small_data();

/// A folder for loaders that open files; removed at the end of the process.
std::string scratch_path(const std::string& name);
void write_scratch(const std::string& path, std::string_view content);
std::string read_scratch(const std::string& path);  // empty: there is none

}  // namespace dorm::fuzz
