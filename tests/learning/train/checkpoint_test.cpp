// SPDX-License-Identifier: Apache-2.0
// Training stopped anywhere and resumed ends where it would have ended; a checkpoint that does not fit is refused.
#include "learning/train/checkpoint.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <functional>

#include "base/checksum.h"
#include "base/json.h"
#include "base/rng.h"
#include "dorm/error.h"
#include "learning/train/learning_data.h"
#include "support/message_of.h"
#include "support/temporary_directory.h"

namespace dorm {
namespace {

using test::web_like;

class Resume : public testing::Test {
 protected:
  Resume() {
    options_.solve.tolerance = 1e-4;
    options_.bound = Bound::predicted;
    options_.rounds = 3;
    options_.compute.threads = 1;
    options_.checkpoint_seconds = 0;
  }

  // Trains with the checkpoint until the observer has been called so often; true if it finished.
  bool train_until(std::size_t calls) {
    std::size_t seen = 0;
    const TrainResult result = train(data_, checkpointed(), {}, [&](const TrainProgress&) { return ++seen < calls; });
    return !std::filesystem::exists(path_) && result.model.certificate.status == "converged";
  }

  TrainOptions checkpointed() const {
    TrainOptions options = options_;
    options.checkpoint = path_;
    return options;
  }

  std::string refusal(const TrainOptions& options, const Dataset& data) const {
    const Error error = test::error_of([&] { train(data, options); });
    EXPECT_EQ(error.code(), ErrorCode::bad_input);
    EXPECT_EQ(error.position().file, path_);
    return error.what();
  }

