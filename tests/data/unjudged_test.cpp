// SPDX-License-Identifier: Apache-2.0
// Documents that were not judged: taken for bad, left out, or a grade of their own.
#include <gtest/gtest.h>

#include "dorm/data/prepare.h"
#include "dorm/dataset.h"
#include "dorm/error.h"
#include "dorm/read.h"
#include "support/message_of.h"

namespace dorm {
namespace {

std::vector<float> labels_of(const Dataset& data) {
  std::vector<float> labels;
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    const Query query = data.query(q);
    labels.insert(labels.end(), query.labels.begin(), query.labels.end());
  }
  return labels;
}

Dataset graded(bool dense) {
  // Queries stand in parts, so that source rows differ from documents; query b has no judged document.
  const std::string rows =
      "2 qid:a 1:1 2:10 # d0\n-1 qid:b 1:2 2:20 # d1\n-1 qid:a 1:3 2:30 # d2\n1 qid:c 1:4 2:40 # d3\n"
      "0 qid:a 1:5 2:50 # d4\n-1 qid:c 1:6 2:60 # d5\n";
  return parse_letor(dense ? rows : rows + "0 qid:c 100:1 # d6\n", "memory");
}

using Floats = std::vector<float>;

TEST(Unjudged, AutomaticIsBadForWholeGradesFromMinusOneOn) {
  const auto rule = [](const Floats& labels) { return name_of(settle_unjudged(Unjudged::automatic, labels)); };
  EXPECT_EQ(rule({-1, 0, 4}), "bad");
  EXPECT_EQ(rule({0, 1}), "bad");
  EXPECT_EQ(rule({-2, -1, 0, 1}), "grade");
  EXPECT_EQ(rule({-1, 0, 0.5f}), "grade");
  EXPECT_EQ(rule({-1.5f, 3}), "grade");
  EXPECT_EQ(settle_unjudged(Unjudged::drop, Floats{-2.5f}), Unjudged::drop);
}

TEST(Unjudged, BadIsLabelZeroAndNothingElse) {
  const Dataset data = graded(true);
  std::size_t changed = 0;
  const Dataset bad = with_unjudged(data, Unjudged::automatic, &changed);
  EXPECT_EQ(changed, 3u);
  EXPECT_EQ(labels_of(data), (Floats{2, -1, 0, -1, 1, -1}));
  EXPECT_EQ(labels_of(bad), (Floats{2, 0, 0, 0, 1, 0}));
  EXPECT_EQ(bad.query(2).rows.at(1, 1), 60);
  EXPECT_EQ(bad.source_row(1), data.source_row(1));
  EXPECT_EQ(bad.query(0).rows.dense_row(0), data.query(0).rows.dense_row(0));  // shared
}

TEST(Unjudged, DataWithoutThemIsTheSameBlock) {
  const Dataset data = parse_letor("1 qid:a 1:1\n0 qid:a 1:2\n", "memory");
  for (Unjudged rule : {Unjudged::grade, Unjudged::bad, Unjudged::drop, Unjudged::automatic})
    EXPECT_EQ(&with_unjudged(data, rule).storage(), &data.storage());
}

TEST(Unjudged, DropIsTheFileWithoutTheirLines) {
  const Dataset expected =
      parse_letor("2 qid:a 1:1 2:10 # d0\n1 qid:c 1:4 2:40 # d3\n0 qid:a 1:5 2:50 # d4\n", "memory");
  const Dataset kept = with_unjudged(graded(true), Unjudged::drop);
  EXPECT_EQ(kept.fingerprint(), expected.fingerprint());
  ASSERT_EQ(kept.num_documents(), 3u);
  for (std::size_t d = 0; d < 3; ++d) {
    EXPECT_EQ(kept.source_row(d), expected.source_row(d));
    EXPECT_EQ(kept.document_id(d), expected.document_id(d));
  }
}

TEST(Unjudged, DropOfCompressedRows) {
  const Dataset expected = parse_letor(
      "2 qid:a 1:1 2:10 # d0\n1 qid:c 1:4 2:40 # d3\n0 qid:a 1:5 2:50 # d4\n0 qid:c 100:1 # d6\n", "memory");
  ASSERT_FALSE(expected.dense());
  EXPECT_EQ(with_unjudged(graded(false), Unjudged::drop).fingerprint(), expected.fingerprint());
}

TEST(Unjudged, NothingLeftIsAnError) {
  const Dataset data = parse_letor("-1 qid:a 1:1\n", "memory");
  EXPECT_EQ(test::message_of([&] { with_unjudged(data, Unjudged::drop); }, ErrorCode::bad_input),
            "no document has a judgment: all labels are negative; expected labels of 0 or more");
}

TEST(Unjudged, UnknownNamesAreRefused) {
  EXPECT_EQ(test::error_of([] { parse_unjudged("bda"); }).code(), ErrorCode::unknown_name);
}

}  // namespace
}  // namespace dorm
