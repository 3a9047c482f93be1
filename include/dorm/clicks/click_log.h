// SPDX-License-Identifier: Apache-2.0
// Reading click logs and propensities: CSV, TSV and JSON lines, plain, .gz or .zst, or - for standard input. Logs are
// streamed: memory is needed for what differs (query, document, position), not for rows.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dorm/clicks/click_gains.h"
#include "dorm/clicks/clicks.h"

namespace dorm {

/// Columns of a log by their meaning. A row is a document that was shown, with `click` 0 or 1; or, where there is a
/// column of `impressions`, counts of many, with their `clicks`: real numbers, so that expectations can be written.
struct ClickColumns {
  std::string session = "session";  // this, ranker and the counts: optional in the file
  std::string query = "qid";
  std::string document = "docid";
  std::string position = "position";
  std::string click = "click";
  std::string ranker = "ranker";
  std::string impressions = "impressions", clicks = "clicks";
  std::vector<std::string> context = {};  // e.g. device, layout; their values joined by | name the context
};

struct ClickLogOptions {
  ClickColumns columns = {};
  bool by_ranker = false;          // counts tell rankers apart
  std::uint32_t max_position = 0;  // rows below it are left out; 0: none are
  std::size_t threads = 0;         // more than 1: a second one reads ahead
  std::function<void(std::uint64_t done_bytes, std::uint64_t total_bytes)> progress = {};  // total 0: not known
};

/// One row; its text is valid during the call it is handed to.
struct ClickRow {
  std::string_view session, query, document, ranker, context;  // empty: the file has no such column
  std::uint32_t position = 1;
  double impressions = 1, clicks = 0;
  std::uint64_t line = 0;  // of the file
};

struct ClickLogReport {
  std::uint64_t rows = 0, pruned = 0;  // left out: below max_position
  std::uint64_t bytes = 0;
  bool has_sessions = false, has_rankers = false, counted = false;  // counted: rows are counts
};

/// Calls `visit` with every row, in order. Throws Error(bad_input) with file, line and column of what is malformed.
ClickLogReport for_each_click(const std::string& path, const ClickLogOptions& options,
                              const std::function<void(const ClickRow&)>& visit);

/// A page of results: consecutive rows of one session and query.
struct ClickSession {
  std::string_view session, query;
  struct Shown {
    std::string document, ranker, context;
    std::uint32_t position = 1;
    bool clicked = false;
  };
  std::span<const Shown> shown;  // by position; no document occurs twice
  std::uint64_t line = 0;        // where it begins
};

/// Calls `visit` with every page, in the order of the log. The rows of a page are consecutive; a page that comes back
/// later is a page of its own. Throws Error(bad_input) as above, for counts, for a log without sessions, and for two
/// documents at one position of a page.
ClickLogReport for_each_session(const std::string& path, const ClickLogOptions& options,
                                const std::function<void(const ClickSession&)>& visit);

ClickCounts read_click_counts(const std::string& path, const ClickLogOptions& options = {},
                              ClickLogReport* report = nullptr);

/// The same by page instead of query: "QUERY/SESSION" is the query of a count, and `query_of` says whose page it is.
/// Throws Error(bad_input) for a row without a session.
ClickCounts read_page_counts(const std::string& path, const ClickLogOptions& options,
                             std::vector<std::string>& query_of, ClickLogReport* report = nullptr);

/// The same from memory; `name` replaces the path in messages.
ClickLogReport parse_clicks(std::string_view text, const std::string& name, const ClickLogOptions& options,
                            const std::function<void(const ClickRow&)>& visit);
ClickLogReport parse_sessions(std::string_view text, const std::string& name, const ClickLogOptions& options,
                              const std::function<void(const ClickSession&)>& visit);
ClickCounts parse_click_counts(std::string_view text, const std::string& name, const ClickLogOptions& options = {},
                               ClickLogReport* report = nullptr);

/// A log, row by row: session,qid,docid,position,click,ranker, or counts, qid,docid,position,ranker,impressions,clicks.
class ClickLogWriter {
 public:
  ClickLogWriter(std::ostream& out, bool counted);
  ~ClickLogWriter();
  void add(const ClickRow& row);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Counts as a log: qid,docid,position[,ranker][,context],impressions,clicks.
void write_click_counts(const ClickCounts& counts, std::ostream& out);

/// Gains as a table of judgments: qid,docid,click_gain.
void write_click_gains(const ClickCounts& counts, const ClickGains& gains, std::ostream& out);

/// CSV with a header that names position and propensity (or alpha), and perhaps se, context, alpha and beta.
Propensities read_propensities(const std::string& path);
Propensities parse_propensities(std::string_view text, const std::string& name);
/// position,propensity,se, then context and alpha,beta where there is something to say.
void write_propensities(const Propensities& propensities, std::ostream& out);

}  // namespace dorm
