// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <set>

#include "dorm/error.h"
#include "dorm/train.h"
#include "learning/train/rounds.h"
#include "support/message_of.h"

namespace dorm {
namespace {

std::string another_name(std::string_view option) {
  if (option == "bound") return "given";
  if (option == "start") return "pairwise";
  return option == "solver" ? "bcfw" : "anything";
}

struct Wrong {
  std::function<void(TrainOptions&)> change;
  std::string says;
  ErrorCode code = ErrorCode::bad_option;
};

TEST(TrainOptions, TheDefaultsAreValid) { EXPECT_NO_THROW(TrainOptions().validate()); }

TEST(TrainOptions, EveryWrongValueIsNamedWithWhatIsAllowed) {
  const double nan = std::nan(""), infinite = INFINITY;
  const Wrong cases[] = {
      {[](TrainOptions& o) { o.C = 0; }, "C is 0; expected a number above 0"},
      {[](TrainOptions& o) { o.C = -1; }, "C is -1"},
      {[=](TrainOptions& o) { o.C = nan; }, "C is nan"},
      {[=](TrainOptions& o) { o.C = infinite; }, "C is inf"},
      {[](TrainOptions& o) { o.solve.tolerance = 0; }, "tolerance is 0"},
      {[](TrainOptions& o) { o.solve.tolerance = 1; }, "tolerance is 1"},
      {[=](TrainOptions& o) { o.solve.tolerance = nan; }, "tolerance is nan"},
      {[](TrainOptions& o) { o.solve.max_passes = 0; }, "max_passes is 0; expected a whole number from 1 on"},
      {[](TrainOptions& o) { o.solve.seconds = -1; }, "seconds is -1; expected a number from 0 on"},
      {[=](TrainOptions& o) { o.solve.seconds = infinite; }, "seconds is inf"},
      {[](TrainOptions& o) { o.checkpoint_seconds = -2; }, "checkpoint interval is -2"},
      {[](TrainOptions& o) { o.measure = "ndgc@10"; }, "ndcg", ErrorCode::unknown_name},
      {[](TrainOptions& o) { o.measure = "ndcg@0"; }, "0"},
      {[](TrainOptions& o) { o.measure = "map"; }, "map"},
      {[](TrainOptions& o) { o.convention = "letor5"; }, "letor4", ErrorCode::unknown_name},
      {[](TrainOptions& o) { o.decay = "powder"; }, "power", ErrorCode::unknown_name},
      {[](TrainOptions& o) { o.decay = "power:-1"; }, "power"},
      {[](TrainOptions& o) { o.bound = parse_bound_choice("worst"); }, "predicted", ErrorCode::unknown_name},
      {[](TrainOptions& o) { o.start = parse_initial_model("zero"); }, "pairwise", ErrorCode::unknown_name},
      {[](TrainOptions& o) { o.start = InitialModel::model; }, "expected a cheap ranker"},
      {[](TrainOptions& o) { o.start = InitialModel::zero; }, "zero"},
      {[](TrainOptions& o) { o.scale = "zzz"; }, "zscore", ErrorCode::unknown_name},
      {[](TrainOptions& o) { o.solve.solver = parse_solver("sgd"); }, "bcda", ErrorCode::unknown_name},
  };
  for (const Wrong& wrong : cases) {
    TrainOptions options;
    SCOPED_TRACE(wrong.says);
    const std::string message = test::message_of(
        [&] {
          wrong.change(options);
          options.validate();
        },
        wrong.code);
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

// A row reaches its own member and no other: what is set is got back, and all other options keep their values.
TEST(TrainOptionCatalog, EveryRowSetsOneOption) {
  std::set<std::string> names;
  for (const TrainOption& option : train_option_catalog()) {
    SCOPED_TRACE(option.name);
    EXPECT_TRUE(names.insert(option.name).second);
    TrainOptions options;
    const OptionValue before = option.get(options);
    const OptionValue other = std::holds_alternative<bool>(before)            ? OptionValue(true)
                              : std::holds_alternative<double>(before)        ? OptionValue(0.125)
                              : std::holds_alternative<std::uint64_t>(before) ? OptionValue(std::uint64_t{77})
                                                                              : OptionValue(another_name(option.name));
    option.set(options, other);
    EXPECT_EQ(option.get(options), other);
    for (const TrainOption& rest : train_option_catalog()) {
      if (std::string_view(rest.name) == option.name) continue;
      EXPECT_EQ(rest.get(options), rest.get(TrainOptions())) << rest.name;
    }
    EXPECT_THROW(option.set(options, std::holds_alternative<bool>(before) ? OptionValue(1.0) : OptionValue(true)),
                 Error);
  }
}

TEST(TrainOptionCatalog, NamesAreCheckedWhenTheyAreSet) {
  for (const TrainOption& option : train_option_catalog())
    if (std::string_view(option.name) == "bound" || std::string_view(option.name) == "start" ||
        std::string_view(option.name) == "solver") {
      TrainOptions options;
      EXPECT_THROW(option.set(options, std::string("no such name")), Error) << option.name;
    }
}

}  // namespace
}  // namespace dorm
