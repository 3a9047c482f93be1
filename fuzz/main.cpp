// SPDX-License-Identifier: Apache-2.0
// One executable for all targets, so that the library is linked once:
//   fuzz --target=NAME [flags of libFuzzer] [corpus...]
//   fuzz --list
//   fuzz --seeds=FOLDER     writes FOLDER/NAME/* for the targets that make their own seeds
// A copy of it that is named fuzz_NAME has the target NAME without a flag (oss-fuzz/build.sh).
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "dorm/read.h"
#include "target.h"

namespace dorm::fuzz {
namespace {

std::vector<Target> all_targets() {
  std::vector<Target> all;
  for (const auto& some :
       {data_targets(), list_targets(), model_targets(), checkpoint_targets(), text_targets(), shard_targets()})
    all.insert(all.end(), some.begin(), some.end());
#ifdef DORM_SERVER
  for (const Target& target : serve_targets()) all.push_back(target);
#endif
  return all;
}

Target chosen = {};

[[noreturn]] void list() {
  for (const Target& target : all_targets()) std::puts(target.name);
  std::exit(0);
}

[[noreturn]] void write_seeds(const std::filesystem::path& folder) {
  for (const Target& target : all_targets()) {
    if (target.seeds == nullptr) continue;
    std::filesystem::create_directories(folder / target.name);
    for (const Seed& seed : target.seeds()) write_scratch(folder / target.name / seed.name, seed.content);
  }
  std::exit(0);
}

class Scratch {
 public:
  Scratch() : folder_(std::filesystem::temp_directory_path() / ("dorm-fuzz-" + std::to_string(::getpid()))) {
    std::filesystem::create_directory(folder_);
  }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
};

}  // namespace

const Dataset& small_data() {
  static const Dataset data = parse_letor(
      "2 qid:1 1:0.5 2:1 3:-1 # docid = a\n"
      "0 qid:1 1:-0.5 2:0.25 # docid = b\n"
      "1 qid:1 1:0.75 3:2 # docid = c\n"
      "1 qid:2 1:0.125 2:-1 3:1 # docid = d\n"
      "0 qid:2 2:0.5 3:-0.5 # docid = e\n",
      "data");
  return data;
}

std::string scratch_path(const std::string& name) {
  static const Scratch scratch;
  return scratch.folder() / name;
}

void write_scratch(const std::string& path, std::string_view content) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(content.data(), static_cast<std::streamsize>(content.size())).flush();
  require(file.good());
}

std::string read_scratch(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace dorm::fuzz

// libFuzzer leaves flags with two dashes to the program.
extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  using namespace dorm::fuzz;
  const auto choose = [](std::string_view name) {
    for (const Target& target : all_targets())
      if (name == target.name) chosen = target;
  };
  const std::string program = std::filesystem::path((*argv)[0]).filename().string();
  if (program.starts_with("fuzz_")) choose(program.substr(5));
  for (int i = 1; i < *argc; ++i) {
    const std::string_view word = (*argv)[i];
    if (word == "--list") list();
    if (word.starts_with("--seeds=")) write_seeds(word.substr(8));
    if (word.starts_with("--target=")) choose(word.substr(9));
  }
  if (chosen.run == nullptr) {
    std::fputs("fuzz: --target=NAME names no target; --list lists them\n", stderr);
    std::exit(2);
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    dorm::fuzz::chosen.run({data, size});
  } catch (const dorm::Error&) {
    return 0;  // refused, as it should be
  }
  return 0;
}
