// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "dorm/data/prepare.h"
#include "dorm/dataset.h"

namespace dorm {
namespace {

/// Documents of labels 0, 1, 2 in turn, with the features that `values` makes of a label and a number.
template <class Values>
Dataset made_of(std::size_t documents, std::vector<std::string> names, const Values& values) {
  DatasetBuilder builder;
  for (std::size_t d = 0; d < documents; ++d) {
    const auto label = static_cast<float>(d % 3);
    builder.add({.label = label, .query_id = std::to_string(d / 6)}, values(label, static_cast<float>(d)));
  }
  builder.set_feature_names(std::move(names));
  return builder.finish();
}

std::vector<LabelLeak::Kind> kinds(const std::vector<LabelLeak>& leaks) {
  std::vector<LabelLeak::Kind> found;
  for (const LabelLeak& leak : leaks) found.push_back(leak.kind);
  return found;
}

TEST(LabelLeaks, CopiesAndOrdersAreFound) {
  const Dataset data = made_of(120, {"copy", "down", "noisy", "near"}, [](float label, float d) {
    return std::vector<float>{label, 5 - label * label + d / 1000, d, d == 7 ? 0 : label};
  });
  const std::vector<LabelLeak> leaks = find_label_leaks(data);
  EXPECT_EQ(kinds(leaks), (std::vector{LabelLeak::Kind::equal, LabelLeak::Kind::monotone}));
  EXPECT_EQ(leaks[1].feature, "down");
}

TEST(LabelLeaks, ZerosOfCompressedRowsCount) {
  const Dataset data = made_of(120, {"a", "b", "c", "copy", "half", "d", "e", "f", "g", "h"}, [](float label, float d) {
    std::vector<float> row(10, 0.0f);
    row[3] = label;
    row[4] = d < 60 ? label : 0;
    return row;
  });
  ASSERT_FALSE(data.dense());
  const std::vector<LabelLeak> leaks = find_label_leaks(data);
  ASSERT_EQ(leaks.size(), 1u);
  EXPECT_EQ(leaks[0].feature, "copy");
}

TEST(LabelLeaks, TheLastDocumentCounts) {
  const Dataset data = made_of(400, {"copy", "until the last", "never"}, [](float label, float d) {
    return std::vector<float>{label, d == 399 ? 7 : label, d};
  });
  const std::vector<LabelLeak> leaks = find_label_leaks(data);
  ASSERT_EQ(leaks.size(), 1u);
  EXPECT_EQ(leaks[0].feature, "copy");
}

TEST(LabelLeaks, ManyLabelsAreNoGrades) {
  DatasetBuilder builder;
  for (std::size_t d = 0; d < 200; ++d) {
    const auto label = static_cast<float>(d < 150 ? d % 3 : d);
    builder.add({.label = label, .query_id = std::to_string(d / 6)}, std::vector<float>{label});
  }
  EXPECT_TRUE(find_label_leaks(builder.finish()).empty());
}

TEST(LabelLeaks, OfSmallDataAnOrderMayBeChance) {
  const Dataset data = made_of(30, {"down", "Relevance_Grade"}, [](float label, float) {
    return std::vector<float>{-label, 1};
  });
  EXPECT_EQ(kinds(find_label_leaks(data)), (std::vector{LabelLeak::Kind::name}));
}

}  // namespace
}  // namespace dorm
