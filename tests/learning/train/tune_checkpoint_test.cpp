// SPDX-License-Identifier: Apache-2.0
// Tuning stopped anywhere and resumed ends where it would have ended; a checkpoint that does not fit is refused.
#include "learning/tune/tune_checkpoint.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <functional>

#include "base/checksum.h"
#include "base/rng.h"
#include "dorm/error.h"
#include "dorm/tune.h"
#include "learning/train/learning_data.h"
#include "support/message_of.h"
#include "support/temporary_directory.h"

namespace dorm {
namespace {

using test::web_like;

class TuneResume : public testing::Test {
 protected:
  TuneResume() {
    options_.train.compute.threads = 1;
    options_.train.solve.tolerance = 1e-2;
    options_.train.checkpoint = path_;
    options_.train.checkpoint_seconds = 1000;  // only the stop saves
    options_.C = {10, 100, 1000};
    options_.folds = 3;
  }

  TuneOptions unsaved() const {
    TuneOptions options = options_;
    options.train.checkpoint.clear();
    return options;
  }

  /// The model, or nothing when it was stopped after so many calls of the observer.
  std::optional<TuneResult> tune_until(std::size_t calls, const Task& valid) {
    std::size_t seen = 0;
    bool stopped = false;
    try {
      TuneResult result = tune(data_, options_, valid, [&](const TuneProgress&) {
        stopped = stopped || ++seen >= calls;
        return !stopped;
      });
      if (result.end == TuneEnd::whole) return result;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("stopped before any"), std::string::npos) << error.what();
    }
    return std::nullopt;
  }

  void stop_in_the_middle() {
    tune(data_, options_, valid_, [](const TuneProgress& progress) { return progress.done < 9; });
    ASSERT_TRUE(std::filesystem::exists(path_));
  }

  std::string refusal(const TuneOptions& options, const Dataset& data, const Dataset& valid) const {
    const Error error = test::error_of([&] { tune(data, options, valid); });
    EXPECT_EQ(error.code(), ErrorCode::bad_input);
    EXPECT_EQ(error.position().file, path_);
    return error.what();
  }