  test::TemporaryDirectory directory_;
  std::string path_ = directory_.path("checkpoint");
  Dataset data_ = web_like(1, 30, 6);
  TrainOptions options_;
};

TEST_F(Resume, StoppedAgainAndAgainItEndsAllTheSame) {
  for (const char* solver : {"bcda", "nslack", "oneslack", "bcfw"}) {
    options_.solve.solver = parse_solver(solver);
    options_.solve.tolerance = 2e-2;
    Rng rng(3);
    int stops = 0;
    while (!train_until(1 + rng.below(6)) && stops < 500) ++stops;
    EXPECT_LT(stops, 500) << solver << " never ends";
    EXPECT_GT(stops, 2) << solver;
    EXPECT_EQ(directory_.num_files(), 0u) << solver;
  }
}

TEST_F(Resume, StoppedAnywhereAndOftenItEndsInTheSameBytes) {
  options_.checkpoint_seconds = 1000;  // only the stop saves
  for (const char* solver : {"bcda", "nslack", "oneslack"}) {
    options_.solve.solver = parse_solver(solver);
    options_.solve.tolerance = 5e-3;
    const std::string whole = to_json(train(data_, options_).model);
    Rng rng(5);
    for (int repetition = 0; repetition < 3; ++repetition) {
      std::string resumed;
      for (int stops = 0; stops < 500 && resumed.empty(); ++stops) {
        std::size_t left = 1 + rng.below(9);
        bool stopped = false;
        const TrainResult result = train(data_, checkpointed(), {}, [&](const TrainProgress&) {
          stopped = stopped || --left == 0;
          return !stopped;
        });
        if (!stopped || !std::filesystem::exists(path_)) resumed = to_json(result.model);
      }
      EXPECT_EQ(resumed, whole) << solver;
    }
  }
}

TEST_F(Resume, OnOneConvexProblemTheObjectivesAgreeWithinTheGap) {
  options_.bound = Bound::given;
  for (const char* solver : {"bcda", "nslack", "oneslack", "bcfw", "online"}) {
    options_.solve.solver = parse_solver(solver);
    options_.solve.tolerance = std::string(solver) == "online" ? 0.1 : 1e-2;
    const Certificate whole = train(data_, options_).model.certificate;
    Rng rng(4);
    for (int round = 0; round < 4; ++round) {
      train_until(1 + rng.below(12));
      TrainOptions without_saving = checkpointed();
      without_saving.checkpoint_seconds = 1000;
      const Certificate resumed = train(data_, without_saving).model.certificate;
      EXPECT_NEAR(resumed.primal, whole.primal, options_.solve.tolerance * whole.primal) << solver;
      EXPECT_EQ(resumed.status, whole.status) << solver;
    }
  }
}

// A state saved at an evaluation, by a training that was then killed: the solver promises the same bits.
TEST_F(Resume, FromACopyOfTheFileItEndsInTheSameModel) {
  const std::string whole = to_json(train(data_, options_).model);
  std::vector<std::string> snapshots;
  std::string last;
  train(data_, checkpointed(), {}, [&](const TrainProgress&) {
    if (std::filesystem::exists(path_))
      if (std::string now = test::content_of(path_); now != last) snapshots.push_back(last = now);
    return true;
  });
  ASSERT_GT(snapshots.size(), 5u);
  TrainOptions without_saving = checkpointed();
  without_saving.checkpoint_seconds = 1000;
  for (const std::string& snapshot : snapshots) {
    directory_.write("checkpoint", snapshot);
    EXPECT_EQ(to_json(train(data_, without_saving).model), whole);
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
  limited.solve.seconds = 1e-6;
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
      [](TrainOptions& o) { o.C = 999; },
      [](TrainOptions& o) { o.measure = "ndcg@5"; },
      [](TrainOptions& o) { o.decay = "power:1"; },
      [](TrainOptions& o) { o.bound = Bound::best; },
      [](TrainOptions& o) { o.solve.solver = parse_solver("nslack"); },
      [](TrainOptions& o) { o.solve.tolerance = 1e-2; },
      [](TrainOptions& o) { o.solve.seed = 9; },
      [](TrainOptions& o) { o.start = InitialModel::pairwise; },
      [](TrainOptions& o) { o.rounds = 2; },
      [](TrainOptions& o) { o.scale = "none"; },
      [](TrainOptions& o) { o.paper_C = true; },
      [](TrainOptions& o) { o.convention = "letor4"; }};
  for (const auto& change : changes) {
    TrainOptions other = checkpointed();
    change(other);
    EXPECT_NE(refusal(other, data_).find("other options"), std::string::npos);
  }
}

TEST_F(Resume, AFileOfVersionOneIsRefusedForWhatItIs) {
  directory_.write("checkpoint", "dorm-checkpoint 1 0123456789abcdef\n{}\n");
  EXPECT_NE(refusal(checkpointed(), data_).find("it is damaged or of another version; delete it"), std::string::npos);
}

TEST_F(Resume, DamagedBytesAreRefused) {
  train_until(3);
  const std::string good = test::content_of(path_);
  ASSERT_GT(good.size(), 1000u);
  Rng rng(5);
  const std::size_t solver_header = good.find('\n', good.find('\n') + 1) + 1;
  for (std::size_t round = 0; round < 92; ++round) {  // the 32 bytes of the solver's header, and 60 at random
    std::string bad = good;
    bad[round < 32 ? solver_header + round : rng.below(bad.size())] ^= static_cast<char>(1 + rng.below(255));
    directory_.write("checkpoint", bad);
    EXPECT_NE(refusal(checkpointed(), data_).find("delete it to start afresh"), std::string::npos);
  }
  for (int round = 0; round < 30; ++round) {
    directory_.write("checkpoint", good.substr(0, rng.below(good.size())));
    EXPECT_NE(refusal(checkpointed(), data_).find("delete it to start afresh"), std::string::npos);
  }
}

// The checkpoint with its JSON edited and its checksum made good.
std::string edited(const std::string& good, const std::function<void(Json&)>& edit) {
  const std::size_t begin = good.find('\n') + 1, end = good.find('\n', begin);
  Json json = Json::parse(good.substr(begin, end - begin));
  edit(json);
  const std::string text = json.dump();
  return fmt::format("dorm-checkpoint 2 {:016x}\n{}{}", checksum(std::as_bytes(std::span(text))), text,
                     good.substr(end));
}

// Every array and number of a checkpoint, by its path.
void collect(const Json& json, const Json::json_pointer& at, std::vector<Json::json_pointer>& places) {
  if (json.is_array() || json.is_number() || json.is_boolean()) places.push_back(at);
  if (json.is_structured())
    for (const auto& [name, value] : json.items())
      if (!json.is_array() || std::stoul(name) < 2) {
        Json::json_pointer below = at;
        below.push_back(name);
        collect(value, below, places);
      }
}

TEST_F(Resume, WeightsOfAnotherSizeAreRefusedAlsoUnderAGoodChecksum) {
  options_.bound = std::nullopt;  // several candidates, so that some are finished when the last is stopped
  std::size_t seen = 0;
  const auto finished = [&] {
    const std::string text = test::content_of(path_);
    return Json::parse(text.substr(text.find('\n') + 1, text.find('\n', text.find('\n') + 1) - text.find('\n') - 1))
        .at("finished")
        .size();
  };
  const Dataset valid = web_like(2, 20, 6);
  train(data_, checkpointed(), valid,
        [&](const TrainProgress& progress) { return progress.bound == Bound::best || ++seen < 4 || finished() == 0; });
  const std::string good = test::content_of(path_);
  ASSERT_GE(finished(), 1u);
  const Json::json_pointer w("/finished/0/w");
  const auto train_again = [&] { train(data_, checkpointed(), valid); };
  for (const Json& bad : {Json::array(), Json::array({7}), Json(nullptr), Json("w"), Json::array({"x"}), Json(3)})
    for (const Json::json_pointer& at : {w, Json::json_pointer("/reference_w"), Json::json_pointer("/finished")}) {
      if (at.to_string() == "/finished" && bad.empty() && bad.is_array()) continue;  // nothing finished yet: fits
      directory_.write("checkpoint", edited(good, [&](Json& json) { json[at] = bad; }));
      const Error error = test::error_of(train_again);
      EXPECT_EQ(error.code(), ErrorCode::bad_input) << at.to_string() << " " << bad;
      EXPECT_EQ(error.position().file, path_);
    }
}

// What a finished candidate says of itself must be possible.
TEST_F(Resume, FiguresThatContradictEachOtherAreRefusedAlsoUnderAGoodChecksum) {
  TrainOptions options = checkpointed();
  options.keep_checkpoint = true;
  train(data_, options);
  const std::string good = test::content_of(path_);
  const std::pair<const char*, double> edits[] = {{"dual", -1e300}, {"gap", 3.4e195},      {"gap", -1},
                                                  {"primal", -5},   {"zero_risk", 1e-320}, {"zero_risk", -1}};
  for (const auto& [name, value] : edits) {
    directory_.write("checkpoint",
                     edited(good, [&, at = name, x = value](Json& json) { json["finished"][0][at] = x; }));
    EXPECT_NE(refusal(checkpointed(), data_).find("figures"), std::string::npos) << name << " " << value;
  }
}

// Whatever is edited, a training is refused or ends with a model of the right size; it never crashes.
TEST_F(Resume, AnyEditUnderAGoodChecksumIsRefusedOrHarmless) {
  train_until(6);
  const std::string good = test::content_of(path_);
  std::vector<Json::json_pointer> places;
  edited(good, [&](Json& json) { collect(json, Json::json_pointer(), places); });
  ASSERT_GT(places.size(), 5u);
  const std::size_t weights = train(data_, options_).model.weights.size();
  std::size_t refused = 0;
  for (const Json::json_pointer& at : places)
    for (const Json& bad : {Json(-1), Json(3.7), Json(1e300), Json(nullptr), Json::array(), Json::array({7}),
                            Json(true), Json(1e18), Json::object()}) {
      directory_.write("checkpoint", edited(good, [&](Json& json) { json[at] = bad; }));
      try {
        EXPECT_EQ(train(data_, checkpointed()).model.weights.size(), weights);
      } catch (const Error& error) {
        EXPECT_EQ(error.position().file, path_) << error.what();
        ++refused;
      }
    }
  EXPECT_GT(refused, 20u);
}

TEST_F(Resume, AFinishedCheckpointIsKeptOnRequestAndGivesTheSameModel) {
  TrainOptions options = checkpointed();
  options.keep_checkpoint = true;
  const TrainResult first = train(data_, options);
  EXPECT_TRUE(first.report.finished);
  ASSERT_TRUE(std::filesystem::exists(path_));
  const TrainResult again = train(data_, checkpointed(), {}, [](const TrainProgress&) {
    ADD_FAILURE() << "nothing was left to do";
    return true;
  });
  EXPECT_EQ(to_json(again.model), to_json(first.model));
  EXPECT_FALSE(std::filesystem::exists(path_));
}

// Files of this process may not grow: what a full disk looks like, whoever runs the test.
class NoRoom {
 public:
  NoRoom() : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &old_);
    const rlimit tiny{64, old_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &tiny);
  }
  ~NoRoom() {
    ::setrlimit(RLIMIT_FSIZE, &old_);
    std::signal(SIGXFSZ, handler_);
  }
  NoRoom(const NoRoom&) = delete;
  NoRoom& operator=(const NoRoom&) = delete;

 private:
  rlimit old_{};
  void (*handler_)(int);
};

TEST_F(Resume, AFullDiskIsAClearErrorAndKeepsTheOldFile) {
  train_until(2);
  const std::string old = test::content_of(path_);
  const auto without_room = [&] {
    const NoRoom limit;
    train(data_, checkpointed());
  };
  const std::string message = test::message_of(without_room, ErrorCode::io);
  EXPECT_NE(message.find("checkpoint"), std::string::npos) << message;
  EXPECT_EQ(test::content_of(path_), old);
  EXPECT_EQ(directory_.num_files(), 1u);
}

TEST_F(Resume, ADestinationThatCannotBeWrittenIsNamed) {
  TrainOptions options = checkpointed();
  options.checkpoint = directory_.path("missing/checkpoint");
  const std::string message = test::message_of([&] { train(data_, options); }, ErrorCode::io);
  EXPECT_NE(message.find("missing/checkpoint"), std::string::npos) << message;
}

}  // namespace
}  // namespace dorm
