// SPDX-License-Identifier: Apache-2.0
// Rankers on the same queries, as a block of a report.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "dorm/apps/report_plots.h"

namespace dorm::report {

/// Rankers on the same queries. On the page readers compare any two of them, sort and filter queries, and open those
/// that have lists: rankings side by side, and what features add to scores. The other forms list the figures.
struct Queries {
  /// What the kept features add to the scores of the documents of a list. The rest of a score is the mean score, and
  /// what features that were not kept add.
  struct Contributions {
    std::vector<std::size_t> features;               // of the ranker's `features`
    double mean_score = 0;                           // over all documents of the query
    std::vector<double> means;                       // of each kept feature over them
    std::vector<std::vector<double>> values, above;  // by document and kept feature: as in the data; less the mean
  };
  struct Ranked {
    std::vector<std::size_t> order;   // the first documents, as `documents` numbers them; none: not known
    std::vector<std::size_t> ranks;   // by document, from 1; 0: not known, or not ranked
    std::vector<double> scores = {};  // by document; none: not known
    std::optional<Contributions> why = {};
  };
  struct Document {
    std::string name;
    double label = 0;
    std::size_t ideal_rank = 0;  // from 1
    std::string title = {};      // for people; empty: none
  };
  /// The beginnings of lists, and the documents in them.
  struct Lists {
    std::vector<Document> documents;
    std::vector<std::size_t> ideal;  // the first documents of the best order
    std::vector<Ranked> rankers;
    std::size_t positions = 0;  // how far lists go
  };
  struct Query {
    std::string name;
    std::size_t documents = 0, relevant = 0;  // 0 documents: not known
    double ideal = kMissing;                  // the measure of the best order
    std::optional<Lists> lists = {};
    std::string text = {};  // what people typed; empty: not known
  };
  struct Ranker {
    std::string name;
    std::vector<double> values;              // of the measure, by query; not finite: none
    std::vector<std::string> features = {};  // with weights, of a linear ranker
    std::vector<double> weights = {};
  };

  std::string title, measure, data;        // data: what the queries are of
  std::optional<std::size_t> cutoff = {};  // of the measure
  std::vector<Ranker> rankers = {};
  std::vector<Query> queries = {};
  std::size_t first = 0;                   // shown at first,
  std::optional<std::size_t> second = {};  // and what it is compared with
  std::string caption = {};
};

}  // namespace dorm::report
