// SPDX-License-Identifier: Apache-2.0
// Lucene's expressions, evaluated by a reader of our own.
#include <gtest/gtest.h>

#include "export_case.h"
#include "expression_reader.h"
#include "support/message_of.h"

namespace dorm {
namespace {

Exported to_lucene(const Model& model, const ExportOptions& options = {}) {
  return export_model(model, find_export_target("lucene"), options);
}

double lucene_score(const std::string& text, const test::ExportRow& row) {
  return test::ExpressionReader::value(text, [&](const std::string& name) { return row.at(name); });
}

TEST(Lucene, ScoresAsTheModelDoes) {
  for (const ScalingKind kind : test::kServableKinds) {
    const test::ExportCase one(kind, {"title", "constant", "unused", "a.b", "_x1", "doc['p q'].value"});
    const Exported exported = to_lucene(one.model);
    const std::string& text = exported.files[0].bytes;
    EXPECT_EQ(text.find("unused"), std::string::npos);
    EXPECT_TRUE(exported.features.empty());
    EXPECT_FALSE(exported.served.single);
    one.expect_served(
        exported, [&](const test::ExportRow& row) { return lucene_score(text, row); }, test::kDoubleUnit);
  }
}

TEST(Lucene, ScoresCanBeKeptFromBeingNegative) {
  for (const ScalingKind kind : test::kServableKinds)
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      test::ExportCase one(kind, {"a", "b", "c", "d", "e", "f", "g"}, seed);
      one.learn_ranges();
      const Exported exported = to_lucene(one.model, {.non_negative = true});
      one.expect_non_negative(
          exported, [&](const test::ExportRow& row) { return lucene_score(exported.files[0].bytes, row); },
          test::kDoubleUnit);
    }
}

TEST(Lucene, LongSumsAreWrittenInGroups) {
  std::vector<std::string> names;
  for (int j = 0; j < 1500; ++j) names.push_back("f" + std::to_string(j));
  for (const ScalingKind kind : {ScalingKind::none, ScalingKind::log_zscore}) {
    const test::ExportCase one(kind, names);
    const Exported exported = to_lucene(one.model);
    EXPECT_EQ(exported.served.group, 100u);
    one.expect_served(
        exported, [&](const test::ExportRow& row) { return lucene_score(exported.files[0].bytes, row); },
        test::kDoubleUnit);
  }
  for (int j = 1500; j < 2000; ++j) names.push_back("f" + std::to_string(j));
  EXPECT_NE(test::message_of([&] { to_lucene(test::ExportCase(ScalingKind::log_zscore, names).model); },
                             ErrorCode::unsupported)
                .find("more than an expression of Lucene holds"),
            std::string::npos);
  EXPECT_NO_THROW(to_lucene(test::ExportCase(ScalingKind::zscore, names).model));
}

TEST(Lucene, RefusesWhatIsNoVariable) {
  Model model = test::ExportCase(ScalingKind::none, {"x"}).model;
  for (const char* name : {"7", "a b", "a+b", "", "ü", "a.", ".a", "a[", "a[01]", "doc[\"p\"].value", "doc['p",
                           "doc['p']]", "doc['p\\n'].value", "a\nb", "f(x)", "x;", "x'"})
    EXPECT_NE(test::message_of(
                  [&] {
                    to_lucene(model, {.names = {{"x", name}}});
                  },
                  ErrorCode::unsupported)
                  .find("variable"),
              std::string::npos)
        << name;
  for (const char* name : {"a[0].b", "doc['it\\'s'].value", "$x", "ln"})
    EXPECT_NE(to_lucene(model, {.names = {{"x", name}}}).files[0].bytes.find(name), std::string::npos);
}

TEST(Lucene, AModelWithoutWeightsIsItsConstant) {
  Model model = test::ExportCase(ScalingKind::none, {"x"}).model;
  model.weights = {0};
  EXPECT_EQ(to_lucene(model).files[0].bytes, "0.0\n");
}

TEST(Lucene, SaysThatItTakesZeroForWhatIsMissing) {
  Model model = test::ExportCase(ScalingKind::none, {"x"}).model;
  EXPECT_TRUE(to_lucene(model).notes.empty());
  model.data.input.missing = Missing::mean;
  model.data.input.means = {{"x", 3.5}};
  ASSERT_EQ(to_lucene(model).notes.size(), 1u);
  EXPECT_NE(to_lucene(model).notes[0].find("the mean"), std::string::npos);
}

TEST(Lucene, OddNamesAndNumbersAreReadOrRefused) {
  EXPECT_GT(test::expect_read_or_refused("lucene", {ScalingKind::none, ScalingKind::zscore, ScalingKind::log_zscore},
                                         [](const Exported& exported, const test::ExportRow& row) {
                                           return lucene_score(exported.files[0].bytes, row);
                                         }),
            30u);
}

}  // namespace
}  // namespace dorm
