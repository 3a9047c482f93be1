// SPDX-License-Identifier: Apache-2.0
// The lists of retrievers in a request, as the documents of a fused model.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/quote.h"
#include "data/runs/query_shares.h"
#include "dorm/error.h"
#include "serve/body_reader.h"
#include "serve/rank_request.h"

namespace dorm::serve {

void join_lists_of(RankRequest& request, const FusionInput* input, const std::string& model, std::size_t most) {
  if (request.lists.empty()) return;
  const Place top{nullptr, "lists"};
  if (!input) refuse(top, "lists for the model " + model, "documents: it is no model of dorm fuse");
  std::vector<std::vector<ListedDocument>> lists(input->num_lists());
  const std::vector<std::string> names = input->list_names();
  std::vector<bool> given(names.size());
  for (const RetrieverList& list : request.lists) {
    const auto column = static_cast<std::size_t>(std::find(names.begin(), names.end(), list.run) - names.begin());
    if (column == names.size() || given[column])
      refuse(top, fmt::format("the list {}{}", in_quotes(list.run), column < names.size() ? " twice" : ""),
             fmt::format("lists of {}", fmt::join(names, ", ")));
    given[column] = true;
    for (std::size_t i = 0; i < list.scores.size(); ++i) lists[column].push_back({list.ids[i], list.scores[i]});
  }
  JoinedLists joined;
  try {
    const bool said = request.query_features.ids.size() > 0;
    joined = join_lists(lists, *input, QueryShares(*input, said ? &request.query_features : nullptr).of(""));
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("lists: {}", error.what()));
  }
  if (joined.documents.empty()) refuse(top, "no documents", "at least one");
  if (joined.documents.size() > most)
    refuse(top, fmt::format("{} documents", joined.documents.size()), fmt::format("{} at most", most));
  for (const std::string_view id : joined.documents) request.ids.push_back(id);
  request.documents = joined.documents.size();
  request.width = input->num_columns();
  request.values = std::move(joined.values);
}

}  // namespace dorm::serve
