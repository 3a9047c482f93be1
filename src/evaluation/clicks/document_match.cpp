// SPDX-License-Identifier: Apache-2.0
#include "evaluation/clicks/document_match.h"

#include <fmt/format.h>

#include "base/quote.h"
#include "dorm/error.h"

namespace dorm {

DocumentMatch::DocumentMatch(const Dataset& data) : names_(data.num_queries()), documents_(data.num_queries()) {
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    const Query query = data.query(q);
    query_.emplace(query.id, q);
    for (std::size_t i = 0; i < query.size(); ++i) names_[q].push_back(data.document_name(query.first_document + i));
    for (std::size_t i = 0; i < query.size(); ++i)
      if (!documents_[q].emplace(names_[q][i], query.first_document + i).second)
        throw Error(ErrorCode::bad_input, fmt::format("query {} has two documents called {}; a log tells documents "
                                                      "apart by their names",
                                                      in_quotes(query.id), in_quotes(names_[q][i])));
  }
}

std::size_t DocumentMatch::query(std::string_view id) const {
  const auto found = query_.find(id);
  return found == query_.end() ? kNone : found->second;
}

std::size_t DocumentMatch::document(std::size_t query, std::string_view name) const {
  const auto found = documents_[query].find(name);
  return found == documents_[query].end() ? kNone : found->second;
}

}  // namespace dorm
