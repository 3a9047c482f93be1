// SPDX-License-Identifier: Apache-2.0
// LETOR/SVMlight files: chunks of text are handed out in order, read and parsed side by side. The rows of a chunk go to
// their final place as soon as all chunks before it are parsed, which tells where that is; mostly that is at once,
// while they are in the cache. At most one chunk per thread is in work, and only the first fault in the file is
// reported, so neither memory nor outcome depends on how the work was shared.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>

#include "base/parallel.h"
#include "base/quote.h"
#include "data/assemble.h"
#include "data/io/files/read_report.h"
#include "data/io/files/side_files.h"
#include "data/io/files/text_formats.h"
#include "data/io/files/text_source.h"
#include "data/io/letor/letor_parser.h"
#include "dorm/error.h"
#include "dorm/read.h"

namespace dorm {
namespace {

class LetorReader {
 public:
  LetorReader(TextSource& source, std::string name, SideFiles sides, const ReadOptions& options,
              RowSink* sink = nullptr)
      : source_(source), name_(std::move(name)), sides_(std::move(sides)), options_(options), sink_(sink) {}

  Dataset read(ReadReport* report) {
    parse_chunks();
    std::vector<RowBlock> blocks = take_blocks();
    Grouping grouping = group(blocks, report);
    AssembleOptions assembly;
    assembly.threads = options_.threads;
    assembly.input = description();
    assembly.placed = std::move(placed_);
    if (!sides_.weights.empty()) assembly.query_weights = read_query_weights(sides_.weights, grouping);
    report_bytes(report);
    return Dataset(assemble(std::move(blocks), std::move(grouping), std::move(assembly)));
  }

  RowsSummary hand_on(ReadReport* report) {
    parse_chunks();
    report_bytes(report);
    return {{}, description(), {}};
  }

 private:
  InputDescription description() const {
    InputDescription input{{}, options_.missing, options_.means, options_.missing_by_column};
    if (input.has_rule(Missing::indicator))
      throw Error(
          ErrorCode::unsupported, {name_},
          "an indicator of missing values is a feature more, which only tables can have; expected another rule");
    if (std::any_of(parts_.begin(), parts_.end(), [](const Part& part) { return part.text.has_costs; }))
      input.columns.label = kClickGain;
    return input;
  }

  static constexpr double kRoom = 1.25;  // for rows that are shorter than the first ones

  struct Part {
    ParsedLetor text;
    RowBlock rows;               // without features: those are placed
    std::exception_ptr failure;  // the text could not be read
    bool parsed = false;         // the rows are here
  };

  void parse_chunks() {
    constexpr std::uint64_t kNanosecondsPerByte = 2;
    const std::uint64_t bytes = source_.total_bytes();
    const std::size_t threads =
        bytes == 0 ? thread_count(options_.threads) : threads_worth(options_.threads, bytes * kNanosecondsPerByte);
    parallel_for(threads, threads, [this](std::size_t, std::size_t) { work(); });
    for (const Part& part : parts_) {
      if (part.text.fault) throw located(part);
      if (part.failure) std::rethrow_exception(part.failure);
    }
    if (failure_) std::rethrow_exception(failure_);
  }

  // Parses chunks until there are no more or something is wrong.
  void work() {
    LetorParser parser({sides_.sizes.empty(), options_.need_labels, options_.missing, &options_.missing_by_column});
    TextChunk chunk;
    for (std::size_t index = 0; take_chunk(chunk, index);) {
      Part part;
      try {
        source_.load(chunk);
        part.text = parser.parse(chunk.text, index == 0);
      } catch (...) {
        part.failure = std::current_exception();
      }
      if (part.text.fault || part.failure) stopped_ = true;
      std::unique_lock lock(mutex_);
      if (index == 0 && sink_ == nullptr) guess_rows(parser.rows().block(), chunk.done_bytes);
      keep(index, std::move(part), parser.rows(), lock);
      place_waiting(lock);
      hand_on_waiting();
      done_bytes_ = std::max(done_bytes_, chunk.done_bytes);
      report_progress();
    }
  }

  // While one thread waits for the source, which may have to decompress, others go on. A source that fails stops the
  // reading; faults in the text before it come first.
  bool take_chunk(TextChunk& chunk, std::size_t& index) {
    const std::lock_guard turn(source_mutex_);
    if (stopped_) return false;
    try {
      if (source_.next(chunk)) {
        index = num_chunks_++;
        return true;
      }
    } catch (...) {
      failure_ = std::current_exception();
    }
    stopped_ = true;
    return false;
  }

