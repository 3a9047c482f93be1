// SPDX-License-Identifier: Apache-2.0
#include "data/io/records/judged_labels.h"

#include <fmt/format.h>

#include <unordered_map>

#include "base/quote.h"
#include "data/io/files/read_report.h"
#include "dorm/error.h"

namespace dorm {
namespace {

constexpr float kNotJudged = -1;

struct LabelOfPair {
  float label;
  bool used = false;
};

std::string pair_key(std::string_view query, std::string_view document) {
  std::string key(query);
  key += '\0';
  return key += document;
}

std::string pair_text(std::string_view query, std::string_view document) {
  return fmt::format("query {}, document {}", in_quotes(query), in_quotes(document));
}

/// How many, and the first of them.
struct Counted {
  std::size_t count = 0;
  std::string first;

  void add(std::string_view query, std::string_view document) {
    if (count++ == 0) first = pair_text(query, document);
  }
};

}  // namespace

Dataset with_judgments(const Dataset& data, const std::string& path, const ReadOptions& options, ReadReport* report) {
  const std::string& file = options.judgments;
  if (!data.has_document_ids())
    throw Error(ErrorCode::bad_input, {path}, "the documents have no ids; expected ids, to find their judgments");
  const std::vector<Judgment> judgments = read_qrels(file, options.columns);
  std::unordered_map<std::string, LabelOfPair> known;
  for (const Judgment& judgment : judgments)
    if (!known.emplace(pair_key(judgment.query, judgment.document), LabelOfPair{judgment.label}).second)
      throw Error(ErrorCode::bad_input, {file},
                  fmt::format("{} has two judgments", pair_text(judgment.query, judgment.document)));
  std::vector<float> labels;
  Counted unjudged, absent;
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    const Query query = data.query(q);
    for (std::size_t d = query.first_document; d < query.first_document + query.size(); ++d) {
      const auto found = known.find(pair_key(query.id, data.document_id(d)));
      labels.push_back(found == known.end() ? kNotJudged : found->second.label);
      if (found == known.end())
        unjudged.add(query.id, data.document_id(d));
      else
        found->second.used = true;
    }
  }
  for (const Judgment& judgment : judgments)
    if (!known[pair_key(judgment.query, judgment.document)].used) absent.add(judgment.query, judgment.document);
  if (unjudged.count == data.num_documents())
    throw Error(ErrorCode::bad_input, {file},
                fmt::format("judges none of the documents of {} ({}); expected the same ids, as in {}", path,
                            unjudged.first, absent.first));
  if (unjudged.count > 0)
    warn(report, fmt::format("{}: {} of {} documents have no judgment in {} (first: {}) and count as not judged", path,
                             unjudged.count, data.num_documents(), file, unjudged.first));
  if (absent.count > 0)
    warn(report, fmt::format("{}: {} of {} judgments are of documents that are not in {} (first: {})", file,
                             absent.count, judgments.size(), path, absent.first));
  return data.with_labels(labels);
}

}  // namespace dorm