  test::TemporaryDirectory directory_;
  std::string path_ = directory_.path("checkpoint");
  Dataset data_ = web_like(1, 30, 6), valid_ = web_like(2, 20, 6);
  TuneOptions options_;
};

TEST_F(TuneResume, StoppedAnywhereAndOftenItEndsInTheSameBytes) {
  for (const Task& valid : {Task(valid_), Task()}) {
    const TuneResult whole = tune(data_, unsaved(), valid);
    Rng rng(3);
    std::size_t stops = 0;
    std::optional<TuneResult> resumed;
    while (!(resumed = tune_until(4 + rng.below(12) + 3 * stops, valid)) && stops < 500) ++stops;
    ASSERT_TRUE(resumed);
    EXPECT_GE(stops, 1u);
    EXPECT_GT(resumed->resumed, 0u);
    EXPECT_EQ(to_json(resumed->model), to_json(whole.model));
    ASSERT_EQ(resumed->points.size(), whole.points.size());
    for (std::size_t k = 0; k < whole.points.size(); ++k) {
      EXPECT_EQ(resumed->points[k].share, whole.points[k].share);
      EXPECT_EQ(resumed->points[k].certificate.gap, whole.points[k].certificate.gap);
    }
    EXPECT_EQ(directory_.num_files(), 0u);  // it has served its purpose
  }
}

TEST_F(TuneResume, KernelsAndTheirRefitToo) {
  options_.kernels = {"none", "rbf:gamma=0.1"};
  options_.C = {1, 10};
  for (const Task& valid : {Task(valid_), Task()}) {
    const std::string whole = to_json(tune(data_, unsaved(), valid).model);
    Rng rng(4);
    std::size_t stops = 0;
    std::optional<TuneResult> resumed;
    while (!(resumed = tune_until(4 + rng.below(20) + 4 * stops, valid)) && stops < 500) ++stops;
    ASSERT_TRUE(resumed);
    EXPECT_GE(stops, 1u);
    EXPECT_EQ(to_json(resumed->model), whole);
  }
}

TEST_F(TuneResume, FromACopyOfTheFileItEndsInTheSameModel) {
  const std::string whole = to_json(tune(data_, unsaved(), valid_).model);
  options_.train.checkpoint_seconds = 0;
  std::vector<std::string> snapshots;
  std::string last;
  tune(data_, options_, valid_, [&](const TuneProgress&) {
    if (std::filesystem::exists(path_))
      if (std::string now = test::content_of(path_); now != last) snapshots.push_back(last = now);
    return true;
  });
  ASSERT_GT(snapshots.size(), 5u);
  options_.train.checkpoint_seconds = 1000;
  std::size_t known = 0;
  for (const std::string& snapshot : snapshots) {
    directory_.write("checkpoint", snapshot);
    const TuneResult resumed = tune(data_, options_, valid_);
    EXPECT_EQ(to_json(resumed.model), whole);
    EXPECT_GE(resumed.resumed, known);
    known = resumed.resumed;
  }
  EXPECT_GT(known, 5u);
}

TEST_F(TuneResume, WhatWasJudgedIsNotTrainedAgain) {
  stop_in_the_middle();
  std::optional<TuneProgress> first;
  tune(data_, options_, valid_, [&](const TuneProgress& progress) {
    if (!first) first = progress;
    return true;
  });
  ASSERT_TRUE(first);
  EXPECT_GE(first->done, 9u);
  EXPECT_GT(first->resumed, 0u);
  EXPECT_TRUE(std::isnan(first->seconds_left));  // nothing was measured yet
}

TEST_F(TuneResume, OtherDataAndOptionsAreRefused) {
  stop_in_the_middle();
  EXPECT_NE(refusal(options_, web_like(5, 30, 6), valid_).find("the data has changed"), std::string::npos);
  EXPECT_NE(refusal(options_, data_, web_like(5, 20, 6)).find("other options"), std::string::npos);
  const std::vector<std::function<void(TuneOptions&)>> changes = {
      [](TuneOptions& o) {
        o.C = {10, 100};
      },
      [](TuneOptions& o) { o.decays = {"power:1"}; },
      [](TuneOptions& o) { o.bounds = {Bound::best}; },
      [](TuneOptions& o) { o.initial_models = {}; },
      [](TuneOptions& o) {
        o.kernels = {"none", "rbf:gamma=1"};
      },
      [](TuneOptions& o) { o.measures = {"ndcg@5"}; },
      [](TuneOptions& o) { o.train.solve.tolerance = 1e-3; },
      [](TuneOptions& o) { o.train.measure = "ndcg@5"; }};
  for (const auto& change : changes) {
    TuneOptions other = options_;
    change(other);
    EXPECT_NE(refusal(other, data_, valid_).find("other options"), std::string::npos);
  }
  const Error error = test::error_of([&] {
    TrainOptions options = options_.train;
    train(data_, options);
  });
  EXPECT_NE(std::string(error.what()).find("it was written by tune"), std::string::npos);
}

TEST_F(TuneResume, AnotherChoiceAmongTheSameCellsIsNot) {
  const TuneOptions best = [&] {
    TuneOptions options = options_;
    options.choice = Choice::best;
    return options;
  }();
  stop_in_the_middle();
  TuneOptions plain = best;
  plain.train.checkpoint.clear();
  EXPECT_EQ(to_json(tune(data_, best, valid_).model), to_json(tune(data_, plain, valid_).model));
}

TEST_F(TuneResume, DamagedBytesAreRefused) {
  stop_in_the_middle();
  const std::string good = test::content_of(path_);
  ASSERT_GT(good.size(), 1000u);
  Rng rng(5);
  for (std::size_t round = 0; round < 60; ++round) {
    std::string bad = good;
    bad[rng.below(bad.size())] ^= static_cast<char>(1 + rng.below(255));
    directory_.write("checkpoint", bad);
    EXPECT_NE(refusal(options_, data_, valid_).find("delete it to start afresh"), std::string::npos);
    directory_.write("checkpoint", good.substr(0, rng.below(good.size())));
    EXPECT_NE(refusal(options_, data_, valid_).find("delete it to start afresh"), std::string::npos);
  }
}

// Whatever is edited, a tuning is refused or ends with a model of the right size; it never crashes.
TEST_F(TuneResume, AnyEditUnderAGoodChecksumIsRefusedOrHarmless) {
  stop_in_the_middle();
  const std::string good = test::content_of(path_);
  const std::size_t begin = good.find('\n') + 1, end = good.find('\n', begin);
  const Json parsed = Json::parse(good.substr(begin, end - begin));
  std::vector<Json::json_pointer> places = {Json::json_pointer("/paths"), Json::json_pointer("/numbers"),
                                            Json::json_pointer("/states"), Json::json_pointer("/judged")};
  for (const char* field : {"kernel", "path", "end", "warm", "judged", "judged/0/weights", "judged/0/queries",
                            "judged/0/rounds", "judged/0/status"})
    for (const char* number : {"0", "1"}) places.emplace_back(fmt::format("/paths/{}/{}", number, field));
  std::size_t refused = 0;
  for (const Json::json_pointer& at : places)
    for (const Json& bad : {Json(0), Json(1), Json(-1), Json(3.7), Json(1e300), Json(nullptr), Json::array(),
                            Json(true), Json(1000000000000000ULL), Json("x")}) {
      Json json = parsed;
      if (!json.contains(at)) continue;
      json[at] = bad;
      const std::string text = json.dump();
      directory_.write("checkpoint", fmt::format("dorm-checkpoint 2 {:016x}\n{}{}",
                                                 checksum(std::as_bytes(std::span(text))), text, good.substr(end)));
      try {
        EXPECT_EQ(tune(data_, options_, valid_).model.weights.size(), 6u);
      } catch (const Error& error) {
        EXPECT_EQ(error.position().file, path_) << error.what() << at.to_string() << bad;
        ++refused;
      }
    }
  EXPECT_GT(refused, 40u);
}

TEST_F(TuneResume, TheFileSaysWhatItIs) {
  stop_in_the_middle();
  const std::optional<CheckpointSummary> summary = summarize_checkpoint(path_);
  ASSERT_TRUE(summary);
  EXPECT_EQ(summary->verb, "tune");
  EXPECT_NE(summary->progress.find("grid points validated"), std::string::npos);
  EXPECT_NE(summary->options.find("grid C=10/100/1000"), std::string::npos);
  directory_.write("other", "1 qid:1 1:2\n");
  EXPECT_FALSE(summarize_checkpoint(directory_.path("other")));
  EXPECT_FALSE(summarize_checkpoint(directory_.path("missing")));
}

}  // namespace
}  // namespace dorm
