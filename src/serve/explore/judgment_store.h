// SPDX-License-Identifier: Apache-2.0
// Judgments and blind trials in a file of SQLite: written ahead and synchronised before a call returns, so that what
// was acknowledged outlives the process; shared by any number of threads and processes. Queries and documents are
// kept by their ids.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace dorm::explore {

struct GivenLabel {
  std::string judge, query, document;
  float label = 0;
  std::string at;  // "2026-11-17T04:00:00.000Z"
};

/// What a change left behind.
struct LabelChange {
  std::string query, document;
  std::optional<float> label, before;
  std::size_t judgments = 0;  // of this judge that stand
};

/// Which of two models a blind trial was about, by their fingerprints.
struct TrialPair {
  std::string first, second;
};

struct TrialCounts {
  std::size_t first = 0, second = 0, same = 0;
};

class JudgmentStore {
 public:
  static bool available();

  /// Opens the file, or makes it. Throws Error(io), Error(bad_input) for a file of something else, and
  /// Error(unsupported) where this build has no SQLite.
  explicit JudgmentStore(const std::string& path);
  ~JudgmentStore();
  JudgmentStore(const JudgmentStore&) = delete;
  JudgmentStore& operator=(const JudgmentStore&) = delete;

  /// None takes a label back.
  LabelChange give(const std::string& judge, const std::string& query, const std::string& document,
                   std::optional<float> label);
  /// Takes the judge's last change back that still stands; none: query and document are empty.
  LabelChange undo(const std::string& judge);

  std::vector<GivenLabel> all(
      const std::string& judge = {}) const;  // by judge, query and document; empty: of all judges
  std::unordered_map<std::string, float> labels(const std::string& judge, const std::string& query) const;
  std::unordered_map<std::string, std::size_t> counts(const std::string& judge) const;  // by query

  /// Random text of this file, so that the order of trials cannot be known.
  std::string salt() const;
  std::unordered_set<std::string> answered(const std::string& judge, const TrialPair& pair) const;  // queries
  /// `better`: "first", "second" or "same". False: this judge has answered already.
  bool answer(const std::string& judge, const std::string& query, const TrialPair& pair, const std::string& better);
  TrialCounts trials(const TrialPair& pair) const;

 private:
  struct Database;
  std::unique_ptr<Database> database_;
};

}  // namespace dorm::explore
