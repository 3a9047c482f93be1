// SPDX-License-Identifier: Apache-2.0
// Facts about documents, users and items beside features and labels: judgments and runs as TREC writes them,
// groups, topics, gains by position, side features. Plain data; the readers are declared in read.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace dorm {

/// TREC relevance judgments: `qid iter docid rel` per line.
struct Judgment {
  std::string query, document;
  float label;
};

/// TREC run: `qid Q0 docid rank score tag` per line. The rank is ignored, as trec_eval does.
struct RunEntry {
  std::string query, document;
  double score;
};

/// A judgment of one subtopic. Relevant: above 0.
struct SubtopicJudgment {
  std::string query, subtopic, document;
  float label;
};

/// The groups of one query. They partition the documents: one without a group is a group of its own.
struct GroupLimits {
  std::vector<std::uint32_t> group_of;  // by document: index into limit
  std::vector<std::uint32_t> limit;     // by group: how many of its documents a list may show; 0: none

  bool empty() const { return group_of.empty(); }  // no limits at all
};

/// G[document, position], row-major in document order of a data set. Any finite numbers, negative ones are costs; a
/// query counts when one list gains more than another.
struct PositionGains {
  std::size_t positions = 0;
  std::vector<double> gain;
};

/// Gains that depend on the label only: row k belongs to labels[k].
struct LabelGains {
  std::size_t positions = 0;
  std::vector<float> labels;  // increasing
  std::vector<double> gain;   // labels x positions
};

struct TopicShare {
  std::uint32_t topic = 0;
  double weight = 0;
};

/// How much of each topic every document of a data set takes, and how much of it a list may take. Documents may belong
/// to any number of topics, or none.
struct TopicTable {
  std::vector<std::string> names;  // of the topics
  std::vector<double> limits;      // by topic, >= 0
  std::vector<std::size_t> first;  // document d has shares[first[d]] up to shares[first[d + 1]]
  std::vector<TopicShare> shares;  // of one document: increasing topics, weights >= 0

  std::size_t num_documents() const { return first.empty() ? 0 : first.size() - 1; }
};

/// Names numbered from 0 in order of first appearance.
class IdTable {
 public:
  IdTable() = default;
  /// Throws Error(bad_input) for a name that occurs twice.
  explicit IdTable(std::vector<std::string> names);

  std::uint32_t add(std::string_view name);  // its number; a new one if the name is new
  std::optional<std::uint32_t> find(std::string_view name) const;
  std::size_t size() const { return names_.size(); }
  const std::string& operator[](std::size_t i) const { return names_[i]; }
  std::span<const std::string> names() const { return names_; }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> number_;
};

/// Known facts about users or items, one row per id: ages, genres. Rows are scaled to unit length when used.
struct SideFeatures {
  std::vector<std::string> names;  // of the columns
  IdTable ids;
  std::vector<double> values;  // ids.size() rows of names.size()
  /// What people call the ids, e.g. titles of films; empty: not known. From a column of text: the one that the header
  /// calls title or name, else the first that is no feature and in which nearly all cells differ.
  std::vector<std::string> titles = {};
};

}  // namespace dorm
