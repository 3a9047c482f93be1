// SPDX-License-Identifier: Apache-2.0
// Data and figures the tests of training share.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include "dorm/evaluate.h"
#include "dorm/model.h"
#include "dorm/read.h"
#include "dorm/synth.h"
#include "support/source_dir.h"

namespace dorm::test {

inline Dataset web_like(std::uint64_t seed, std::uint64_t queries = 60, std::uint64_t features = 10) {
  return synthesize({.queries = queries, .features = features, .documents_median = 12, .seed = seed, .threads = 1});
}

inline double mean_of(const Model& model, const Dataset& data, const std::string& measure = "ndcg@10") {
  const std::vector<std::string> names = {measure};
  return evaluate(data, score(model, data, 1), names, {.bootstrap = 0, .threads = 1}).measures[0].mean;
}

/// A file of tests/learning/train/data: tiny problems and, from an independent program, their optima.
inline std::string tiny_file(const std::string& name) {
  return test::source_dir() + "/tests/learning/train/data/" + name;
}

/// A file of the real data, or an empty path where there is none.
inline std::string real_data(const std::string& name) {
  const char* folder = std::getenv("DORM_DATA");
  const std::string root = folder ? folder : test::source_dir() + "/../shared/data";
  const std::string path = root + "/" + name;
  return std::filesystem::exists(path) ? path : "";
}

}  // namespace dorm::test
