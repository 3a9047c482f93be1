// SPDX-License-Identifier: Apache-2.0
// The lists that two rankings make, and how likely each is to be shown.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <set>

#include "base/numeric.h"
#include "dorm/clicks/interleave.h"
#include "dorm/error.h"
#include "ranking/topics/integer_program.h"

namespace dorm {
namespace {

using Rank = std::span<const std::uint32_t>;

constexpr std::size_t kLongestDraft = 20, kLongestOptimised = 12;

constexpr std::array<CatalogEntry, 2> kInterleaveMethods = {{
    {.name = "team-draft",
     .usage = "team-draft",
     .help = "in each round the rankings, in random order, add their best document not in the list yet"},
    {.name = "optimised",
     .usage = "optimised",
     .help = "lists drawn with probabilities that favour neither ranking and decide as often as they can"},
}};

bool holds(const std::vector<std::uint32_t>& list, std::uint32_t document) {
  return std::find(list.begin(), list.end(), document) != list.end();
}

/// The best document of a ranking that the list has not; nullptr: none is left.
const std::uint32_t* next_of(Rank ranking, const std::vector<std::uint32_t>& list) {
  const auto found = std::find_if(ranking.begin(), ranking.end(), [&](std::uint32_t d) { return !holds(list, d); });
  return found == ranking.end() ? nullptr : &*found;
}

/// All team drafts: two ways to begin each round.
class TeamDrafts {
 public:
  TeamDrafts(Rank a, Rank b, std::size_t length) : a_(a), b_(b), length_(length) {}

  std::vector<Interleaving> all() {
    begin_round({{}, {}, 1});
    return std::move(lists_);
  }

 private:
  void begin_round(const Interleaving& list) {
    if (list.documents.size() == length_ || (!next_of(a_, list.documents) && !next_of(b_, list.documents))) {
      lists_.push_back(list);
      return;
    }
    for (const bool b_first : {false, true}) {
      Interleaving next = list;
      next.probability /= 2;
      add(next, b_first);
      add(next, !b_first);
      begin_round(next);
    }
  }
  void add(Interleaving& list, bool of_b) const {
    const std::uint32_t* document = next_of(of_b ? b_ : a_, list.documents);
    if (!document || list.documents.size() == length_) return;
    list.documents.push_back(*document);
    list.credit.push_back(of_b ? -1 : 1);
  }

