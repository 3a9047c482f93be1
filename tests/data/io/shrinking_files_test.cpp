// SPDX-License-Identifier: Apache-2.0
// Files that become shorter while they are read or mapped, and files whose lines never end: errors, never a signal.
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>

#include "data/io/files/text_source.h"
#include "dorm/data/scale.h"
#include "dorm/model.h"
#include "dorm/read.h"
#include "dorm/synth.h"
#include "dorm/write.h"
#include "support/message_of.h"
#include "support/temporary_directory.h"

namespace dorm {
namespace {

namespace fs = std::filesystem;
using test::TemporaryDirectory;

Dataset large_data(double density) {
  return synthesize({.queries = 120, .features = density < 0.25 ? 400u : 60u, .density = density, .threads = 1});
}

TEST(ShrinkingText, IsAnErrorOfTheReader) {
  for (const std::size_t threads : {1u, 3u}) {
    const TemporaryDirectory directory;
    const std::string path = directory.path("d.txt");
    write_dataset(large_data(1), path);
    ASSERT_GT(fs::file_size(path), 1u << 20);
    ReadOptions options{.threads = threads};
    options.progress = [&](std::uint64_t, std::uint64_t) { fs::resize_file(path, 1000); };
    const std::string message = test::message_of([&] { read_dataset(path, options); }, ErrorCode::io);
    EXPECT_NE(message.find("d.txt: became shorter"), std::string::npos) << message;
  }
}

TEST(ShrinkingText, IsAnErrorWhateverItIsCompressedWith) {
  for (const std::string name : {"d.csv", "d.csv.gz", "d.tsv.zst"}) {
    const TemporaryDirectory directory;
    const std::string path = directory.path(name);
    write_dataset(large_data(1), path);
    const std::unique_ptr<TextSource> source = open_text(path);
    TextChunk chunk;
    ASSERT_TRUE(source->next(chunk));
    fs::resize_file(path, 1000);
    const auto read_on = [&] {
      while (source->next(chunk)) source->load(chunk);
    };
    EXPECT_NE(test::message_of(read_on, ErrorCode::io).find(name + ": became shorter"), std::string::npos);
  }
}

using Use = void (*)(const Dataset&, const std::string& folder);

// Everything the library does with features.
const Use kUses[] = {
    [](const Dataset& data, const std::string&) { data.fingerprint(); },
    [](const Dataset& data, const std::string&) { apply_scaling(fit_scaling(ScalingKind::zscore, data), data, 2); },
    [](const Dataset& data, const std::string& folder) { write_dataset(data, folder + "/copy.txt"); },
    [](const Dataset& data, const std::string& folder) { write_dataset(data, folder + "/copy.dorm"); },
    [](const Dataset& data, const std::string&) {
      Model model;
      for (std::size_t j = 0; j < data.num_features(); ++j) model.features.push_back(data.feature_name(j));
      model.weights.assign(model.features.size(), 1.0);
      score(model, data, 2);
    },
};

TEST(ShrinkingBinary, IsAnErrorOfWhateverUsesItNext) {
  for (const double density : {1.0, 0.1}) {
    const Dataset data = large_data(density);
    for (const Use use : kUses) {
      const TemporaryDirectory directory;
      const std::string path = directory.path("d.dorm");
      write_dataset(data, path);
      const Dataset mapped = read_binary(path, false);
      const Dataset other = read_binary(path);
      fs::resize_file(path, 5000);
      const std::string message = test::message_of([&] { use(mapped, directory.path("")); }, ErrorCode::io);
      if (message.find("cannot write") == std::string::npos) {  // the system finds it out when it copies
        EXPECT_NE(message.find("d.dorm: became shorter"), std::string::npos) << message;
      }
      EXPECT_EQ(mapped.document_id(mapped.num_documents() - 1), data.document_id(data.num_documents() - 1));
      EXPECT_FALSE(fs::exists(directory.path("copy.txt")) || fs::exists(directory.path("copy.dorm")));
      EXPECT_THROW(other.fingerprint(), Error);
    }
  }
}

TEST(ShrinkingBinary, WhatWasReadIntoMemoryStays) {
  const TemporaryDirectory directory;
  const Dataset data = large_data(0.1);
  write_dataset(data, directory.path("d.dorm"));
  const Dataset read = read_dataset(directory.path("d.dorm"), {.mapped = false});
  fs::resize_file(directory.path("d.dorm"), 0);
  EXPECT_EQ(read.fingerprint(), data.fingerprint());
}

TEST(ShrinkingBinary, AFileThatStaysIsNotHurtByOneThatGoes) {
  const TemporaryDirectory directory;
  const Dataset data = large_data(1);
  write_dataset(data, directory.path("a.dorm"));
  write_dataset(data, directory.path("b.dorm"));
  const Dataset a = read_binary(directory.path("a.dorm")), b = read_binary(directory.path("b.dorm"));
  fs::resize_file(directory.path("a.dorm"), 0);
  EXPECT_THROW(a.fingerprint(), Error);
  EXPECT_EQ(b.fingerprint(), data.fingerprint());
  const Dataset again = read_binary(directory.path("b.dorm"));  // in a slot that may have been another's
  EXPECT_EQ(again.fingerprint(), data.fingerprint());
}

TEST(LongLines, HaveALimit) {
  constexpr std::size_t kBytes = std::size_t{80} << 20;
  const TemporaryDirectory directory;
  for (const std::string name : {"d.txt.gz", "d.txt.zst", "d.csv.zst"}) {
    write_atomically(directory.path(name), [](std::ostream& out) {
      for (std::size_t k = 0; k < kBytes; k += 1000) out << std::string(1000, '1');
    });
    const std::string message = test::message_of([&] { read_dataset(directory.path(name)); }, ErrorCode::bad_input);
    EXPECT_NE(message.find("a line of more than 64 MiB"), std::string::npos) << message;
  }
}

TEST(LongLines, AQuotedCellOfManyLinesHasTheSame) {
  constexpr std::size_t kBytes = std::size_t{80} << 20;
  const TemporaryDirectory directory;
  write_atomically(directory.path("d.csv.zst"), [](std::ostream& out) {
    out << "label,qid,\"";
    for (std::size_t k = 0; k < kBytes; k += 1000) out << std::string(999, 'x') << '\n';
  });
  const std::string message =
      test::message_of([&] { read_dataset(directory.path("d.csv.zst")); }, ErrorCode::bad_input);
  EXPECT_NE(message.find("d.csv.zst:1:11: found a line of more than 64 MiB"), std::string::npos) << message;
}

}  // namespace
}  // namespace dorm
