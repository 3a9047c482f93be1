// SPDX-License-Identifier: Apache-2.0
// The table of measures, and making them from their spellings.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <type_traits>

#include "dorm/base/catalog.h"
#include "dorm/error.h"
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
  throw_unknown_name("measure", name, kEntries);
}

struct Parsed {
  const Row& row;
  MeasureSpec spec;
};

/// ndcg@1:gain=linear as ndcg@5:gain=linear.
std::string with_cutoff(const std::string& measure, std::string_view cutoff) {
  const std::size_t begin = measure.find('@') + 1;
  const std::size_t end = std::min(measure.find_first_not_of("0123456789", begin), measure.size());
  return std::string(measure).replace(begin, end - begin, cutoff);
}

Parsed parse(std::string_view spelling) {
  MeasureSpec spec = parse_spelling(spelling);
  const Row& row = find_row(spec.name);
  spec.name = row.entry.name;
  return {row, std::move(spec)};
}

}  // namespace

std::span<const CatalogEntry> measure_catalog() { return kEntries; }

std::unique_ptr<const Measure> make_measure(std::string_view spelling, const Convention& convention) {
  const Parsed parsed = parse(spelling);
  return parsed.row.make(parsed.spec, convention);
}

std::unique_ptr<const FactoredMeasure> make_trainable(std::string_view spelling, const Convention& convention) {
  const Parsed parsed = parse(spelling);
  if (!parsed.row.entry.trainable) {
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
    const bool parameter = piece.find('=') < piece.find(':') && !result.empty();
    const bool cutoff = piece.find_first_not_of("0123456789") == std::string_view::npos && !result.empty() &&
                        result.back().find('@') != std::string::npos;
    if (parameter)
      result.back().append(",").append(piece);
    else if (cutoff)
      result.push_back(with_cutoff(result.back(), piece));
    else
      result.emplace_back(piece);
    if (comma == std::string_view::npos) return result;
    list.remove_prefix(comma + 1);
  }
}

}  // namespace dorm
