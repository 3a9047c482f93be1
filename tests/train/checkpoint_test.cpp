// SPDX-License-Identifier: Apache-2.0
// Training stopped anywhere and resumed ends where it would have ended; a checkpoint that does not fit is refused.
#include "train/checkpoint.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>

#include "base/rng.h"
#include "dorm/error.h"
#include "support/temporary_directory.h"
#include "train/learning_data.h"

namespace dorm {
namespace {

using test::web_like;

class Resume : public ::testing::Test {
 protected:
  Resume() {
    options_.tolerance = 1e-4;
    options_.bound = "predicted";
    options_.rounds = 3;
    options_.threads = 1;
    options_.checkpoint_seconds = 0;
  }

  // Trains with the checkpoint until the observer has been called so often; true if it finished.
  bool train_until(std::size_t calls) {
    std::size_t seen = 0;
    const TrainResult result =
        train(data_, checkpointed(), nullptr, [&](const TrainProgress&) { return ++seen < calls; });
    return !std::filesystem::exists(path_) && result.model.certificate.status == "converged";
  }

  TrainOptions checkpointed() const {
    TrainOptions options = options_;
    options.checkpoint = path_;
    return options;
  }

  std::string refusal(const TrainOptions& options, const Dataset& data) const {
    try {
      train(data, options);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_input);
      EXPECT_EQ(error.position().file, path_);
      return error.what();
    }
    return "accepted";
  }

