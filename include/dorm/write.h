// SPDX-License-Identifier: Apache-2.0
// Writing data. A file appears whole or not at all: it is written beside its destination and renamed.
#pragma once

#include <functional>
#include <ostream>
#include <string>

#include "dorm/data/prepare.h"
#include "dorm/dataset.h"
#include "dorm/read.h"

namespace dorm {

/// Opens `path` ("-" is standard output) and lets `body` write; the result replaces an old file in one step. A name
/// ending in .gz or .zst is compressed. Throws Error(io) when the disk is full or the place is not writable; the old
/// file, if there was one, is then untouched. A replaced file hands on its permissions; links are followed, also to a
/// file that is not there yet. Devices and pipes are written directly.
void write_atomically(const std::string& path, const std::function<void(std::ostream&)>& body);

/// Throws Error(io) when `path` cannot be written, by trying to make the file that would replace it.
/// For use before long work.
void require_writable(const std::string& path);

void write_letor(const Dataset& data, std::ostream& out);
/// As PropSVMrank reads clicks: a block for each document with a label above 0, in which it has label 1 and the label
/// as its cost: and the others of its query have label 0. Queries are numbered from 1.
void write_letor_costs(const Dataset& data, std::ostream& out);
void write_csv(const Dataset& data, std::ostream& out, char separator = ',');
void write_binary(const Dataset& data, std::ostream& out);

/// Opens a file and lets a body write it: write_atomically, or a function of the caller that wraps it.
using FileWriter = std::function<void(const std::string& path, const std::function<void(std::ostream&)>& body)>;

/// `format` detect: by extension: .dorm binary, .csv, .tsv, otherwise LETOR; .gz and .zst may follow the text formats.
void write_dataset(const Dataset& data, const std::string& path, const FileWriter& writer = write_atomically,
                   DataFormat format = DataFormat::detect);

struct ShardsWritten {
  std::size_t files = 0;  // shards with queries
  std::uint64_t queries = 0, documents = 0;
  std::uint64_t unjudged = 0;  // documents with another label, or left out
};

/// The shards of the data, each in canonical order, as files of the binary form in a new folder: see shard_file_name().
/// The folder appears whole or not at all. Numbered features in compressed form are named by their numbers, so that
/// every file has the same columns.
ShardsWritten write_shards(const Dataset& data, const std::string& folder, std::size_t num_shards,
                           const FileWriter& writer = write_atomically);

/// The same of a file. LETOR, CSV and TSV text passes through an unnamed file beside the folder, so that memory is
/// needed for the largest shard, not for the data; JSON, what is joined with judgments, and LETOR text with files of
/// sizes or weights beside it, are held in memory. What concerns all rows is settled before the first shard is written:
/// features, their form, means of missing values, and what is unjudged.
ShardsWritten convert_to_shards(const std::string& path, const std::string& folder, std::size_t num_shards,
                                const ReadOptions& options = {}, Unjudged unjudged = Unjudged::grade,
                                const FileWriter& writer = write_atomically, ReadReport* report = nullptr);

}  // namespace dorm
