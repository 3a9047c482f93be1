// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <mutex>
#include <unordered_set>

#include "dorm/error.h"
#include "dorm/evaluation/judging.h"
#include "evaluation/query_values.h"
#include "evaluation/repeated_document.h"

namespace dorm {

struct TopOfRun::State {
  std::size_t depth;
  Ties ties;
  std::unordered_set<std::string_view> wanted;  // empty: all
  std::map<std::string, std::vector<std::string>, std::less<>> documents;
  std::mutex mutex;
  std::vector<RankedQuery> ranked;  // by worker
};

TopOfRun::TopOfRun(std::size_t depth, const EvaluateOptions& options, std::span<const std::string_view> queries)
    : state_(std::make_unique<State>()) {
  state_->depth = depth;
  state_->ties = choose_ties(convention_of(options), options, true);
  if (state_->ties == Ties::expected || state_->ties == Ties::worst)
    throw Error(ErrorCode::bad_option,
                "the first documents of a run need an order; expected ties by index or "
                "document_id");
  state_->wanted.insert(queries.begin(), queries.end());
}
TopOfRun::~TopOfRun() = default;

void TopOfRun::begin(std::size_t workers) {
  state_->documents.clear();
  state_->ranked = std::vector<RankedQuery>(workers);
}

bool TopOfRun::add(const RunQuery& query, std::size_t worker) {
  if (!state_->wanted.empty() && !state_->wanted.contains(query.id)) return true;
  RankedQuery& ranked = state_->ranked[worker];
  const std::vector<float> labels(query.documents.size(), 0.0f);
  rank({query.id, labels, query.scores, query.documents}, state_->ties, ranked);
  const std::size_t count =
      state_->depth > 0 ? std::min(state_->depth, ranked.documents.size()) : ranked.documents.size();
  std::vector<std::string> first;
  std::unordered_set<std::string_view> seen;
  for (std::size_t k = 0; k < count; ++k) {
    first.emplace_back(query.documents[ranked.documents[k]]);
    if (!seen.insert(query.documents[ranked.documents[k]]).second)
      throw_repeated_document(query.id, first.back(), "run");
  }
  const std::lock_guard lock(state_->mutex);
  return state_->documents.emplace(query.id, std::move(first)).second;
}

std::vector<std::string> TopOfRun::queries() const {
  std::vector<std::string> ids;
  for (const auto& [id, documents] : state_->documents) ids.push_back(id);
  return ids;
}

std::span<const std::string> TopOfRun::of(std::string_view query) const {
  const auto found = state_->documents.find(query);
  return found == state_->documents.end() ? std::span<const std::string>() : found->second;
}

}  // namespace dorm