  // While the lock is held: others do not read on before the rows are where they belong.
  void hand_on_waiting() {
    for (; sink_ != nullptr && num_placed_ < parts_.size() && parts_[num_placed_].parsed; ++num_placed_) {
      try {
        sink_->add(parts_[num_placed_].rows);
      } catch (...) {
        stopped_ = true;
        throw;
      }
      parts_[num_placed_].rows = RowBlock();
    }
  }

  void report_bytes(ReadReport* report) const {
    if (report != nullptr) report->bytes = source_.total_bytes() > 0 ? source_.total_bytes() : done_bytes_;
  }

  void report_progress() {
    if (!options_.progress) return;
    try {
      options_.progress(done_bytes_, source_.total_bytes());
    } catch (...) {
      stopped_ = true;
      throw;
    }
  }

  // The first rows say how many there will be, and of what kind. Memory that is never touched costs nothing.
  void guess_rows(const RowBlock& first, std::uint64_t done_bytes) {
    if (done_bytes == 0 || done_bytes >= source_.total_bytes() || first.num_rows() == 0) return;
    const double share = static_cast<double>(source_.total_bytes()) / static_cast<double>(done_bytes);
    placed_ = PlacedRows(first, static_cast<std::uint64_t>(kRoom * share * static_cast<double>(first.num_rows())));
  }

  // Rows of the next part in order are placed from where they were parsed; those of another wait in
  // memory of their own.
  void keep(std::size_t index, Part part, RowBlockWriter& rows, std::unique_lock<std::mutex>& lock) {
    const bool next = index == num_placed_ && placed_.fits(rows.block());
    if (next) {
      ++num_placed_;
      const std::uint64_t first_row = placed_.reserve(rows.block());
      lock.unlock();
      placed_.place(rows, first_row);
      part.rows = rows.take_without_features();
    } else {
      lock.unlock();
      part.rows = rows.take();
    }
    part.parsed = true;
    lock.lock();
    if (parts_.size() <= index) parts_.resize(index + 1);
    parts_[index] = std::move(part);
  }

  void place_waiting(std::unique_lock<std::mutex>& lock) {
    while (num_placed_ < parts_.size() && parts_[num_placed_].parsed && placed_.fits(parts_[num_placed_].rows)) {
      const std::size_t index = num_placed_++;
      const std::uint64_t first_row = placed_.reserve(parts_[index].rows);
      RowBlock rows = std::move(parts_[index].rows);
      lock.unlock();
      placed_.place(rows, first_row);
      rows.drop_features();
      lock.lock();
      parts_[index].rows = std::move(rows);
    }
  }

  std::uint64_t lines_before(const Part& part) const {
    std::uint64_t lines = 0;
    for (const Part* earlier = parts_.data(); earlier != &part; ++earlier) lines += earlier->text.lines;
    return lines;
  }

  Error located(const Part& part) const {
    const TextFault& fault = *part.text.fault;
    std::vector<Remedy> remedies;
    if (fault.missing) remedies.push_back({Remedy::Kind::treat_missing, {}});
    return {ErrorCode::bad_input,
            {name_, lines_before(part) + fault.line, fault.column},
            fault.message,
            std::move(remedies)};
  }

  std::vector<RowBlock> take_blocks() {
    check_query_ids();
    std::vector<RowBlock> blocks;
    for (Part& part : parts_)
      if (part.rows.num_rows() > 0) blocks.push_back(std::move(part.rows));
    if (blocks.empty()) throw Error(ErrorCode::bad_input, {name_, 0, 0}, "no documents");
    return blocks;
  }

  // With sizes beside the file rows may lack ids, but then all must.
  void check_query_ids() {
    std::uint64_t with = 0, without = 0;
    for (const Part& part : parts_) {
      if (with == 0 && part.text.line_with_query != 0) with = lines_before(part) + part.text.line_with_query;
      if (without == 0 && part.text.line_without_query != 0)
        without = lines_before(part) + part.text.line_without_query;
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
  RowSink* sink_;  // nullptr: rows are kept

  std::mutex source_mutex_;  // for these
  std::size_t num_chunks_ = 0;
  std::exception_ptr failure_;
  std::atomic<bool> stopped_ = false;

  std::mutex mutex_;         // for these
  std::vector<Part> parts_;  // in file order
  PlacedRows placed_;        // rows of the first parts
  std::size_t num_placed_ = 0;
  std::uint64_t done_bytes_ = 0;
  bool rows_name_queries_ = true;
};

}  // namespace

Dataset letor_from(TextSource& source, const std::string& name, const SideFiles& sides, const ReadOptions& options,
                   ReadReport* report) {
  return LetorReader(source, name, sides, options).read(report);
}

RowsSummary letor_rows(TextSource& source, const std::string& name, const ReadOptions& options, ReadReport* report,
                       RowSink& sink) {
  return LetorReader(source, name, {}, options, &sink).hand_on(report);
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
