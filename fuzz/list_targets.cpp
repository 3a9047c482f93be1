// SPDX-License-Identifier: Apache-2.0
// Files that stand beside the documents: scores, judgments, runs, gains, topics, ratings and facts about them.
#include <algorithm>
#include <cmath>

#include "dorm/clicks/click_log.h"
#include "dorm/matching/read_graphs.h"
#include "dorm/read.h"
#include "target.h"

namespace dorm::fuzz {
namespace {

bool all_finite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

void scores(Bytes input) { require(all_finite(parse_scores(as_text(input), "input"))); }

void trec(Bytes input) {
  const std::uint8_t choice = take_choice(input);
  const std::string_view text = as_text(input);
  if (choice % 3 == 0) {
    for (const Judgment& judgment : parse_qrels(text, "input"))
      require(std::isfinite(judgment.label) && !judgment.document.empty());
  } else if (choice % 3 == 1) {
    for (const RunEntry& entry : parse_run(text, "input")) require(std::isfinite(entry.score) && !entry.query.empty());
  } else {
    for (const SubtopicJudgment& judgment : parse_subtopics(text, "input")) require(!judgment.document.empty());
  }
}

void gains(Bytes input) {
  const Dataset& data = small_data();
  const PositionGainsFile file = parse_position_gains(as_text(input), "input", data);
  require(file.gains.gain.size() == file.gains.positions * data.num_documents());
  require(all_finite(file.gains.gain));
}

// Weights and limits, a zero byte between them.
void topics(Bytes input) {
  const std::string_view text = as_text(input);
  const std::size_t cut = std::min(text.find('\0'), text.size());
  const TopicTable table =
      parse_topics(text.substr(0, cut), "weights", text.substr(std::min(cut + 1, text.size())), "limits", small_data());
  require(table.num_documents() == small_data().num_documents() && table.limits.size() == table.names.size());
  require(all_finite(table.limits) && table.first.back() == table.shares.size());
  for (const TopicShare& share : table.shares) require(share.topic < table.names.size() && share.weight >= 0);
}

void check_ratings(const Ratings& read) {
  std::size_t seen = 0;
  for (std::size_t user = 0; user < read.num_users(); ++user) {
    const RatingRow row = read.of_user(user);
    for (std::size_t k = 0; k < row.size(); ++k, ++seen)
      require(row.index[k] < read.num_items() && std::isfinite(row.value[k]));
  }
  require(seen == read.size());
}

void ratings(Bytes input) { check_ratings(parse_ratings(as_text(input), "input")); }

// The layout, a zero byte, the table.
void wide_ratings(Bytes input) {
  const std::string_view text = as_text(input);
  const std::size_t cut = std::min(text.find('\0'), text.size());
  const RatingsLayout layout = parse_ratings_layout(text.substr(0, cut));
  check_ratings(parse_ratings(text.substr(std::min(cut + 1, text.size())), "input", nullptr, layout));
}

// A log and propensities, a zero byte between them: no gain is negative or infinite.
void clicks(Bytes input) {
  const std::string_view text = as_text(input);
  const std::size_t cut = std::min(text.find('\0'), text.size());
  const ClickCounts counts = parse_click_counts(text.substr(0, cut), "log");
  for (const ClickCount& row : counts.rows)
    require(row.position >= 1 && row.clicks >= 0 && row.clicks <= row.impressions);
  const Propensities propensities = parse_propensities(text.substr(std::min(cut + 1, text.size())), "propensities");
  for (const ClickGain& row : estimate_gains(counts, propensities, {.clip = 0}).rows)
    require(row.gain >= 0 && std::isfinite(row.gain));
}

// The columns, a zero byte, the table.
void side_features(Bytes input) {
  const std::string_view text = as_text(input);
  const std::size_t cut = std::min(text.find('\0'), text.size());
  const SideFeatures facts =
      parse_side_features(text.substr(std::min(cut + 1, text.size())), "input", text.substr(0, cut));
  require(facts.values.size() == facts.ids.size() * facts.names.size() && all_finite(facts.values));
}

// Nodes, edges, pairs and matches, a zero byte between them.
void graphs(Bytes input) {
  const std::uint8_t choice = take_choice(input);
  std::string_view rest = as_text(input);
  const auto next = [&rest] {
    const std::size_t cut = std::min(rest.find('\0'), rest.size());
    const std::string_view part = rest.substr(0, cut);
    rest.remove_prefix(std::min(cut + 1, rest.size()));
    return part;
  };
  const std::string_view nodes = next(), edges = next(), pairs = next();
  const GraphSet set = parse_graphs(nodes, "nodes", edges, "edges", choice % 2 == 1);
  set.validate();
  std::vector<GraphPair> read = parse_graph_pairs(pairs, "pairs", set);
  parse_graph_matches(rest, "matches", set, read);
  validate(set, read);
}

}  // namespace

std::span<const Target> list_targets() {
  static constexpr Target kTargets[] = {{"scores", scores},
                                        {"trec", trec},
                                        {"gains", gains},
                                        {"topics", topics},
                                        {"ratings", ratings},
                                        {"clicks", clicks},
                                        {"graphs", graphs},
                                        {"side-features", side_features},
                                        {"wide-ratings", wide_ratings}};
  return kTargets;
}

}  // namespace dorm::fuzz
