// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "dorm/error.h"
#include "dorm/train.h"
#include "learning/train/fit.h"
#include "support/message_of.h"

namespace dorm {
namespace {

struct Wrong {
  std::function<void(TrainOptions&)> change;
  std::string says;
  ErrorCode code = ErrorCode::bad_option;
};

TEST(TrainOptions, TheDefaultsAreValid) { EXPECT_NO_THROW(TrainOptions().validate()); }

TEST(TrainOptions, EveryWrongValueIsNamedWithWhatIsAllowed) {
  const double nan = std::nan(""), infinite = INFINITY;
  const Wrong cases[] = {
      {[](TrainOptions& o) { o.C = 0; }, "C is 0; expected a finite number above 0"},
      {[](TrainOptions& o) { o.C = -1; }, "C is -1"},
      {[=](TrainOptions& o) { o.C = nan; }, "C is nan"},
      {[=](TrainOptions& o) { o.C = infinite; }, "C is inf"},
      {[](TrainOptions& o) { o.tolerance = 0; }, "tolerance is 0"},
      {[](TrainOptions& o) { o.tolerance = 1; }, "tolerance is 1"},
      {[=](TrainOptions& o) { o.tolerance = nan; }, "tolerance is nan"},
      {[](TrainOptions& o) { o.max_passes = 0; }, "max_passes is 0; expected at least 1"},
      {[](TrainOptions& o) { o.seconds = -1; }, "time limit is -1"},
      {[=](TrainOptions& o) { o.seconds = infinite; }, "time limit is inf"},
      {[](TrainOptions& o) { o.checkpoint_seconds = -2; }, "checkpoint interval is -2"},
      {[](TrainOptions& o) { o.measure = "ndgc@10"; }, "ndcg", ErrorCode::unknown_name},
      {[](TrainOptions& o) { o.measure = "ndcg@0"; }, "0"},
      {[](TrainOptions& o) { o.measure = "map"; }, "map"},
      {[](TrainOptions& o) { o.convention = "letor5"; }, "letor4", ErrorCode::unknown_name},
      {[](TrainOptions& o) { o.decay = "powder"; }, "power", ErrorCode::unknown_name},
      {[](TrainOptions& o) { o.decay = "power:-1"; }, "power"},
      {[](TrainOptions& o) { o.bound = "worst"; }, "predicted", ErrorCode::unknown_name},
      {[](TrainOptions& o) { o.start = "zero"; }, "pairwise", ErrorCode::unknown_name},
      {[](TrainOptions& o) { o.scale = "zzz"; }, "zscore", ErrorCode::unknown_name},
      {[](TrainOptions& o) { o.solver = "sgd"; }, "bcda", ErrorCode::unknown_name},
  };
  for (const Wrong& wrong : cases) {
    TrainOptions options;
    wrong.change(options);
    SCOPED_TRACE(wrong.says);
    const std::string message = test::message_of([&] { options.validate(); }, wrong.code);
    EXPECT_NE(message.find(wrong.says), std::string::npos) << message;
  }
}

TEST(Bounds, ParseToThemselvesAndAutoIsNotOne) {
  EXPECT_EQ(parse_bound("given"), Bound::given);
  EXPECT_EQ(parse_bound("average"), Bound::average);
  EXPECT_EQ(parse_bound("best"), Bound::best);
  EXPECT_EQ(parse_bound("predicted"), Bound::predicted);
  EXPECT_THROW(parse_bound("auto"), Error);
  EXPECT_THROW(parse_bound("Best"), Error);
}

}  // namespace
}  // namespace dorm
