// SPDX-License-Identifier: Apache-2.0
// The table of diversity-aware measures.
#include "dorm/ranking/subtopics.h"

#include <array>

#include "dorm/measure.h"
#include "ranking/measure/subtopic.h"
#include "ranking/names/other_tools.h"
#include "ranking/names/spelling.h"

namespace dorm {
namespace {

constexpr std::array<CatalogEntry, 3> kSubtopicEntries = {{
    {.name = "alpha-ndcg",
     .usage = "alpha-ndcg[@n][:alpha=0.5]",
     .help = "ndcg in which a subtopic seen k times is worth (1 - alpha)^k",
     .example = "alpha-ndcg@10"},
    {.name = "ia-precision",
     .usage = "ia-precision@n",
     .help = "precision@n for each subtopic, averaged",
     .example = "ia-precision@10"},
    {.name = "subtopic-recall",
     .usage = "subtopic-recall@n",
     .help = "share of the subtopics that the first n documents cover",
     .example = "subtopic-recall@10"},
}};
constexpr std::array kSubtopicMakers = {alpha_ndcg, intent_aware_precision, subtopic_recall};

}  // namespace

std::span<const CatalogEntry> subtopic_catalog() { return kSubtopicEntries; }

std::unique_ptr<const SubtopicMeasure> make_subtopic_measure(std::string_view spelling) {
  const MeasureSpec spec = parse_spelling(own_spelling(spelling));
  for (std::size_t row = 0; row < kSubtopicEntries.size(); ++row)
    if (kSubtopicEntries[row].name == spec.name) return kSubtopicMakers[row](spec);
  throw_unknown_name("subtopic measure", spec.name, kSubtopicEntries);
}

}  // namespace dorm
