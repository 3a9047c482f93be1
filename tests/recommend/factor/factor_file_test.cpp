// SPDX-License-Identifier: Apache-2.0
// Saved models come back bit for bit; damaged ones do not come back at all.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "dorm/error.h"
#include "dorm/read.h"
#include "support/message_of.h"
#include "support/ratings.h"
#include "support/source_dir.h"
#include "support/temporary_directory.h"

namespace dorm {
namespace {

using test::tasteful_ratings;

class FactorFile : public testing::Test {
 protected:
  void SetUp() override {
    FactorizeOptions options;
    options.rank = 2;
    options.rounds = 1;
    options.threads = 1;
    SideFeatures features = parse_side_features("i1|1|0\ni2|1|1\ni3|0|1\n", "items");
    FactorizeInputs inputs;
    inputs.item_features = &features;
    model = factorize(tasteful_ratings(12, 9, 6, 2), options, inputs).model;
    path = directory.path("model.factors");
    save_factors(model, path);
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    bytes = text.str();
  }

  void store(const std::string& content) {
    std::ofstream(path, std::ios::binary | std::ios::trunc).write(content.data(), std::ssize(content));
  }

  test::TemporaryDirectory directory;
  FactorModel model;
  std::string path, bytes;
};

TEST_F(FactorFile, ComesBackBitForBit) {
  const FactorModel back = load_factors(path);
  EXPECT_TRUE(is_factor_file(path));
  EXPECT_EQ(back.user_factors, model.user_factors);
  EXPECT_EQ(back.item_factors, model.item_factors);
  EXPECT_EQ(back.offsets, model.offsets);
  EXPECT_EQ(back.seen, model.seen);
  EXPECT_EQ(back.layout, model.layout);
  EXPECT_EQ(back.item_features, model.item_features);
  EXPECT_EQ(back.users[3], model.users[3]);
  EXPECT_EQ(back.options.bound, model.options.bound);
  EXPECT_EQ(back.mean, model.mean);
  save_factors(back, path);
  std::ifstream in(path, std::ios::binary);
  std::ostringstream again;
  again << in.rdbuf();
  EXPECT_EQ(again.str(), bytes);
}

TEST_F(FactorFile, EveryChangedByteIsNoticed) {
  for (std::size_t at = 0; at < bytes.size(); at += 7) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x20);
    store(damaged);
    EXPECT_THROW(load_factors(path), Error) << "byte " << at;
  }
}

TEST_F(FactorFile, EveryCutIsNoticed) {
  for (std::size_t size = 0; size < bytes.size(); size += 31) {
    store(bytes.substr(0, size));
    EXPECT_THROW(load_factors(path), Error) << size;
  }
}

TEST_F(FactorFile, OtherFilesAreNamedForWhatTheyAre) {
  store("{\"format\": \"dorm-model\"}\n");
  EXPECT_FALSE(is_factor_file(path));
  const std::string message = test::message_of([&] { load_factors(path); });
  EXPECT_NE(message.find("expected a file that begins with \"dorm-factors\""), std::string::npos) << message;
  EXPECT_THROW(load_factors(path + ".absent"), Error);
}

TEST(FactorFileOfVersionOne, IsRefused) {
  const std::string file = test::source_dir() + "/tests/recommend/factor/version1/model.factors";
  const std::string message = test::message_of([&] { load_factors(file); });  // as dorm 0.1.0 wrote it
  EXPECT_NE(message.find("found format version 1; expected version 3"), std::string::npos) << message;
}

}  // namespace
}  // namespace dorm
