// SPDX-License-Identifier: Apache-2.0
// Topic weights of documents and limits of topics, from two CSV files.
#include <fmt/format.h>

#include <map>
#include <optional>

#include "base/quote.h"
#include "data/io/tables/document_table.h"
#include "dorm/error.h"
#include "dorm/read.h"

namespace dorm {
namespace {

// The topics, and their limits into the table.
IdTable read_limits(TextSource& source, const std::string& name, TopicTable& table) {
  constexpr std::string_view kHeader = "topic,limit";
  LineReader lines(source, name);
  CsvRecords record(lines, ',');
  if (read_header(record, name, kHeader) != std::vector<std::string>{"topic", "limit"})
    throw record.error(fmt::format("expected the header {}", kHeader));
  IdTable topics;
  while (record.next()) {
    require_cells(record, 2);
    if (topics.add(record[0]) != table.limits.size())
      throw record.error(0, fmt::format("topic {} has a limit already", in_quotes(record[0])));
    table.limits.push_back(non_negative_cell(record, 1, "a limit that is not negative"));
  }
  if (topics.size() == 0) throw Error(ErrorCode::bad_input, {name, 0, 0}, "no limits");
  table.names.assign(topics.names().begin(), topics.names().end());
  return topics;
}

std::uint32_t topic_in(const CsvRecords& record, std::size_t cell, const IdTable& topics,
                       const std::string& limits_name) {
  const std::optional<std::uint32_t> found = topics.find(record[cell]);
  if (!found)
    throw record.error(cell, fmt::format("topic {} has no limit; expected one of the topics of {}",
                                         in_quotes(record[cell]), limits_name));
  return *found;
}

TopicTable topics_from(TextSource& weights, const std::string& weights_name, TextSource& limits,
                       const std::string& limits_name, const Dataset& data) {
  constexpr std::string_view kHeader = "docid,topic,weight or qid,docid,topic,weight";
  TopicTable table;
  const IdTable topics = read_limits(limits, limits_name, table);
  LineReader lines(weights, weights_name);
  CsvRecords record(lines, ',');
  const std::vector<std::string> names = read_header(record, weights_name, kHeader);
  const bool by_query = names == std::vector<std::string>{"qid", "docid", "topic", "weight"};
  if (!by_query && names != std::vector<std::string>{"docid", "topic", "weight"})
    throw record.error(fmt::format("expected the header {}", kHeader));
  const std::size_t at = by_query ? 1 : 0;
  const DocumentIndex index(data);
  std::vector<std::map<std::uint32_t, double>> shares(data.num_documents());
  while (record.next()) {
    require_cells(record, names.size());
    const std::uint32_t topic = topic_in(record, at + 1, topics, limits_name);
    const double weight = non_negative_cell(record, at + 2, "a weight that is not negative");
    for (const std::size_t d : by_query ? std::vector{index.find(record, 0, 1)} : index.find(record, 0))
      if (!shares[d].emplace(topic, weight).second)
        throw record.error(at, fmt::format("document {} has a weight in topic {} already", in_quotes(record[at]),
                                           in_quotes(record[at + 1])));
  }
  table.first = {0};
  for (const auto& document : shares) {
    for (const auto& [topic, weight] : document) table.shares.push_back({topic, weight});
    table.first.push_back(table.shares.size());
  }
  return table;
}

}  // namespace

TopicTable read_topics(const std::string& weights_path, const std::string& limits_path, const Dataset& data) {
  return topics_from(*open_text(weights_path), weights_path, *open_text(limits_path), limits_path, data);
}
TopicTable parse_topics(std::string_view weights, const std::string& weights_name, std::string_view limits,
                        const std::string& limits_name, const Dataset& data) {
  return topics_from(*text_in_memory(weights), weights_name, *text_in_memory(limits), limits_name, data);
}

}  // namespace dorm
