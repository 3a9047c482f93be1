// SPDX-License-Identifier: Apache-2.0
// TREC runs: chunks of text are handed out in order, read and parsed side by side. Of several faults the first of the
// file is reported, so that the outcome does not depend on how the work was shared. Runs may also be JSON.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "base/parallel.h"
#include "data/io/files/file.h"
#include "data/io/files/text_source.h"
#include "data/io/records/hits_reader.h"
#include "data/io/records/nested_numbers.h"
#include "data/io/records/run_parser.h"
#include "dorm/data/read_runs.h"
#include "dorm/error.h"
#include "dorm/read.h"

namespace dorm {
namespace {

[[noreturn]] void throw_no_documents(const std::string& name) {
  throw Error(ErrorCode::bad_input, {name, 0, 0},
              "no ranked documents; expected lines of 'qid Q0 docid rank score tag'");
}

class ParallelRunReader {
 public:
  ParallelRunReader(TextSource& source, std::string name, const RunReading& reading)
      : source_(source), name_(std::move(name)), progress_(reading.progress) {
    constexpr std::uint64_t kNanosecondsPerByte = 1;
    const std::uint64_t bytes = source_.total_bytes();
    threads_ = bytes == 0 ? thread_count(reading.threads) : threads_worth(reading.threads, bytes * kNanosecondsPerByte);
  }
  virtual ~ParallelRunReader() = default;
  ParallelRunReader(const ParallelRunReader&) = delete;
  ParallelRunReader& operator=(const ParallelRunReader&) = delete;

 protected:
  std::size_t threads() const { return threads_; }
  const std::string& name() const { return name_; }
  void stop() { stopped_ = true; }
  bool stopped() const { return stopped_; }

  /// One chunk; several threads at a time.
  virtual void take(std::size_t index, const ParsedRun& run, std::size_t worker) = 0;

  /// Notes a failure that belongs to a chunk.
  void fail(std::size_t index, std::exception_ptr failure) {
    const std::lock_guard lock(mutex_);
    failures_.try_emplace(index, Failure{std::move(failure), {}});
    stopped_ = true;
  }

  /// Takes all chunks, until something is wrong. The tag is that of the first line.
  std::string read_chunks() {
    parallel_for(threads_, threads_, [this](std::size_t, std::size_t worker) { work(worker); });
    if (!failures_.empty()) report(failures_.begin()->first, failures_.begin()->second);
    if (source_failure_) std::rethrow_exception(source_failure_);
    return tag_;
  }

 private:
  struct Failure {
    std::exception_ptr thrown;  // else the last line of the chunk is wrong:
    std::string line = {};
  };

  void work(std::size_t worker) {
    RunParser parser;
    TextChunk chunk;
    for (std::size_t index = 0; next_chunk(chunk, index);) {
      try {
        source_.load(chunk);
        const ParsedRun& run = parser.parse(chunk.text, index == 0);
        note(index, run, chunk.done_bytes);
        if (!run.fault) take(index, run, worker);
      } catch (...) {
        fail(index, std::current_exception());
      }
    }
  }

  // While one thread waits for the source, which may have to decompress, others go on.
  bool next_chunk(TextChunk& chunk, std::size_t& index) {
    const std::lock_guard turn(source_mutex_);
    if (stopped_) return false;
    try {
      if (source_.next(chunk)) {
        index = num_chunks_++;
        return true;
      }
    } catch (...) {
      source_failure_ = std::current_exception();
    }
    stopped_ = true;
    return false;
  }

  void note(std::size_t index, const ParsedRun& run, std::uint64_t done_bytes) {
    const std::lock_guard lock(mutex_);
    if (lines_.size() <= index) lines_.resize(index + 1);
    lines_[index] = run.lines;
    if (!run.documents.empty() && index < tagged_) {
      tagged_ = index;
      tag_ = run.tag;
    }
    if (run.fault) {
      failures_.try_emplace(index, Failure{nullptr, run.faulty_line});
      stopped_ = true;
    }
    done_bytes_ = std::max(done_bytes_, done_bytes);
    if (progress_) progress_(done_bytes_, source_.total_bytes());
  }

