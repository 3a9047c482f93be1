// SPDX-License-Identifier: Apache-2.0
#include "dorm/data/run_sink.h"

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/parallel.h"

namespace dorm {

void hand_on(std::span<const RunEntry> run, RunSink& sink, std::size_t threads) {
  constexpr std::uint64_t kNanosecondsPerDocument = 50;
  std::unordered_map<std::string_view, std::size_t> place;
  std::vector<std::string_view> ids;
  std::vector<std::size_t> query_of(run.size()), end;
  for (std::size_t i = 0; i < run.size(); ++i) {
    if (i > 0 && run[i].query == run[i - 1].query) {
      query_of[i] = query_of[i - 1];
    } else {
      query_of[i] = place.try_emplace(run[i].query, ids.size()).first->second;
      if (query_of[i] == ids.size()) ids.emplace_back(run[i].query), end.push_back(0);
    }
    ++end[query_of[i]];
  }
  std::size_t total = 0;
  for (std::size_t& each : end) total += std::exchange(each, total);  // where its documents begin
  std::vector<std::string_view> documents(run.size());
  std::vector<double> scores(run.size());
  for (std::size_t i = 0; i < run.size(); ++i) {
    const std::size_t at = end[query_of[i]]++;
    documents[at] = run[i].document;
    scores[at] = run[i].score;
  }
  const std::size_t workers = threads_worth(threads, run.size() * kNanosecondsPerDocument);
  sink.begin(workers);
  parallel_for(ids.size(), workers, [&](std::size_t q, std::size_t worker) {
    const std::size_t begin = q == 0 ? 0 : end[q - 1], count = end[q] - begin;
    sink.add({ids[q], std::span(documents).subspan(begin, count), std::span(scores).subspan(begin, count)}, worker);
  });
}

}  // namespace dorm
