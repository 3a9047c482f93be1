// SPDX-License-Identifier: Apache-2.0
// How measures are spelled, and what is said when they are misspelled.
#include <gtest/gtest.h>

#include <algorithm>

#include "dorm/base/catalog.h"
#include "dorm/data/scale.h"
#include "dorm/error.h"
#include "dorm/measure.h"
#include "support/message_of.h"

namespace dorm {
namespace {

using test::error_of;
using test::message_of;

TEST(Spelling, IsMadeCanonical) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"nDCG@10", "ndcg@10"}, {"P@5", "precision@5"}, {"AP", "map"},
      {"RR", "mrr"},          {"R@3", "recall@3"},    {"ERU:Half_Life=3", "eru:half_life=3"},
      {"tau", "kendall"},     {"ndcg@007", "ndcg@7"}};
  for (const auto& [typed, canonical] : cases) EXPECT_EQ(make_measure(typed)->name(), canonical);
}

TEST(Spelling, OfOtherToolsIsUnderstood) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      // trec_eval
      {"ndcg_cut_10", "ndcg@10"},
      {"ndcg_cut.10", "ndcg@10"},
      {"P_5", "precision@5"},
      {"P.5", "precision@5"},
      {"map_cut_100", "map@100"},
      {"recall_1000", "recall@1000"},
      {"success_1", "success@1"},
      {"relative_P_20", "relative-precision@20"},
      {"recip_rank", "mrr"},
      {"Rprec", "rprec"},
      {"Rprec_mult_0.20", "rprec:mult=0.20"},
      {"iprec_at_recall_0.10", "iprec:recall=0.10"},
      {"11pt_avg", "iprec"},
      {"11pt_avg_.25,.5,.75", "iprec:recall=.25/.5/.75"},
      {"infAP", "infap"},
      {"gm_map", "gmap"},
      {"gm_bpref", "gbpref"},
      {"set_P", "setp"},
      {"set_recall", "setr"},
      {"set_F", "setf"},
      {"set_F.4", "setf:beta=2"},
      {"set_map", "setap"},
      {"set_relative_P", "setrp"},
      {"num_rel_ret", "hits"},
      {"utility_1,-1,0,0", "utility:weights=1/-1/0/0"},
      {"binG", "bing"},
      {"G", "g"},
      {"ndcg_rel", "ndcg-rel"},
      {"Rndcg", "rndcg"},
      {"ndcg_1=3,2=9,4=4.5", "ndcg:gains=0/3/9/3/4.5"},
      // ir_measures
      {"nDCG@10", "ndcg@10"},
      {"nDCG(dcg='exp-log2')@10", "ndcg@10:gain=exp2"},
      {"nDCG(cutoff=10, gains={1: 2, 3: 5})", "ndcg@10:gains=0/2/2/5"},
      {"AP(rel=2)@100", "map@100:rel=2"},
      {"P(rel=2, judged_only=True)@5", "precision@5:rel=2,judged_only=yes"},
      {"RBP(p=0.8)", "rbp:p=0.8"},
      {"IPrec@0.1", "iprec:recall=0.1"},
      {"IPrec(rel=2)@0.1", "iprec:rel=2,recall=0.1"},
      {"SetF(beta=4.0)", "setf:beta=2"},
      {"SetP(relative=True)", "setrp"},
      {"SetAP", "setap"},
      {"Judged@10", "judged@10"},
      {"ERR@20", "err@20"},
      {"Bpref(rel=2)", "bpref:rel=2"},
      {"NumRelRet", "hits"},
      // ranx
      {"hits@10", "hits@10"},
      {"hit_rate@10", "success@10"},
      {"hit_rate", "success@1000000000"},
      {"f1@10", "f@10"},
      {"f1", "setf"},
      {"r-precision", "rprec"},
      {"r_precision", "rprec"},
      {"ndcg_burges@10", "ndcg@10:gain=exp2"},
      {"rbp.95", "rbp:p=0.95,gain=linear"},
      {"map@100-l2", "map@100:rel=2"},
      {"mrr-l2", "mrr:rel=2"},
  };
  for (const auto& [typed, canonical] : cases) {
    // The table of gains above decreases, as trec_eval's test has it; ours refuse that.
    if (typed == "ndcg_1=3,2=9,4=4.5")
      EXPECT_NE(message_of([&name = typed] { make_measure(name); }).find("gains=0/3/9/3/4.5"), std::string::npos);
    else
      EXPECT_EQ(make_measure(typed)->name(), canonical) << typed;
  }
}

TEST(Spelling, ListsOfOtherToolsAreSplitBetweenMeasures) {
  const std::vector<std::string> expected = {
      "AP(rel=2,judged_only=True)@100", "P_5",         "P_10", "utility_1,-1,0,0", "nDCG(gains={1:2,2:5})@10",
      "nDCG(gains={1:2,2:5})@20",       "ndcg_1=3,2=9"};
  EXPECT_EQ(split_measures("AP(rel=2,judged_only=True)@100,P_5,10,utility_1,-1,0,0,nDCG(gains={1:2,2:5})@10,20,"
                           "ndcg_1=3,2=9"),
            expected);
}

