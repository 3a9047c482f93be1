// SPDX-License-Identifier: Apache-2.0
#include "text/trec_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <string_view>

#include "ranking/names/spelling.h"

namespace dorm::cli {
namespace {

constexpr std::string_view kOfficial =
    "runid,num_q,num_ret,num_rel,num_rel_ret,map,gmap,rprec,bpref,mrr,iprec:recall=0,iprec:recall=.1,iprec:recall=.2,"
    "iprec:recall=.3,iprec:recall=.4,iprec:recall=.5,iprec:recall=.6,iprec:recall=.7,iprec:recall=.8,iprec:recall=.9,"
    "iprec:recall=1,precision@5,precision@10,precision@15,precision@20,precision@30,precision@100,precision@200,"
    "precision@500,precision@1000";

// After those of kOfficial. What is left out, and why: docs/measures.md.
constexpr std::string_view kMoreOfAll =
    "recall@5,recall@10,recall@15,recall@20,recall@30,recall@100,recall@200,recall@500,recall@1000,infap,gbpref,"
    "rprec:mult=.2,rprec:mult=.4,rprec:mult=.6,rprec:mult=.8,rprec:mult=1,rprec:mult=1.2,rprec:mult=1.4,"
    "rprec:mult=1.6,rprec:mult=1.8,rprec:mult=2,utility,iprec,bing,g,ndcg,ndcg-rel,rndcg,ndcg@5,ndcg@10,ndcg@15,"
    "ndcg@20,ndcg@30,ndcg@100,ndcg@200,ndcg@500,ndcg@1000,map@5,map@10,map@15,map@20,map@30,map@100,map@200,map@500,"
    "map@1000,relative-precision@5,relative-precision@10,relative-precision@15,relative-precision@20,"
    "relative-precision@30,relative-precision@100,relative-precision@200,relative-precision@500,"
    "relative-precision@1000,success@1,success@5,success@10,setp,setrp,setr,setap,setf,num_nonrel_judged_ret,unj_5,"
    "unj_10,unj_20";

struct TrecCount {
  std::string_view name;
  std::size_t RetrievalCounts::*of_query;  // nullptr: has a value over all queries only
};
constexpr std::array<TrecCount, 6> kCounts = {{{"runid", nullptr},
                                               {"num_q", nullptr},
                                               {"num_ret", &RetrievalCounts::retrieved},
                                               {"num_rel", &RetrievalCounts::relevant},
                                               {"num_rel_ret", &RetrievalCounts::relevant_retrieved},
                                               {"num_nonrel_judged_ret", &RetrievalCounts::others_retrieved}}};

const TrecCount* find_count(std::string_view name) {
  const auto* found =
      std::find_if(kCounts.begin(), kCounts.end(), [&](const TrecCount& count) { return count.name == name; });
  return found == kCounts.end() ? nullptr : found;
}

struct TrecName {
  std::string_view name;                   // of the measure
  std::string_view plain, cut, parameter;  // without a cutoff, with one, with a number for the key
  std::string_view key;                    // a parameter that trec_eval writes into the name
};
constexpr std::array<TrecName, 22> kNames = {{{"map", "map", "map_cut_{}", "", ""},
                                              {"gmap", "gm_map", "", "", ""},
                                              {"rprec", "Rprec", "", "Rprec_mult_{:.2f}", "mult"},
                                              {"gbpref", "gm_bpref", "", "", ""},
                                              {"mrr", "recip_rank", "", "", ""},
                                              {"iprec", "11pt_avg", "", "iprec_at_recall_{:.2f}", "recall"},
                                              {"precision", "", "P_{}", "", ""},
                                              {"relative-precision", "", "relative_P_{}", "", ""},
                                              {"recall", "", "recall_{}", "", ""},
                                              {"infap", "infAP", "", "", ""},
                                              {"ndcg", "ndcg", "ndcg_cut_{}", "", ""},
                                              {"success", "", "success_{}", "", ""},
                                              {"setp", "set_P", "", "", ""},
                                              {"setr", "set_recall", "", "", ""},
                                              {"setf", "set_F", "", "", ""},
                                              {"bpref", "bpref", "", "", ""},
                                              {"setap", "set_map", "", "", ""},
                                              {"setrp", "set_relative_P", "", "", ""},
                                              {"g", "G", "", "", ""},
                                              {"bing", "binG", "", "", ""},
                                              {"ndcg-rel", "ndcg_rel", "", "", ""},
                                              {"rndcg", "Rndcg", "", "", ""}}};

// trec_eval's name of a measure; its own spelling where trec_eval has no name for it.
std::string trec_name(const std::string& spelling) {
  const MeasureSpec spec = parse_spelling(make_measure(spelling)->name());
  const bool cut = spec.cutoff != MeasureSpec::kNoCutoff;
  for (const TrecName& known : kNames) {
    if (known.name != spec.name) continue;
    if (spec.parameters.empty()) {
      const std::string_view pattern = cut ? known.cut : known.plain;
      if (!pattern.empty()) return cut ? fmt::format(fmt::runtime(pattern), spec.cutoff) : std::string(pattern);
    } else if (spec.parameters.size() == 1 && spec.parameters[0].first == known.key) {
      const std::vector<double> numbers = spec.numbers(known.key);
      if (numbers.size() == 1) return fmt::format(fmt::runtime(known.parameter), numbers[0]);
    }
  }
  return spelling;
}

constexpr std::string_view kUnjudged = "unj_";

// unj_5: the positions of the first five without a judgment. Those behind the end of a list have one.
std::optional<std::string> unjudged_at(std::string_view name) {
  if (!name.starts_with(kUnjudged) || name.size() == kUnjudged.size()) return std::nullopt;
  const std::string_view cutoff = name.substr(kUnjudged.size());
  if (cutoff.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
  return fmt::format("judged@{}", cutoff);
}

double unjudged_share(const std::string& measure, double judged, std::size_t retrieved) {
  const auto cutoff = static_cast<double>(parse_spelling(measure).cutoff);
  return (1 - judged) * std::min(cutoff, static_cast<double>(retrieved)) / cutoff;
}

std::string line(std::string_view name, std::string_view query, const std::string& value) {
  return fmt::format("{:<22}\t{}\t{}\n", name, query, value);
}

std::string four_digits(double value) { return fmt::format("{:6.4f}", value); }

}  // namespace

TrecLines::TrecLines(const std::string& list) {
  const std::string asked = list.empty() || list == "official" ? std::string(kOfficial)
                            : list == "all_trec"               ? fmt::format("{},{}", kOfficial, kMoreOfAll)
                                                               : list;
  for (std::string& name : split_measures(asked)) {
    const std::optional<std::string> judged = unjudged_at(name);
    lines_.push_back({find_count(name) || judged ? name : "", measures_.size()});
    if (judged)
      measures_.push_back(*judged);
    else if (lines_.back().count.empty())
      measures_.push_back(std::move(name));
  }
}

void TrecLines::begin_with_run_id() {
  const auto is_id = [](const Line& what) { return what.count == "runid"; };
  if (std::none_of(lines_.begin(), lines_.end(), is_id)) lines_.insert(lines_.begin(), {"runid", 0});
}

std::string TrecLines::run_id(const std::string& tag) const { return line("runid", "all", tag); }

std::string TrecLines::per_query(const EvaluationTable& table) const {
  std::vector<std::size_t> order(table.query_ids.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t p, std::size_t q) { return table.query_ids[p] < table.query_ids[q]; });
  std::string text;
  for (const std::size_t q : order)
    for (const Line& what : lines_) {
      const std::string& id = table.query_ids[q];
      if (const TrecCount* count = find_count(what.count)) {
        if (count->of_query) text += line(what.count, id, std::to_string(table.counts[q].*count->of_query));
        continue;
      }
      const MeasureResult& result = table.measures[what.measure];
      if (unjudged_at(what.count))
        text += line(what.count, id,
                     four_digits(unjudged_share(result.name, result.per_query[q], table.counts[q].retrieved)));
      else if (!result.geometric)
        text += line(trec_name(result.name), id, four_digits(result.per_query[q]));
    }
  return text;
}

std::string TrecLines::summary(const EvaluationTable& table, const std::string& tag) const {
  std::string text;
  for (const Line& what : lines_) {
    if (what.count == "runid") {
      text += line(what.count, "all", tag);
    } else if (what.count == "num_q") {
      text += line(what.count, "all", std::to_string(table.query_ids.size()));
    } else if (const TrecCount* count = find_count(what.count)) {
      std::size_t sum = 0;
      for (const RetrievalCounts& counts : table.counts) sum += counts.*count->of_query;
      text += line(what.count, "all", std::to_string(sum));
    } else if (unjudged_at(what.count)) {
      const MeasureResult& result = table.measures[what.measure];
      double sum = 0;
      for (std::size_t q = 0; q < table.query_ids.size(); ++q)
        sum += unjudged_share(result.name, result.per_query[q], table.counts[q].retrieved);
      text += line(what.count, "all", four_digits(sum / static_cast<double>(table.query_ids.size())));
    } else {
      const MeasureResult& result = table.measures[what.measure];
      text += line(trec_name(result.name), "all", four_digits(result.mean));
    }
  }
  return text;
}

}  // namespace dorm::cli
