// SPDX-License-Identifier: Apache-2.0
// How well a ranking covers the subtopics (intents) of a query. Evaluation only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dorm/base/catalog.h"

namespace dorm {

/// One query: the subtopics that each document is relevant to, numbered from 0. Every number occurs: a subtopic without
/// a relevant document does not count.
struct SubtopicCover {
  std::size_t subtopics = 0;
  std::vector<std::vector<std::uint32_t>> of_document;
  std::vector<std::uint32_t> ideal_order;  // of the documents with a subtopic: the ideal takes the first of equals
};

class SubtopicMeasure {
 public:
  virtual ~SubtopicMeasure() = default;
  virtual std::string name() const = 0;
  /// Nothing when no subtopic has a relevant document.
  virtual std::optional<double> evaluate(const SubtopicCover& cover, std::span<const std::uint32_t> ranking) const = 0;
};

/// From a spelling such as "alpha-ndcg@10" or "alpha-ndcg@20:alpha=0.3"; throws Error(unknown_name) or
/// Error(bad_option).
std::unique_ptr<const SubtopicMeasure> make_subtopic_measure(std::string_view spelling);
std::span<const CatalogEntry> subtopic_catalog();

}  // namespace dorm