TEST(Spelling, UnknownNamesOfOtherToolsGetTheNearestOfThem) {
  EXPECT_EQ(message_of([] { make_measure("ndcg_cutt_10"); }).find("unknown measure \"ndcg_cutt_10\"; did you mean"),
            0u);
  EXPECT_EQ(
      message_of([] { make_measure("hitrate@10"); }).find("unknown measure \"hitrate\"; did you mean \"hit_rate\"?"),
      0u);
}

// Labels: relevant, unjudged, relevant, judged not relevant.
TEST(Spelling, JudgedOnlyPassesOverDocumentsWithoutAJudgment) {
  const std::vector<float> labels = {1, -1, 1, 0};
  const Ranking ranking = {1, 0, 3, 2};
  EXPECT_DOUBLE_EQ(*make_measure("mrr")->evaluate(labels, ranking), 0.5);
  EXPECT_DOUBLE_EQ(*make_measure("mrr:judged_only=yes")->evaluate(labels, ranking), 1);
  EXPECT_DOUBLE_EQ(*make_measure("map:judged_only=yes")->evaluate(labels, ranking), (1 + 2.0 / 3) / 2);
  // Of the tied block of all four, three are left: a relevant one is first in two of three orders.
  const std::vector<std::uint32_t> one_block = {4};
  EXPECT_NEAR(*make_measure("precision@1:judged_only=yes")->expected(labels, {ranking, one_block}), 2.0 / 3, 1e-15);
}

TEST(Spelling, UnknownNamesGetTheNearestAndTheWholeList) {
  const Error got = error_of([] { make_measure("ndgc@10"); });
  EXPECT_EQ(got.code(), ErrorCode::unknown_name);
  EXPECT_EQ(
      std::string(got.what()).find("unknown measure \"ndgc\"; did you mean \"ndcg\"? known: wta, mwta, mrr, dcg, ndcg"),
      0u)
      << got.what();
  for (const CatalogEntry& entry : measure_catalog())
    EXPECT_NE(std::string(got.what()).find(entry.name), std::string::npos) << entry.name;
}

TEST(Spelling, NamesLikeNothingKnownGetNoSuggestion) {
  EXPECT_EQ(message_of([] { make_measure("zzzzzz"); }).find("unknown measure \"zzzzzz\"; known: wta"), 0u);
  EXPECT_EQ(message_of([] { make_measure(""); }).find("unknown measure \"\"; known: wta"), 0u);
}

TEST(Spelling, OfOtherThingsIsCheckedTheSameWay) {
  EXPECT_EQ(message_of([] { make_convention("letor5"); }),
            "unknown convention \"letor5\"; did you mean \"letor3\"? known: standard, letor3, letor4, mslr, "
            "lightgbm, xgboost, trec, sklearn");
  EXPECT_EQ(message_of([] { parse_ties("wurst"); }),
            "unknown tie rule \"wurst\"; did you mean \"worst\"? known: index, expected, worst, document_id");
  EXPECT_EQ(message_of([] { parse_scaling("z-score"); }),
            "unknown scaling \"z-score\"; did you mean \"zscore\"? known: none, zscore, minmax, query-minmax, "
            "log-zscore, log-query-zscore");
}

TEST(Spelling, BadParametersSayWhatIsAccepted) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"ndcg@0", "measure \"ndcg@0\": cutoff \"0\"; expected a whole number from 1 on"},
      {"ndcg@x", "measure \"ndcg@x\": cutoff \"x\"; expected a whole number from 1 on"},
      {"ndcg@", "measure \"ndcg@\": cutoff \"\"; expected a whole number from 1 on"},
      {"ndcg@-1", "measure \"ndcg@-1\": cutoff \"-1\"; expected a whole number from 1 on"},
      {"ndcg@1.5", "measure \"ndcg@1.5\": cutoff \"1.5\"; expected a whole number from 1 on"},
      {"ndcg@99999999999999999999",
       "measure \"ndcg@99999999999999999999\": cutoff \"99999999999999999999\"; expected a whole number from "
       "1 on"},
      {"precision", "measure \"precision\" needs a cutoff, e.g. \"precision@10\""},
      {"wta@3", "measure \"wta@3\": wta takes no cutoff; say \"wta\""},
      {"ndcg:depth=3", "measure \"ndcg:depth=3\": unknown parameter \"depth\"; ndcg accepts gain, gains, discount"},
      {"wta:x=1", "measure \"wta:x=1\": unknown parameter \"x\"; wta takes no parameters"},
      {"ndcg:", "measure \"ndcg:\": parameter \"\"; expected key=value"},
      {"ndcg:gain", "measure \"ndcg:gain\": parameter \"gain\"; expected key=value"},
      {"ndcg:gain=log", "measure \"ndcg:gain=log\": gain \"log\"; expected exp2 or linear"},
      {"ndcg:discount=1", "measure \"ndcg:discount=1\": discount \"1\"; expected log2 or letor"},
      {"mrr:rel=x", "measure \"mrr:rel=x\": rel \"x\"; expected best or a finite number"},
      {"ndcg:rel=best", "measure \"ndcg:rel=best\": unknown parameter \"rel\"; ndcg accepts gain, gains, discount"},
      {"mrr:rel=1,rel=2", "measure \"mrr:rel=1,rel=2\": rel is given twice"},
      {"eru:half_life=1", "measure \"eru:half_life=1\": half_life 1; expected more than 1"},
      {"err@5:max_grade=0", "measure \"err@5:max_grade=0\": max_grade 0; expected above 0, at most 1000"},
      {"custom", "measure \"custom\": gains are needed, one per label from 0 on, e.g. gains=0/1/3/7/15"},
      {"custom:gains=0/3/1,discounts=1",
       "measure \"custom:gains=0/3/1,discounts=1\": gains must be finite, not negative and never decrease "
       "with "
       "the label"},
      {"custom:gains=0/1,discounts=1/2",
       "measure \"custom:gains=0/1,discounts=1/2\": discounts are needed, finite, not negative, never "
       "increasing "
       "and not all zero, e.g. discounts=1/.5/.3"},
      {"custom:gains=0/1,discounts=1,normalised=maybe",
       "measure \"custom:gains=0/1,discounts=1,normalised=maybe\": normalised \"maybe\"; expected yes or no"},
  };
  for (const auto& [spelling, message] : cases) {
    const Error got = error_of([&typed = spelling] { make_measure(typed); });
    EXPECT_EQ(got.code(), ErrorCode::bad_option) << spelling;
    EXPECT_EQ(got.what(), message);
  }
}

