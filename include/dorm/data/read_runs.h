// SPDX-License-Identifier: Apache-2.0
// Reading runs query by query.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "dorm/data/run_sink.h"

namespace dorm {

struct RunReading {
  std::size_t threads = 0;                                                                 // 0: all cores
  std::function<void(std::uint64_t done_bytes, std::uint64_t total_bytes)> progress = {};  // total 0: not known
};

/// As read_run() of dorm/read.h, but handed on while the file is read, with memory for a few chunks of it. A run in
/// which the documents of a query do not stand together is read once more, into memory; standard input, other pipes and
/// JSON are read into memory at once. Returns the tag.
std::string read_run(const std::string& path, RunSink& sink, const RunReading& reading = {});

}  // namespace dorm