  [[noreturn]] void report(std::size_t index, const Failure& failure) const {
    if (failure.thrown) std::rethrow_exception(failure.thrown);
    std::uint64_t line = 0;
    for (std::size_t chunk = 0; chunk <= index; ++chunk) line += lines_[chunk];
    throw_fault_of_run(name_, line, failure.line);
  }

  TextSource& source_;
  std::string name_;
  const std::function<void(std::uint64_t, std::uint64_t)>& progress_;
  std::size_t threads_;
  std::mutex source_mutex_, mutex_;
  std::atomic<bool> stopped_ = false;
  std::size_t num_chunks_ = 0;
  std::exception_ptr source_failure_;
  std::map<std::size_t, Failure> failures_;  // by chunk
  std::vector<std::uint64_t> lines_;         // by chunk
  std::size_t tagged_ = static_cast<std::size_t>(-1);
  std::string tag_;
  std::uint64_t done_bytes_ = 0;
};

/// Everything in memory, in the order of the file.
class EntriesReader final : public ParallelRunReader {
 public:
  using ParallelRunReader::ParallelRunReader;

  std::vector<RunEntry> read(std::string* tag) {
    const std::string found = read_chunks();
    if (tag) *tag = found;
    std::vector<RunEntry> entries;
    for (auto& [index, part] : parts_)
      if (entries.empty())
        entries = std::move(part);
      else
        std::move(part.begin(), part.end(), std::back_inserter(entries));
    if (entries.empty()) throw_no_documents(name());
    return entries;
  }

 private:
  void take(std::size_t index, const ParsedRun& run, std::size_t) override {
    std::vector<RunEntry> entries;
    entries.reserve(run.documents.size());
    for (std::size_t g = 0; g < run.groups.size(); ++g)
      for (std::size_t i = run.groups[g].begin; i < run.end_of(g); ++i)
        entries.push_back({std::string(run.groups[g].query), std::string(run.documents[i]), run.scores[i]});
    const std::lock_guard lock(mutex_);
    parts_.emplace(index, std::move(entries));
  }

  std::mutex mutex_;
  std::map<std::size_t, std::vector<RunEntry>> parts_;
};

/// Documents of one query with text of their own: those at the ends of a chunk, which others may continue.
class OwnedQuery {
 public:
  OwnedQuery(const ParsedRun& run, std::size_t group) : id_(run.groups[group].query) {
    const std::size_t begin = run.groups[group].begin, end = run.end_of(group);
    scores_.assign(run.scores.begin() + static_cast<std::ptrdiff_t>(begin),
                   run.scores.begin() + static_cast<std::ptrdiff_t>(end));
    for (std::size_t i = begin; i < end; ++i) {
      text_ += run.documents[i];
      end_.push_back(text_.size());
    }
  }

  /// False, and nothing is done, where the other is of another query.
  bool append(const OwnedQuery& other) {
    if (id_ != other.id_) return false;
    const std::size_t before = text_.size();
    text_ += other.text_;
    for (const std::size_t end : other.end_) end_.push_back(before + end);
    scores_.insert(scores_.end(), other.scores_.begin(), other.scores_.end());
    return true;
  }

  bool add_to(RunSink& sink, std::size_t worker) const {
    std::vector<std::string_view> documents;
    for (std::size_t i = 0, begin = 0; i < end_.size(); begin = end_[i++])
      documents.push_back(std::string_view(text_).substr(begin, end_[i] - begin));
    return sink.add({id_, documents, scores_}, worker);
  }

 private:
  std::string id_, text_;
  std::vector<std::size_t> end_;  // of each document in the text
  std::vector<double> scores_;
};

/// Query by query: those that lie within a chunk as soon as it is parsed, others when all chunks up to theirs are.
class QueriesReader final : public ParallelRunReader {
 public:
  QueriesReader(TextSource& source, std::string name, const RunReading& reading, RunSink& sink)
      : ParallelRunReader(source, std::move(name), reading), sink_(sink) {}

  /// Nothing: a query came twice.
  std::optional<std::string> read() {
    sink_.begin(threads());
    std::string tag = read_chunks();
    if (!scattered_ && last_) deliver(std::exchange(last_, {}), 0);
    if (scattered_) return std::nullopt;
    if (!found_) throw_no_documents(name());
    return tag;
  }