TEST(Spelling, EvaluateOnlyMeasuresCannotBeTrainedFor) {
  const Error got = error_of([] { make_trainable("map@10"); });
  EXPECT_EQ(got.code(), ErrorCode::bad_option);
  EXPECT_EQ(std::string(got.what())
                .find("measure \"map@10\" can be evaluated but not trained for; trainable: wta, mwta, mrr"),
            0u)
      << got.what();
}

TEST(Spelling, TypeAndCatalogAgreeOnWhatIsTrainable) {
  for (const CatalogEntry& entry : measure_catalog()) {
    const auto measure = make_measure(entry.example);
    EXPECT_EQ(dynamic_cast<const FactoredMeasure*>(measure.get()) != nullptr, entry.trainable) << entry.name;
  }
}

TEST(Spelling, CatalogNamesAreUniqueAndDescribed) {
  for (const auto catalog : {measure_catalog(), convention_catalog(), tie_catalog(), scaling_catalog()}) {
    for (const CatalogEntry& entry : catalog) {
      const auto same = [&](const CatalogEntry& other) { return other.name == entry.name; };
      EXPECT_EQ(std::count_if(catalog.begin(), catalog.end(), same), 1) << entry.name;
      EXPECT_EQ(entry.usage.find(entry.name), 0u) << entry.name;
      EXPECT_FALSE(entry.help.empty()) << entry.name;
    }
  }
}

TEST(Spelling, EveryCatalogNameCanBeMade) {
  for (const CatalogEntry& entry : convention_catalog()) EXPECT_EQ(make_convention(entry.name).name, entry.name);
  for (const CatalogEntry& entry : tie_catalog()) EXPECT_EQ(name_of(parse_ties(entry.name)), entry.name);
  std::vector<ScalingKind> kinds;
  for (const CatalogEntry& entry : scaling_catalog()) kinds.push_back(parse_scaling(entry.name));
  EXPECT_EQ(kinds, (std::vector<ScalingKind>{ScalingKind::none, ScalingKind::zscore, ScalingKind::minmax,
                                             ScalingKind::query_minmax, ScalingKind::log_zscore,
                                             ScalingKind::log_query_zscore}));
}

TEST(Spelling, ListsAreSplitAtMeasuresNotAtParameters) {
  EXPECT_EQ(split_measures("ndcg@10,eru:half_life=5,neutral=2,mrr"),
            (std::vector<std::string>{"ndcg@10", "eru:half_life=5,neutral=2", "mrr"}));
  EXPECT_EQ(split_measures("map"), (std::vector<std::string>{"map"}));
  EXPECT_EQ(split_measures("ndcg@1,5,10,map"), (std::vector<std::string>{"ndcg@1", "ndcg@5", "ndcg@10", "map"}));
  EXPECT_EQ(split_measures("err@5:max_grade=2,10"),
            (std::vector<std::string>{"err@5:max_grade=2", "err@10:max_grade=2"}));
  EXPECT_EQ(split_measures("map,5"), (std::vector<std::string>{"map", "5"}));  // no measure has that name
  EXPECT_EQ(split_measures("mrr:rel=2,err@5:max_grade=2"),
            (std::vector<std::string>{"mrr:rel=2", "err@5:max_grade=2"}));
  for (const char* list : {"", "map,", ",map", "map,,mrr"})
    EXPECT_EQ(error_of([list] { split_measures(list); }).code(), ErrorCode::bad_option) << list;
}

}  // namespace
}  // namespace dorm
