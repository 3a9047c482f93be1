// SPDX-License-Identifier: Apache-2.0
// Files of judged documents. What can be read and written again must read the same.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <sstream>

#include "base/checksum.h"
#include "data/io/binary/binary.h"
#include "dorm/data/one_per.h"
#include "dorm/data/split.h"
#include "dorm/read.h"
#include "dorm/write.h"
#include "target.h"

namespace dorm::fuzz {
namespace {

ReadOptions one_thread(std::uint8_t choice) {
  ReadOptions options;
  options.threads = 1;
  options.side_files = false;
  options.missing = static_cast<Missing>(choice % 3);
  return options;
}

void letor(Bytes input) {
  const ReadOptions options = one_thread(take_choice(input));
  const Dataset first = parse_letor(as_text(input), "input", options);
  std::ostringstream text;
  write_letor(first, text);
  require(first.fingerprint() == parse_letor(text.str(), "written", options).fingerprint());
}

void csv(Bytes input) {
  const std::uint8_t choice = take_choice(input);
  ReadOptions options = one_thread(choice);
  options.format = choice % 2 == 0 ? DataFormat::csv : DataFormat::tsv;
  const Dataset first = parse_csv(as_text(input), "input", options);
  std::ostringstream text;
  write_csv(first, text, choice % 2 == 0 ? ',' : '\t');
  require(first.fingerprint() == parse_csv(text.str(), "written", options).fingerprint());
}

// The parts hold the documents of the whole.
void split(Bytes input) {
  constexpr DataFormat kFormats[] = {DataFormat::letor, DataFormat::csv, DataFormat::jsonl};
  const std::uint8_t choice = take_choice(input);
  ReadOptions options = one_thread(1);
  options.format = kFormats[choice % 3];
  const auto parts = split_text(as_text(input), "input", {.test = 0.3, .valid = 0.2, .seed = choice}, options);
  require(parts.size() == 3);
  if (options.format != DataFormat::letor) return;
  std::size_t documents = 0;
  const std::size_t all = parse_letor(as_text(input), "input", options).num_documents();
  for (const std::string& part : parts) documents += parse_letor(part, "part", options).num_documents();
  require(documents == all);
}

void jsonl(Bytes input) {
  const std::uint8_t choice = take_choice(input);
  ReadOptions options = one_thread(choice);
  options.need_labels = choice % 2 == 0;
  const Dataset set = parse_jsonl(as_text(input), "input", options);
  require(set.has_labels() || !options.need_labels);
  std::ostringstream bytes;
  write_binary(set, bytes);
  const std::string written = bytes.str();
  require(set.fingerprint() == parse_binary(std::as_bytes(std::span(written)), "written").fingerprint());
}

// Ids, labels and features come back from the binary form as they were read.
void feature_log(Bytes input) {
  const std::uint8_t choice = take_choice(input);
  ReadOptions options = one_thread(choice);
  options.need_labels = false;
  if (choice % 2 == 1) options.query_ids = {"1", "2"};
  const Dataset set = parse_feature_log(as_text(input), "input", options);
  require(set.has_document_ids() && !set.has_labels());
  std::ostringstream bytes;
  write_binary(set, bytes);
  const std::string written = bytes.str();
  require(set.fingerprint() == parse_binary(std::as_bytes(std::span(written)), "written").fingerprint());
}

void sign_header(std::span<std::byte> bytes) {
  BinaryHeader header;
  if (bytes.size() < sizeof header) return;
  std::memcpy(&header, bytes.data(), sizeof header);
  const std::size_t room = (bytes.size() - sizeof header) / sizeof(SectionEntry);
  const std::size_t sections = std::min<std::size_t>(header.num_sections, room);
  header.checksum = 0;
  std::memcpy(bytes.data(), &header, sizeof header);
  header.checksum = checksum(bytes.first(sizeof header + sections * sizeof(SectionEntry)));
  std::memcpy(bytes.data(), &header, sizeof header);
}

// The checksum of the header is set right, and those of the sections are not looked at for every second input: they
// would hide everything behind them from the fuzzer. A file that is accepted can be walked through whole.
void binary(Bytes input) {
  const std::uint8_t choice = take_choice(input);
  const auto given = std::as_bytes(input);
  std::vector<std::byte> bytes(given.begin(), given.end());
  sign_header(bytes);
  const Dataset set = parse_binary(bytes, "input", choice % 2 == 0);
  set.fingerprint();
  for (std::size_t document = 0; document < set.num_documents(); ++document) {
    set.source_row(document);
    if (set.has_document_ids()) host_of(set.document_id(document));
  }
}

// Files as stored: mapped, gzip or zstd, by their content; through a file in memory.
void stream(Bytes input) {
  struct InMemory {
    int file = ::memfd_create("input", MFD_CLOEXEC);
    ~InMemory() { ::close(file); }
  } memory;
  require(memory.file >= 0 && ::write(memory.file, input.data(), input.size()) == static_cast<ssize_t>(input.size()));
  read_letor("/proc/self/fd/" + std::to_string(memory.file), one_thread(0));
}

// FILE.query or FILE.group, and FILE.weight; a zero byte between the two.
void side_files(Bytes input) {
  static const std::string path = scratch_path("side.txt");
  const std::string_view text = as_text(input);
  const std::size_t cut = std::min(text.find('\0'), text.size());
  write_scratch(path, "1 1:1\n0 1:2\n1 1:3\n0 1:4\n");
  write_scratch(path + ".query", text.substr(0, cut));
  write_scratch(path + ".weight", text.substr(std::min(cut + 1, text.size())));
  ReadOptions options = one_thread(0);
  options.side_files = true;
  require(read_letor(path, options).num_documents() == 4);
}

}  // namespace

std::span<const Target> data_targets() {
  static constexpr Target kTargets[] = {
      {"letor", letor},   {"csv", csv},       {"jsonl", jsonl},          {"split", split}, {"feature-log", feature_log},
      {"binary", binary}, {"stream", stream}, {"side-files", side_files}};
  return kTargets;
}

}  // namespace dorm::fuzz