  Rank a_, b_;
  std::size_t length_;
  std::vector<Interleaving> lists_;
};

double credit_of(Rank a, Rank b, std::uint32_t document, bool inverse) {
  const auto rank_in = [document](Rank ranking) {
    return real(static_cast<std::size_t>(std::find(ranking.begin(), ranking.end(), document) - ranking.begin())) + 1;
  };
  return inverse ? 1 / rank_in(a) - 1 / rank_in(b) : rank_in(b) - rank_in(a);
}

std::set<std::vector<std::uint32_t>> allowed_lists(Rank a, Rank b, std::size_t length) {
  std::set<std::vector<std::uint32_t>> grown;
  grown.insert(std::vector<std::uint32_t>());
  for (std::size_t k = 0; k < length; ++k) {
    std::set<std::vector<std::uint32_t>> longer;
    for (const std::vector<std::uint32_t>& list : grown) {
      bool ended = true;
      for (const Rank ranking : {a, b}) {
        const std::uint32_t* document = next_of(ranking, list);
        if (!document) continue;
        std::vector<std::uint32_t> next = list;
        next.push_back(*document);
        longer.insert(std::move(next));
        ended = false;
      }
      if (ended) longer.insert(list);
    }
    grown = std::move(longer);
  }
  return grown;
}

/// The probabilities: sum to 1, the credit of each position is 0 on average, and the mean sensitivity is greatest.
/// (That the credit of the first k positions is 0 for every k says the same.)
IntegerProgram program_of(const std::vector<Interleaving>& lists, std::size_t length) {
  IntegerProgram program;
  ProgramRow all{{}, {}, 1, 1};
  std::vector<ProgramRow> balance(length);
  for (std::size_t i = 0; i < lists.size(); ++i) {
    program.objective.push_back(interleaving_sensitivity(lists[i].credit));
    all.columns.push_back(static_cast<int>(i));
    all.values.push_back(1);
    for (std::size_t k = 0; k < lists[i].credit.size(); ++k) {
      if (lists[i].credit[k] == 0) continue;
      balance[k].columns.push_back(static_cast<int>(i));
      balance[k].values.push_back(lists[i].credit[k]);
    }
  }
  program.rows.push_back(std::move(all));
  for (ProgramRow& row : balance)
    if (!row.columns.empty()) program.rows.push_back(std::move(row));
  return program;
}

std::vector<Interleaving> optimised(Rank a, Rank b, const InterleaveOptions& options) {
  if (options.credit != "inverse" && options.credit != "linear")
    throw Error(ErrorCode::bad_option, fmt::format("credit \"{}\"; expected inverse or linear", options.credit));
  a = a.first(std::min(a.size(), options.length));
  b = b.first(std::min(b.size(), options.length));
  std::vector<Interleaving> lists;
  for (const std::vector<std::uint32_t>& list : allowed_lists(a, b, options.length)) {
    Interleaving& made = lists.emplace_back(Interleaving{list, {}, 0});
    for (const std::uint32_t document : list)
      made.credit.push_back(credit_of(a, b, document, options.credit == "inverse"));
  }
  const ProgramSolution solution = solve_program(program_of(lists, options.length), 0);
  if (solution.status != ProgramStatus::optimal)
    throw Error(ErrorCode::unsupported, "no probabilities make this pair of rankings fair; expected team-draft");
  double total = 0;
  for (std::size_t i = 0; i < lists.size(); ++i) {
    lists[i].probability = std::max(0.0, solution.values[i]);
    total += lists[i].probability;
  }
  for (Interleaving& list : lists) list.probability /= total;
  std::erase_if(lists, [](const Interleaving& list) { return list.probability == 0; });
  return lists;
}

void require_different(Rank ranking) {
  std::set<std::uint32_t> seen;
  for (const std::uint32_t document : ranking)
    if (!seen.insert(document).second)
      throw Error(ErrorCode::bad_input, "a ranking has a document twice; expected different ones");
}

}  // namespace

std::span<const CatalogEntry> interleave_catalog() { return kInterleaveMethods; }

double interleaving_sensitivity(std::span<const double> credit) {
  double for_a = 0, for_b = 0, all = 0;
  for (std::size_t k = 0; k < credit.size(); ++k) {
    const double weight = 1 / real(k + 1);
    all += weight;
    if (credit[k] > 0) for_a += weight;
    if (credit[k] < 0) for_b += weight;
  }
  const auto term = [all](double x) { return x > 0 ? -x / all * std::log(x / all) : 0.0; };
  return term(for_a) + term(for_b);
}

std::vector<Interleaving> interleavings(Rank a, Rank b, const InterleaveOptions& options) {
  require_different(a);
  require_different(b);
  const bool draft = options.method == "team-draft";
  if (!draft && options.method != "optimised")
    throw_unknown_name("method of interleaving", options.method, kInterleaveMethods);
  const std::size_t longest = draft ? kLongestDraft : kLongestOptimised;
  if (options.length < 1 || options.length > longest)
    throw Error(ErrorCode::bad_option,
                fmt::format("lists of {} documents by {}; expected 1 to {}", options.length, options.method, longest));
  return draft ? TeamDrafts(a, b, options.length).all() : optimised(a, b, options);
}

const Interleaving& draw_interleaving(std::span<const Interleaving> lists, double uniform) {
  for (const Interleaving& list : lists) {
    uniform -= list.probability;
    if (uniform < 0) return list;
  }
  return lists.back();
}

}  // namespace dorm
