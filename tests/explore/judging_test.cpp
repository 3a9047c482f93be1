// SPDX-License-Identifier: Apache-2.0
// Judging and blind trials, as the page asks for them.
#include <set>

#include "dorm/read.h"
#include "explore/explored.h"

namespace dorm::explore {
namespace {

TEST_F(ExploreRoutes, JudgingByTwo) {
  if (!can_judge()) GTEST_SKIP() << "this build has no SQLite";
  EXPECT_EQ(post("judgments", {{"q", 3}, {"d", 2}, {"label", 3}, {"judge", "ada"}})["judgments"], 1);
  EXPECT_EQ(post("judgments", {{"q", 3}, {"d", 2}, {"label", 1}, {"judge", "ada"}})["before"], 3);
  post("judgments", {{"q", 3}, {"d", 4}, {"label", 0}, {"judge", "ada"}});
  post("judgments", {{"q", 3}, {"d", 2}, {"label", 1}, {"judge", "bob"}});
  EXPECT_EQ(get("queries?judge=ada&sort=judged")["rows"][0]["judged"], 2);
  const Json agreement = get("agreement");
  EXPECT_EQ(agreement["pairs"][0]["first"], "ada");
  EXPECT_EQ(agreement["pairs"][0]["both"], 1);
  EXPECT_TRUE(agreement["pairs"][0]["kappa"].is_null());
  EXPECT_EQ(agreement["judges"][2], Json({{"judge", "data"}, {"judgments", 2}}));
  const Json undone = post("undo", {{"judge", "ada"}});
  EXPECT_EQ(undone["d"], 4);
  EXPECT_TRUE(undone["label"].is_null());
  EXPECT_TRUE(post("undo", {{"judge", "eve"}})["q"].is_null());
  EXPECT_EQ(ask("GET", "/api/judgments.qrels").body,
            "<img_src=x_onerror=alert(1)> 0 <img_src=x_onerror=alert(1)>3 1\n");
  const Dataset letor = parse_letor(ask("GET", "/api/judgments.txt").body, "judgments.txt");
  EXPECT_EQ(letor.query(0).labels[0], 1);
  EXPECT_EQ(letor.query(0).rows.at(0, 1), data_.query(3).rows.at(2, 1));
  const Json line = parse_json(ask("GET", "/api/judgments.jsonl?judge=bob").body, "line", "JSON");
  EXPECT_EQ(line["document"], fmt::format("{}3", kHostile));
}

TEST_F(ExploreRoutes, WhatJudgesMayNotSay) {
  if (!can_judge()) GTEST_SKIP() << "this build has no SQLite";
  post("judgments", {{"q", 99}, {"d", 2}, {"label", 3}, {"judge", "ada"}}, 404);
  post("judgments", {{"q", 3}, {"d", 99}, {"label", 3}, {"judge", "ada"}}, 404);
  for (const Json& label : {Json(-1), Json(1001), Json("x"), Json(true)})
    post("judgments", {{"q", 3}, {"d", 2}, {"label", label}, {"judge", "ada"}}, 400);
  for (const Json& judge : {Json(""), Json("data"), Json("a\nb"), Json(std::string(65, 'x')), Json(3)})
    post("judgments", {{"q", 3}, {"d", 2}, {"label", 1}, {"judge", judge}}, 400);
  post("judgments", {{"q", 3}, {"d", 2}, {"judge", "ada"}}, 400);
  post("judgments", Json::array(), 400);
  EXPECT_EQ(ask("POST", "/api/judgments", "{}", "text/plain").status, 415);
  EXPECT_EQ(ask("POST", "/api/judgments", std::string(20000, ' ')).status, 413);
  EXPECT_EQ(ask("POST", "/api/judgments", "{").status, 400);
  service_.reset();
  options_.judgments.clear();
  post("judgments", {{"q", 3}, {"d", 2}, {"label", 1}, {"judge", "ada"}}, 409);
  get("agreement", 409);
  get("queries?judge=ada");
}

TEST_F(ExploreRoutes, BlindTrials) {
  if (!can_judge()) GTEST_SKIP() << "this build has no SQLite";
  EXPECT_TRUE(get("blind/result")["p"].is_null());
  std::set<std::size_t> seen;
  std::size_t expected_first = 0;
  for (std::size_t done = 0; done < 8; ++done) {
    const Json trial = get("blind?judge=ada");
    EXPECT_EQ(trial, get("blind?judge=ada"));
    EXPECT_EQ(trial["done"], done);
    EXPECT_TRUE(seen.insert(trial["q"].get<std::size_t>()).second);
    const Json order = get(fmt::format("query?q={}&limit=10", trial["q"].get<std::size_t>()))["order"]["a"];
    Json left = Json::array();
    for (const Json& doc : trial["left"]) left.push_back(doc["d"]);
    expected_first += left == order;
    post("blind", {{"judge", "ada"}, {"trial", "0000000000000000"}, {"better", "left"}}, 404);
    post("blind", {{"judge", "ada"}, {"trial", trial["trial"]}, {"better", "both"}}, 400);
    EXPECT_EQ(post("blind", {{"judge", "ada"}, {"trial", trial["trial"]}, {"better", "left"}})["done"], done + 1);
    post("blind", {{"judge", "ada"}, {"trial", trial["trial"]}, {"better", "left"}}, 404);
  }
  const Json result = get("blind/result");
  EXPECT_EQ(result["trials"], 8);
  EXPECT_EQ(result["a"], expected_first);
  EXPECT_EQ(result["b"], 8 - expected_first);
  options_.models.pop_back();
  service_.reset();
  get("blind?judge=ada", 409);
}

}  // namespace
}  // namespace dorm::explore
