// SPDX-License-Identifier: Apache-2.0
// LETOR/SVMlight files: chunks of text are handed out in order and parsed side by side. At most one chunk per
// thread is in work, and only the first fault in the file is reported, so neither memory nor outcome depends on how
// the work was shared.
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <mutex>

#include "base/parallel.h"
#include "base/quote.h"
#include "data/assemble.h"
#include "data/io/letor_parser.h"
#include "data/io/read_report.h"
#include "data/io/side_files.h"
#include "data/io/text_formats.h"
#include "data/io/text_source.h"
#include "dorm/error.h"
#include "dorm/read.h"

namespace dorm {
namespace {

class LetorReader {
 public:
  LetorReader(TextSource& source, std::string name, SideFiles sides, const ReadOptions& options)
      : source_(source), name_(std::move(name)), sides_(std::move(sides)), options_(options) {}

  Dataset read(ReadReport* report) {
    parse_chunks();
    std::vector<RowBlock> blocks = take_blocks();
    Grouping grouping = group(blocks, report);
    AssembleOptions assembly;
    assembly.threads = options_.threads;
    assembly.input = {{}, options_.missing, options_.means};
    if (!sides_.weights.empty()) assembly.query_weights = read_query_weights(sides_.weights, grouping);
    if (report != nullptr) report->bytes = source_.total_bytes() > 0 ? source_.total_bytes() : done_bytes_;
    return Dataset(assemble(std::move(blocks), std::move(grouping), std::move(assembly)));
  }

 private:
  void parse_chunks() {
    constexpr std::uint64_t kNanosecondsPerByte = 2;
    const std::uint64_t bytes = source_.total_bytes();
    const std::size_t threads =
        bytes == 0 ? thread_count(options_.threads) : threads_worth(options_.threads, bytes * kNanosecondsPerByte);
    parallel_for(threads, threads, [this](std::size_t, std::size_t) { work(); });
    for (const ParsedLetor& part : parts_)
      if (part.fault) throw located(part);
    if (failure_) std::rethrow_exception(failure_);
  }

  // Parses chunks until there are no more or something is wrong.
  void work() {
    LetorParser parser({sides_.sizes.empty(), options_.need_labels, options_.missing});
    TextChunk chunk;
    for (;;) {
      std::size_t index = 0;
      {
        const std::lock_guard lock(mutex_);
        if (!take_chunk(chunk)) return;
        index = parts_.size();
        parts_.emplace_back();
      }
      ParsedLetor part = parser.parse(chunk.text, index == 0);
      const std::lock_guard lock(mutex_);
      if (part.fault) stopped_ = true;
      parts_[index] = std::move(part);
      done_bytes_ = std::max(done_bytes_, chunk.done_bytes);
      if (options_.progress) options_.progress(done_bytes_, source_.total_bytes());
    }
  }

  // A source that fails stops the reading; faults in the text before it come first.
  bool take_chunk(TextChunk& chunk) {
    if (stopped_) return false;
    try {
      if (source_.next(chunk)) return true;
    } catch (...) {
      failure_ = std::current_exception();
    }
    stopped_ = true;
    return false;
  }

  std::uint64_t lines_before(const ParsedLetor& part) const {
    std::uint64_t lines = 0;
    for (const ParsedLetor* earlier = parts_.data(); earlier != &part; ++earlier) lines += earlier->lines;
    return lines;
  }

  Error located(const ParsedLetor& part) const {
    std::vector<Remedy> remedies;
    if (part.fault->missing) remedies.push_back({Remedy::Kind::treat_missing, {}});
    return {ErrorCode::bad_input,
            {name_, lines_before(part) + part.fault->line, part.fault->column},
            part.fault->message,
            std::move(remedies)};
  }

  std::vector<RowBlock> take_blocks() {
    check_query_ids();
    std::vector<RowBlock> blocks;
    for (ParsedLetor& part : parts_)
      if (part.rows.num_rows() > 0) blocks.push_back(std::move(part.rows));
    if (blocks.empty()) throw Error(ErrorCode::bad_input, {name_, 0, 0}, "no documents");
    return blocks;
  }

  // With sizes beside the file rows may lack ids, but then all must.
  void check_query_ids() {
    std::uint64_t with = 0, without = 0;
    for (const ParsedLetor& part : parts_) {
      if (with == 0 && part.line_with_query != 0) with = lines_before(part) + part.line_with_query;
      if (without == 0 && part.line_without_query != 0) without = lines_before(part) + part.line_without_query;
    }
    rows_name_queries_ = with != 0;
    if (with == 0 || without == 0) return;
    throw Error(ErrorCode::bad_input, {name_, std::max(with, without), 0},
                with > without ? "found a qid; expected none, as in the rows before"
                               : "found no qid; expected one, as in the rows before");
  }

  Grouping group(const std::vector<RowBlock>& blocks, ReadReport* report) const {
    if (!rows_name_queries_) {
      std::uint64_t rows = 0;
      for (const RowBlock& block : blocks) rows += block.num_rows();
      return group_by_size(read_query_sizes(sides_.sizes, rows));
    }
    Grouping grouping = group_by_query_id(blocks);
    if (!sides_.sizes.empty())
      warn(report, fmt::format("{} is not used: the rows of {} name their queries", sides_.sizes, name_));
    warn_merged(report, name_, grouping);
    return grouping;
  }

  TextSource& source_;
  std::string name_;
  SideFiles sides_;
  const ReadOptions& options_;
  std::mutex mutex_;
  std::vector<ParsedLetor> parts_;  // in file order
  std::uint64_t done_bytes_ = 0;
  bool stopped_ = false;
  bool rows_name_queries_ = true;
  std::exception_ptr failure_;
};

}  // namespace

Dataset letor_from(TextSource& source, const std::string& name, const SideFiles& sides, const ReadOptions& options,
                   ReadReport* report) {
  return LetorReader(source, name, sides, options).read(report);
}

Dataset read_letor(const std::string& path, const ReadOptions& options, ReadReport* report) {
  const std::unique_ptr<TextSource> source = open_text(path);
  const SideFiles sides = options.side_files ? find_side_files(path) : SideFiles();
  return LetorReader(*source, path, sides, options).read(report);
}

Dataset parse_letor(std::string_view text, const std::string& name, const ReadOptions& options, ReadReport* report) {
  const std::unique_ptr<TextSource> source = text_in_memory(text);
  return LetorReader(*source, name, {}, options).read(report);
}

}  // namespace dorm
