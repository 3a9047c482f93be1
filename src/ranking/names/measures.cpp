// SPDX-License-Identifier: Apache-2.0
// The table of measures, and making them from their spellings.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <type_traits>

#include "base/unknown_name.h"
#include "dorm/base/catalog.h"
#include "dorm/error.h"
#include "ranking/names/judged_only.h"
#include "ranking/names/other_tools.h"
#include "ranking/names/spelling.h"

namespace dorm {
namespace {

using Maker = MeasurePtr (*)(const MeasureSpec&, const Convention&);

struct Row {
  CatalogEntry entry;
  Maker make;
};

template <auto factory>
MeasurePtr make_with(const MeasureSpec& spec, const Convention& convention) {
  return factory(spec, convention);
}

// The factory's type says whether the measure is trainable.
template <auto factory>
constexpr Row row(std::string_view name, std::string_view aliases, std::string_view usage, std::string_view example,
                  std::string_view help) {
  using Made = std::invoke_result_t<decltype(factory), const MeasureSpec&, const Convention&>;
  return {{name, usage, help, std::is_same_v<Made, FactoredMeasurePtr>, example, aliases}, &make_with<factory>};
}

// clang-format off
constexpr std::array kRows{
    row<winner_takes_all>("wta", "", "wta", "wta", "1 when the first document has the query's best label"),
    row<modified_winner_takes_all>("mwta", "", "mwta[:gain=,gains=,discount=]", "mwta", "ndcg cut, per query, just after its best labels"),
    row<reciprocal_rank>("mrr", "rr recip_rank", "mrr[@n][:rel=]", "mrr@10", "1 / rank of the first relevant document; rel=best: of the first with the query's best label"),
    row<dcg>("dcg", "", "dcg[@n][:gain=,gains=,discount=]", "dcg@10", "discounted cumulative gain"),
    row<ndcg>("ndcg", "", "ndcg[@n][:gain=,gains=,discount=]", "ndcg@10", "discounted cumulative gain over that of the best order"),
    row<precision>("precision", "p prec", "precision@n[:rel=,gain=linear]", "precision@5", "relevant share of the first n positions; gain=linear: their mean label"),
    row<relative_precision>("relative-precision", "relative_p", "relative-precision@n[:rel=]", "relative-precision@5", "precision@n over that of the best order"),
    row<r_precision>("rprec", "", "rprec[:mult=1,rel=]", "rprec", "precision at the rank R (or mult R), the number of relevant documents"),
    row<success>("success", "", "success@n[:rel=]", "success@5", "1 when a relevant document is among the first n"),
    row<hits>("hits", "", "hits[@n][:rel=]", "hits@5", "number of relevant documents in the first n positions"),
    row<rank_utility>("eru", "", "eru[:half_life=5,neutral=0]", "eru:half_life=5,neutral=2", "expected rank utility: label above neutral, halved every half_life - 1 positions"),
    row<normalised_rank_utility>("neru", "", "neru[:half_life=5,neutral=0]", "neru:half_life=5,neutral=2", "eru over that of the best order"),
    row<rank_biased_precision>("rbp", "", "rbp[:p=0.8,rel=,gain=linear]", "rbp:p=0.8", "rank-biased precision: a relevant document at rank k adds (1 - p) p^(k - 1); gain=linear: times its label"),
    row<average_rank>("avgrank", "average_rank", "avgrank", "avgrank", "sum of labels times the share of the other documents ranked below: the average rank, reversed so that more is better"),
    row<custom_measure>("custom", "", "custom:gains=,discounts=[,normalised=no]", "custom:gains=0/1/3/7/15,discounts=1/.5/.3", "gains by label and discounts by position from tables"),
    row<average_precision>("map", "ap", "map[@n][:rel=]", "map", "average precision"),
    row<geometric_average_precision>("gmap", "gm_map", "gmap[:rel=]", "gmap", "average precision, geometric mean over queries"),
    row<inferred_average_precision>("infap", "", "infap[:rel=]", "infap", "average precision estimated from a partly judged pool"),
    row<interpolated_precision>("iprec", "11pt_avg", "iprec[:recall=0/.1/.../1,rel=]", "iprec:recall=.5", "highest precision from a level of recall on; the mean over several levels"),
    row<binary_preference>("bpref", "", "bpref[:rel=]", "bpref", "share of judged pairs in the right order, judged documents only"),
    row<geometric_binary_preference>("gbpref", "gm_bpref", "gbpref[:rel=]", "gbpref", "bpref, geometric mean over queries"),
    row<expected_reciprocal_rank>("err", "", "err[@n][:max_grade=4]", "err@10", "expected reciprocal rank"),
    row<recall>("recall", "r", "recall@n[:rel=]", "recall@5", "share of the relevant documents in the first n positions"),
    row<set_precision>("setp", "set_p", "setp[:rel=]", "setp", "relevant share of what was retrieved"),
    row<set_recall>("setr", "set_recall", "setr[:rel=]", "setr", "share of the relevant documents that was retrieved"),
    row<set_f>("setf", "set_f", "setf[:beta=1,rel=]", "setf", "F measure of setp and setr"),
    row<f_at_cutoff>("f", "", "f@n[:beta=1,rel=]", "f@10", "F measure of precision@n and recall@n"),
    row<set_average_precision>("setap", "", "setap[:rel=]", "setap", "setp times setr"),
    row<set_relative_precision>("setrp", "", "setrp[:rel=]", "setrp", "setp over that of the best list of its length"),
    row<utility>("utility", "", "utility[:weights=1/-1/0,rel=]", "utility", "weighted counts of relevant and other documents retrieved, and of relevant ones not retrieved"),
    row<normalised_gain>("g", "", "g[:gain=,gains=]", "g", "gains, discounted by how far the ranking is behind the best one there; over the sum of all gains"),
    row<binary_gain>("bing", "", "bing[:rel=]", "bing", "g of relevant or not: 1 / log2(2 + others above), averaged over the relevant documents"),
    row<ndcg_at_relevant>("ndcg-rel", "", "ndcg-rel[:gain=,gains=]", "ndcg-rel", "ndcg at the position of each relevant document, averaged"),
    row<ndcg_at_levels>("rndcg", "", "rndcg[:gain=,gains=]", "rndcg", "ndcg where the best order passes to a lower label, averaged"),
    row<judged_share>("judged", "", "judged[@n]", "judged@5", "share of the first n documents that have a judgment"),
    row<area_under_curve>("auc", "", "auc[:rel=]", "auc", "share of (relevant, other) pairs in the right order"),
    row<kendall_tau>("kendall", "tau", "kendall", "kendall", "Kendall's tau-b between ranking and labels"),
};
// clang-format on

constexpr auto kEntries = [] {
  std::array<CatalogEntry, kRows.size()> entries{};
  for (std::size_t i = 0; i < kRows.size(); ++i) entries[i] = kRows[i].entry;
  return entries;
}();

bool has_alias(std::string_view aliases, std::string_view name) {
  while (!aliases.empty()) {
    const std::size_t space = aliases.find(' ');
    if (aliases.substr(0, space) == name) return true;
    if (space == std::string_view::npos) return false;
    aliases.remove_prefix(space + 1);
  }
  return false;
}

const Row& find_row(std::string_view name) {
  for (const Row& candidate : kRows)
    if (candidate.entry.name == name || has_alias(candidate.entry.aliases, name)) return candidate;
  // The names of other tools are known, too, but the list of names is ours.
  std::vector<std::string> all = names_of_other_tools();
  for (const CatalogEntry& entry : kEntries) all.emplace_back(entry.name);
  const std::string nearest = nearest_name(name, all);
  throw_unknown_name("measure", name, kEntries, nearest);
}

struct Parsed {
  const Row& row;
  MeasureSpec spec;
  bool judged_only = false;
};

/// ndcg@1:gain=linear as ndcg@5:gain=linear.
std::string with_cutoff(const std::string& measure, std::string_view cutoff) {
  const std::size_t begin = measure.find('@') + 1;
  const std::size_t end = std::min(measure.find_first_not_of("0123456789", begin), measure.size());
  return std::string(measure).replace(begin, end - begin, cutoff);
}

Parsed parse(std::string_view spelling) {
  MeasureSpec spec = parse_spelling(own_spelling(spelling));
  const Row& row = find_row(spec.name);
  spec.name = row.entry.name;
  const bool judged_only = take_judged_only(spec);
  return {row, std::move(spec), judged_only};
}

}  // namespace

std::span<const CatalogEntry> measure_catalog() { return kEntries; }

std::unique_ptr<const Measure> make_measure(std::string_view spelling, const Convention& convention) {
  const Parsed parsed = parse(spelling);
  MeasurePtr measure = parsed.row.make(parsed.spec, convention);
  return parsed.judged_only ? over_judged_only(std::move(measure)) : std::move(measure);
}

std::unique_ptr<const FactoredMeasure> make_trainable(std::string_view spelling, const Convention& convention) {
  const Parsed parsed = parse(spelling);
  if (!parsed.row.entry.trainable || parsed.judged_only) {
    std::string trainable;
    for (const CatalogEntry& entry : kEntries)
      if (entry.trainable) trainable += (trainable.empty() ? "" : ", ") + std::string(entry.name);
    throw Error(ErrorCode::bad_option,
                fmt::format("measure \"{}\" can be evaluated but not trained for; trainable: {}", spelling, trainable));
  }
  MeasurePtr measure = parsed.row.make(parsed.spec, convention);
  return FactoredMeasurePtr(static_cast<const FactoredMeasure*>(measure.release()));
}

std::vector<std::string> split_measures(std::string_view list) {
  std::vector<std::string> result;
  while (true) {
    const std::size_t comma = list.find(',');
    const std::string_view piece = list.substr(0, comma);
    if (piece.empty())
      throw Error(ErrorCode::bad_option, "empty name in the list of measures; expected e.g. ndcg@10,mrr");
    const bool parameter = !result.empty() && continues_measure(result.back(), piece);
    const bool digits = piece.find_first_not_of("0123456789") == std::string_view::npos;
    const bool cutoff = digits && !result.empty() && result.back().find('@') != std::string::npos;
    const std::string_view marked = digits && !result.empty() ? up_to_number(result.back()) : std::string_view();
    if (parameter)
      result.back().append(",").append(piece);
    else if (cutoff)
      result.push_back(with_cutoff(result.back(), piece));
    else if (!marked.empty())
      result.push_back(std::string(marked).append(piece));
    else
      result.emplace_back(piece);
    if (comma == std::string_view::npos) return result;
    list.remove_prefix(comma + 1);
  }
}

}  // namespace dorm
