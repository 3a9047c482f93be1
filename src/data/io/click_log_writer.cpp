// SPDX-License-Identifier: Apache-2.0
#include "data/io/csv_line.h"
#include "dorm/click_log.h"

namespace dorm {

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

}  // namespace dorm