 private:
  using Ends = std::vector<OwnedQuery>;  // of a chunk: none, the only query, or the first and the last one

  void take(std::size_t index, const ParsedRun& run, std::size_t worker) override {
    for (std::size_t g = 1; g + 1 < run.groups.size(); ++g) {
      const std::size_t begin = run.groups[g].begin, count = run.end_of(g) - begin;
      if (!sink_.add({run.groups[g].query, std::span(run.documents).subspan(begin, count),
                      std::span(run.scores).subspan(begin, count)},
                     worker))
        return scatter();
    }
    Ends ends;
    if (!run.groups.empty()) ends.emplace_back(run, 0);
    if (run.groups.size() > 1) ends.emplace_back(run, run.groups.size() - 1);
    join(index, std::move(ends), worker);
  }

  void join(std::size_t index, Ends ends, std::size_t worker) {
    const std::lock_guard lock(mutex_);
    waiting_.emplace(index, std::move(ends));
    for (; !waiting_.empty() && waiting_.begin()->first == next_ && !scattered_; ++next_) {
      Ends found = std::move(waiting_.begin()->second);
      waiting_.erase(waiting_.begin());
      try {
        for (OwnedQuery& each : found) {
          found_ = true;
          if (last_ && last_->append(each)) continue;
          if (last_) deliver(std::exchange(last_, {}), worker);
          last_ = std::move(each);
        }
      } catch (...) {
        fail(next_, std::current_exception());
        return;
      }
    }
  }

  void deliver(const std::optional<OwnedQuery>& query, std::size_t worker) {
    if (!query->add_to(sink_, worker)) scatter();
  }

  void scatter() {
    scattered_ = true;
    stop();
  }

  RunSink& sink_;
  std::mutex mutex_;
  std::map<std::size_t, Ends> waiting_;  // by chunk, from next_ on
  std::size_t next_ = 0;
  std::optional<OwnedQuery> last_;  // of the chunks before next_
  bool found_ = false;
  std::atomic<bool> scattered_ = false;
};

std::vector<RunEntry> run_from_json(std::string_view text, const std::string& name, std::string* tag) {
  std::vector<RunEntry> entries;
  for_each_nested_number(text, name, "a finite number as score",
                         [&](const std::string& query, const std::string& document, double score) {
                           entries.push_back({query, document, score});
                         });
  if (entries.empty()) throw Error(ErrorCode::bad_input, {name}, "no ranked documents");
  if (tag) *tag = "json";
  return entries;
}

std::vector<RunEntry> run_from_answers(std::string_view text, const std::string& name, std::string* tag) {
  if (tag) *tag = "hits";
  return run_from_hits(text, name);
}

std::vector<RunEntry> run_from(TextSource& source, const std::string& name, std::string* tag,
                               const RunReading& reading = {}) {
  return EntriesReader(source, name, reading).read(tag);
}

}  // namespace

std::vector<RunEntry> read_run(const std::string& path, std::string* tag) {
  if (is_hits_file(path)) return run_from_answers(text_of_file(path), path, tag);
  if (is_nested_numbers_file(path)) return run_from_json(text_of_file(path), path, tag);
  return run_from(*open_text(path), path, tag);
}

std::vector<RunEntry> parse_run(std::string_view text, const std::string& name, std::string* tag) {
  if (begins_as_hits(text.substr(0, 4096))) return run_from_answers(text, name, tag);
  if (begins_as_numbers(text)) return run_from_json(text, name, tag);
  return run_from(*text_in_memory(text), name, tag);
}

std::string read_run(const std::string& path, RunSink& sink, const RunReading& reading) {
  const bool json = is_hits_file(path) || is_nested_numbers_file(path);
  if (!json && InputFile(path).regular()) {
    const std::unique_ptr<TextSource> source = open_text(path);
    if (const std::optional<std::string> tag = QueriesReader(*source, path, reading, sink).read()) return *tag;
  }
  std::string tag;
  const std::vector<RunEntry> entries = json ? read_run(path, &tag) : run_from(*open_text(path), path, &tag, reading);
  hand_on(entries, sink, reading.threads);
  return tag;
}

}  // namespace dorm
