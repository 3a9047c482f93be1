// SPDX-License-Identifier: Apache-2.0
// In place of judgment_store.cpp, where SQLite was not found when this was built.
#include "dorm/error.h"
#include "serve/explore/judgment_store.h"

namespace dorm::explore {

struct JudgmentStore::Database {};

bool JudgmentStore::available() { return false; }

JudgmentStore::JudgmentStore(const std::string&) {
  throw Error(ErrorCode::unsupported, "this build keeps no judgments: it was made without SQLite (libsqlite3-dev)");
}
JudgmentStore::~JudgmentStore() = default;

LabelChange JudgmentStore::give(const std::string&, const std::string&, const std::string&, std::optional<float>) {
  return {};
}
LabelChange JudgmentStore::undo(const std::string&) { return {}; }
std::vector<GivenLabel> JudgmentStore::all(const std::string&) const { return {}; }
std::unordered_map<std::string, float> JudgmentStore::labels(const std::string&, const std::string&) const {
  return {};
}
std::unordered_map<std::string, std::size_t> JudgmentStore::counts(const std::string&) const { return {}; }
std::string JudgmentStore::salt() const { return {}; }
std::unordered_set<std::string> JudgmentStore::answered(const std::string&, const TrialPair&) const { return {}; }
bool JudgmentStore::answer(const std::string&, const std::string&, const TrialPair&, const std::string&) {
  return false;
}
TrialCounts JudgmentStore::trials(const TrialPair&) const { return {}; }

}  // namespace dorm::explore