  test::TemporaryDirectory directory_;
  std::string path_ = directory_.path("checkpoint");
  Dataset data_ = web_like(1, 40, 6);
  TrainOptions options_;
};

TEST_F(Resume, StoppedAtRandomMomentsItEndsAtTheSameObjective) {
  for (const char* solver : {"bcda", "nslack", "oneslack", "bcfw", "online"}) {
    options_.solver = solver;
    options_.tolerance = std::string(solver) == "bcfw" ? 1e-2 : std::string(solver) == "online" ? 0.2 : 1e-4;
    const Certificate whole = train(data_, options_).model.certificate;
    Rng rng(3);
    int stops = 0;
    while (!train_until(1 + rng.below(6)) && stops < 500) ++stops;
    ASSERT_LT(stops, 500) << solver << " never ends";
    // The last leg finished and removed the file; once more from a stop in the middle, to the end.
    train_until(2);
    const Certificate resumed = train(data_, checkpointed()).model.certificate;
    EXPECT_EQ(resumed.status, whole.status) << solver;
    EXPECT_EQ(directory_.num_files(), 0u) << solver;
    EXPECT_LE(resumed.gap, options_.tolerance) << solver;
  }
}

TEST_F(Resume, ForOneConvexProblemTheObjectivesAgreeWithinTheGaps) {
  options_.bound = "given";
  const Certificate whole = train(data_, options_).model.certificate;
  for (std::size_t stop = 1; stop < 12; ++stop) {
    train_until(stop);
    const Certificate resumed = train(data_, checkpointed()).model.certificate;
    EXPECT_NEAR(resumed.primal, whole.primal, 1e-4 * whole.primal) << stop;
  }
}

// A state saved at an evaluation, by a training that was then killed: the solver promises the same bits.
TEST_F(Resume, FromACopyOfTheFileItEndsInTheSameModel) {
  const std::string whole = to_json(train(data_, options_).model);
  std::vector<std::string> snapshots;
  std::string last;
  train(data_, checkpointed(), nullptr, [&](const TrainProgress&) {
    if (std::filesystem::exists(path_))
      if (std::string now = test::content_of(path_); now != last) snapshots.push_back(last = now);
    return true;
  });
  ASSERT_GT(snapshots.size(), 5u);
  for (const std::string& snapshot : snapshots) {
    directory_.write("checkpoint", snapshot);
    EXPECT_EQ(to_json(train(data_, checkpointed()).model), whole);
  }
}

TEST_F(Resume, TheFileGoesWhenTheTrainingEndsAndStaysWhenItIsStopped) {
  train_until(2);
  EXPECT_TRUE(std::filesystem::exists(path_));
  EXPECT_EQ(directory_.num_files(), 1u);
  train(data_, checkpointed());
  EXPECT_EQ(directory_.num_files(), 0u);
}

TEST_F(Resume, ATimeLimitKeepsTheFile) {
  TrainOptions limited = checkpointed();
  limited.seconds = 1e-6;
  limited.checkpoint_seconds = 1000;
  EXPECT_EQ(train(data_, limited).model.certificate.status, "time_limit");
  EXPECT_TRUE(std::filesystem::exists(path_));
  EXPECT_EQ(train(data_, checkpointed()).model.certificate.status, "converged");
}

TEST_F(Resume, OtherDataIsRefused) {
  train_until(2);
  EXPECT_NE(refusal(checkpointed(), web_like(2, 40, 6)).find("the data has changed"), std::string::npos);
}

TEST_F(Resume, OtherOptionsAreRefused) {
  train_until(2);
  const std::vector<std::function<void(TrainOptions&)>> changes = {
      [](TrainOptions& o) { o.C = 999; },          [](TrainOptions& o) { o.measure = "ndcg@5"; },
      [](TrainOptions& o) { o.decay = "power:1"; }, [](TrainOptions& o) { o.bound = "best"; },
      [](TrainOptions& o) { o.solver = "nslack"; }, [](TrainOptions& o) { o.tolerance = 1e-2; },
      [](TrainOptions& o) { o.seed = 9; },          [](TrainOptions& o) { o.start = "pairwise"; },
      [](TrainOptions& o) { o.rounds = 2; },        [](TrainOptions& o) { o.scale = "none"; },
      [](TrainOptions& o) { o.paper_C = true; },    [](TrainOptions& o) { o.convention = "letor4"; }};
  for (const auto& change : changes) {
    TrainOptions other = checkpointed();
    change(other);
    EXPECT_NE(refusal(other, data_).find("other options"), std::string::npos);
  }
}

TEST_F(Resume, DamagedBytesAreRefused) {
  train_until(3);
  const std::string good = test::content_of(path_);
  ASSERT_GT(good.size(), 1000u);
  Rng rng(5);
  for (int round = 0; round < 60; ++round) {
    std::string bad = good;
    bad[rng.below(bad.size())] ^= static_cast<char>(1 + rng.below(255));
    directory_.write("checkpoint", bad);
    EXPECT_NE(refusal(checkpointed(), data_).find("delete it to start afresh"), std::string::npos);
  }
  for (int round = 0; round < 30; ++round) {
    directory_.write("checkpoint", good.substr(0, rng.below(good.size())));
    EXPECT_NE(refusal(checkpointed(), data_).find("delete it to start afresh"), std::string::npos);
  }
}

TEST_F(Resume, AFullDiskIsAClearErrorAndKeepsTheOldFile) {
  train_until(2);
  const std::string old = test::content_of(path_);
  std::filesystem::permissions(directory_.path(""), std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  const bool can_write = [&] {
    std::ofstream probe(directory_.path("probe"));
    return probe.good();
  }();
  if (!can_write) {
    EXPECT_THROW(train(data_, checkpointed()), Error);
    EXPECT_EQ(test::content_of(path_), old);
  }
  std::filesystem::permissions(directory_.path(""), std::filesystem::perms::owner_all);
  if (can_write) GTEST_SKIP() << "this user may write anywhere";
}

TEST_F(Resume, ADestinationThatCannotBeWrittenIsNamed) {
  TrainOptions options = checkpointed();
  options.checkpoint = directory_.path("missing/checkpoint");
  try {
    train(data_, options);
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::io);
    EXPECT_NE(std::string(error.what()).find("missing/checkpoint"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace dorm
