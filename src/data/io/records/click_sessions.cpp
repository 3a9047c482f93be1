// SPDX-License-Identifier: Apache-2.0
// Pages of results from the rows of a log.
#include <fmt/format.h>

#include <algorithm>

#include "base/quote.h"
#include "dorm/clicks/click_log.h"
#include "dorm/error.h"

namespace dorm {
namespace {

class PageGatherer {
 public:
  PageGatherer(const std::string& name, const std::function<void(const ClickSession&)>& visit)
      : name_(name), visit_(visit) {}

  void add(const ClickRow& row) {
    if (row.session.empty()) throw error(row.line, "found no session; expected the id of one in every row");
    if (row.impressions != 1 || (row.clicks != 0 && row.clicks != 1))
      throw error(row.line, "found counts of many pages; expected one row for each document shown");
    if (shown_.empty() || row.session != session_ || row.query != query_) {
      flush();
      session_ = row.session;
      query_ = row.query;
      line_ = row.line;
    }
    shown_.push_back(
        {std::string(row.document), std::string(row.ranker), std::string(row.context), row.position, row.clicks == 1});
  }

  void flush() {
    if (shown_.empty()) return;
    std::stable_sort(shown_.begin(), shown_.end(),
                     [](const auto& a, const auto& b) { return a.position < b.position; });
    for (std::size_t i = 1; i < shown_.size(); ++i)
      if (shown_[i].position == shown_[i - 1].position)
        throw error(line_, fmt::format("session {} shows two documents at position {} of query {}; expected one",
                                       in_quotes(session_), shown_[i].position, in_quotes(query_)));
    visit_({session_, query_, shown_, line_});
    shown_.clear();
  }

 private:
  Error error(std::uint64_t line, const std::string& message) const {
    return {ErrorCode::bad_input, {name_, line, 0}, message};
  }

  const std::string& name_;
  const std::function<void(const ClickSession&)>& visit_;
  std::string session_, query_;
  std::vector<ClickSession::Shown> shown_;
  std::uint64_t line_ = 0;
};

}  // namespace

ClickLogReport for_each_session(const std::string& path, const ClickLogOptions& options,
                                const std::function<void(const ClickSession&)>& visit) {
  PageGatherer pages(path, visit);
  const ClickLogReport report = for_each_click(path, options, [&](const ClickRow& row) { pages.add(row); });
  pages.flush();
  return report;
}

ClickLogReport parse_sessions(std::string_view text, const std::string& name, const ClickLogOptions& options,
                              const std::function<void(const ClickSession&)>& visit) {
  PageGatherer pages(name, visit);
  const ClickLogReport report = parse_clicks(text, name, options, [&](const ClickRow& row) { pages.add(row); });
  pages.flush();
  return report;
}

ClickCounts read_page_counts(const std::string& path, const ClickLogOptions& options,
                             std::vector<std::string>& query_of, ClickLogReport* report) {
  ClickCounter counter;
  IdTable pages;
  std::string page;
  const ClickLogReport seen = for_each_click(path, options, [&](const ClickRow& row) {
    if (row.session.empty())
      throw Error(ErrorCode::bad_input, {path, row.line, 0}, "found no session; expected the id of one in every row");
    page.assign(row.query).append("/").append(row.session);
    if (pages.add(page) == query_of.size()) query_of.emplace_back(row.query);
    counter.add({.query = page,
                 .document = row.document,
                 .position = row.position,
                 .ranker = options.by_ranker ? row.ranker : std::string_view(),
                 .context = row.context,
                 .impressions = row.impressions,
                 .clicks = row.clicks});
  });
  if (report != nullptr) *report = seen;
  return counter.finish();
}

}  // namespace dorm
