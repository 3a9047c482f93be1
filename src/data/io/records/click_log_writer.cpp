// SPDX-License-Identifier: Apache-2.0
#include "data/io/files/csv_line.h"
#include "dorm/clicks/click_log.h"

namespace dorm {

struct ClickLogWriter::State {
  CsvLine line;
  bool counted;
};

ClickLogWriter::ClickLogWriter(std::ostream& out, bool counted)
    : state_(std::make_unique<State>(State{CsvLine(out, ','), counted})) {
  CsvLine& line = state_->line;
  if (!counted) line.add_text("session");
  for (const std::string_view name : {"qid", "docid", "position"}) line.add_text(name);
  if (!counted) line.add_text("click");
  line.add_text("ranker");
  if (counted) line.add_text("impressions");
  if (counted) line.add_text("clicks");
  line.end();
}

ClickLogWriter::~ClickLogWriter() = default;

void ClickLogWriter::add(const ClickRow& row) {
  CsvLine& line = state_->line;
  if (!state_->counted) line.add_text(row.session);
  line.add_text(row.query);
  line.add_text(row.document);
  line.add_number(row.position);
  if (!state_->counted) line.add_number(row.clicks);
  line.add_text(row.ranker);
  if (state_->counted) line.add_number(row.impressions);
  if (state_->counted) line.add_number(row.clicks);
  line.end();
}

void write_click_counts(const ClickCounts& counts, std::ostream& out) {
  const auto told_apart = [](const IdTable& table) {
    return table.size() > 1 || (table.size() == 1 && !table[0].empty());
  };
  const bool rankers = told_apart(counts.rankers), contexts = told_apart(counts.contexts);
  CsvLine line(out, ',');
  for (const std::string_view name : {"qid", "docid", "position"}) line.add_text(name);
  if (rankers) line.add_text("ranker");
  if (contexts) line.add_text("context");
  line.add_text("impressions");
  line.add_text("clicks");
  line.end();
  for (const ClickCount& row : counts.rows) {
    line.add_text(counts.queries[row.query]);
    line.add_text(counts.documents[row.document]);
    line.add_number(row.position);
    if (rankers) line.add_text(counts.rankers[row.ranker]);
    if (contexts) line.add_text(counts.contexts[row.context]);
    line.add_number(row.impressions);
    line.add_number(row.clicks);
    line.end();
  }
}

void write_click_gains(const ClickCounts& counts, const ClickGains& gains, std::ostream& out) {
  CsvLine line(out, ',');
  for (const std::string_view name : {"qid", "docid", kClickGain}) line.add_text(name);
  line.end();
  for (const ClickGain& row : gains.rows) {
    line.add_text(counts.queries[row.query]);
    line.add_text(counts.documents[row.document]);
    line.add_number(row.gain);
    line.end();
  }
}

}  // namespace dorm
