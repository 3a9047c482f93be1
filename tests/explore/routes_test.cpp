// SPDX-License-Identifier: Apache-2.0
// The page and what it asks about models and data.
#include <cmath>
#include <fstream>
#include <map>
#include <set>

#include "dorm/oracle.h"
#include "explore/explored.h"

namespace dorm::explore {
namespace {

TEST_F(ExploreRoutes, PageIsInside) {
  EXPECT_NE(ask("GET", "/").body.find("app.js"), std::string::npos);
  EXPECT_EQ(ask("GET", "/app.js").type, "text/javascript; charset=utf-8");
  EXPECT_EQ(ask("GET", "/app.css").status, 200);
  EXPECT_EQ(ask("GET", "/favicon.ico").status, 204);
  EXPECT_EQ(ask("GET", "/api/nothing").status, 404);
  EXPECT_EQ(ask("POST", "/api/info").status, 405);
  EXPECT_EQ(ask("GET", "/v1/models").status, 404);
}

TEST_F(ExploreRoutes, InfoNamesEverything) {
  const Json info = get("info");
  EXPECT_EQ(info["measure"], "ndcg@5");
  EXPECT_EQ(info["cutoff"], 5);
  EXPECT_EQ(info["data"]["queries"], kQueries);
  EXPECT_EQ(info["data"]["labels"], Json({0, 1, 2, 3}));
  EXPECT_EQ(info["models"][0]["bound"], "best");
  EXPECT_EQ(info["models"][1]["fingerprint"], "00000000000000bb");
  EXPECT_EQ(info["judging"]["on"], can_judge());
}

TEST_F(ExploreRoutes, SummaryIsThatOfEvaluateAndCompare) {
  const std::vector<std::string> measures = {"ndcg@5"};
  const auto judged = [&](const Model& each) { return evaluate(data_, score(each, data_), measures).measures[0]; };
  Model edited = model(0);
  edited.weights[1] = 2.5;
  for (const auto& [words, right] : {std::pair{"b", model(1)}, std::pair{"edited&edits=1:2.5", edited}}) {
    const Json summary = get(fmt::format("summary?right={}", words));
    const MeasureResult a = judged(model(0)), b = judged(right);
    EXPECT_EQ(summary["queries"], a.queries);
    EXPECT_EQ(summary["skipped"], 1);
    EXPECT_EQ(summary["a"]["mean"].get<double>(), a.mean);
    EXPECT_EQ(summary["a"]["low"].get<double>(), a.low);
    EXPECT_EQ(summary["right"]["mean"].get<double>(), b.mean);
    EXPECT_EQ(summary["right"]["high"].get<double>(), b.high);
    const PairedTest test = compare(b.per_query, a.per_query);
    EXPECT_EQ(summary["difference"]["mean"].get<double>(), test.mean_difference);
    EXPECT_EQ(summary["difference"]["p"].get<double>(), test.p_permutation);
    EXPECT_EQ(summary["difference"]["wins"], test.wins);
    EXPECT_EQ(summary["difference"]["ties"], test.ties);
  }
  EXPECT_TRUE(get("summary")["right"].is_null());
  EXPECT_TRUE(get("summary")["difference"].is_null());
}

TEST_F(ExploreRoutes, MovedWeightsByChangesOrAnewAreTheSame) {
  const Json anew = get("summary?right=edited&edits=0:0.3,2:-1");
  service_.reset();
  options_.exact_values = 0;
  const Json changed = get("summary?right=edited&edits=0:0.3,2:-1");
  EXPECT_NEAR(changed["right"]["mean"].get<double>(), anew["right"]["mean"].get<double>(), 1e-12);
  EXPECT_EQ(changed["difference"]["wins"], anew["difference"]["wins"]);
  const Json none = get("summary?right=edited&edits=0:1");  // the model's own weight
  EXPECT_EQ(none["difference"]["ties"], none["queries"]);
}

TEST_F(ExploreRoutes, QueriesAreSortedFilteredAndPaged) {
  const Json all = get("queries?limit=200&right=b");
  EXPECT_EQ(all["total"], kQueries);
  double before = 2;
  std::set<std::size_t> seen;
  for (const Json& row : all["rows"]) {
    seen.insert(row["q"].get<std::size_t>());
    const double loss = row["loss"].is_null() ? -1 : row["loss"].get<double>();
    EXPECT_LE(loss, before);
    before = loss;
  }
  EXPECT_EQ(seen.size(), kQueries);
  EXPECT_TRUE(all["rows"].back()["a"].is_null());  // nothing to find in query 5
  const Json page = get("queries?limit=3&offset=2&right=b");
  EXPECT_EQ(page["rows"].size(), 3U);
  EXPECT_EQ(page["rows"][0], all["rows"][2]);
  EXPECT_EQ(get("queries?filter=ONERROR")["rows"][0]["q"], 3);
  EXPECT_EQ(get("queries?filter=q:17")["rows"][0]["id"], "q17");
  EXPECT_EQ(get("queries?filter=q:1700")["total"], 0);
  EXPECT_EQ(get("queries?sort=id&order=asc")["rows"][0]["id"], kHostile);
  get("queries?sort=nothing", 400);
  get("queries?limit=201", 400);
  get("queries?right=c", 400);
}

TEST_F(ExploreRoutes, SwapsAreThoseOfAllPairs) {
  const std::vector<double> a = score(model(0), data_), b = score(model(1), data_);
  const Json table = get("queries?right=b&sort=swaps&limit=200");
  EXPECT_EQ(table["rows"].size(), kQueries);
  for (const Json& row : table["rows"]) {
    const auto q = row["q"].get<std::size_t>();
    const std::size_t first = data_.first_document(q), size = data_.query(q).size();
    const Ranking one = top_ranking(std::span(a).subspan(first, size)),
                  other = top_ranking(std::span(b).subspan(first, size));
    std::map<std::uint32_t, std::size_t> place, other_place;
    for (std::size_t j = 0; j < size; ++j) place[one[j]] = other_place[other[j]] = j;
    std::size_t swaps = 0;
    for (std::uint32_t i = 0; i < size; ++i)
      for (std::uint32_t k = 0; k < i; ++k)
        swaps += std::min(std::min(place[i], place[k]), std::min(other_place[i], other_place[k])) < 5 &&
                 (place[i] < place[k]) != (other_place[i] < other_place[k]);
    EXPECT_EQ(row["swaps"], swaps);
  }
}

TEST_F(ExploreRoutes, OneQueryHasItsRankings) {
  const Json query = get("query?q=7&right=b&limit=4&also=14,14,99");
  const std::size_t first = data_.first_document(7);
  const std::vector<double> scores = score(model(0), data_);
  const std::span<const double> own = std::span(scores).subspan(first, 15);
  const Ranking order = top_ranking(own);
  EXPECT_EQ(query["order"]["a"], Json(Ranking(order.begin(), order.begin() + 4)));
  EXPECT_EQ(query["order"]["violated"].size(), 4U);
  std::set<int> shown;
  for (const Json& doc : query["docs"]) {
    EXPECT_TRUE(shown.insert(doc["d"].get<int>()).second);
    EXPECT_EQ(order[doc["ranks"]["a"].get<std::size_t>() - 1], doc["d"].get<std::size_t>());
    EXPECT_EQ(doc["scores"]["a"].get<double>(), own[doc["d"].get<std::size_t>()]);
    EXPECT_TRUE(doc["title"].is_null());
  }
  EXPECT_TRUE(shown.contains(14));
  EXPECT_EQ(query["ideal"], 1.0);
  get("query?q=40", 404);
  get("query?q=x", 400);
}

// The most violated ranking maximises loss + score of the ranking; here over all orders of a short query.
TEST_F(ExploreRoutes, MostViolatedRankingByEnumeration) {
  DatasetBuilder builder;
  Rng rng(8);
  for (int i = 0; i < 6; ++i) {
    std::vector<float> row(kFeatures);
    for (float& x : row) x = static_cast<float>(rng.uniform());
    builder.add({.label = static_cast<float>(i % 3), .query_id = "q"}, row);
  }
  builder.set_feature_names(model(0).features);
  const Dataset data = builder.finish();
  options_.models = {{"first", model(0), data, "aa"}};
  const Json query = get("query?q=0");
  const std::vector<double> scores = score(model(0), data);
  const auto measure = make_trainable("ndcg@5");
  const Factors factors = measure->factor(data.query(0).labels);
  const std::vector<double> c = Decay("measure").values(factors.a);
  const auto gain_of = [&](const Ranking& order) {
    double sum = 0;
    for (std::size_t j = 0; j < order.size(); ++j) sum += c[j] * scores[order[j]];
    return sum;
  };
  Ranking order = {0, 1, 2, 3, 4, 5};
  double largest = -1e9, reference = -1e9;  // the best of the rankings without loss
  do {
    const double loss = 1 - value(factors, order);
    largest = std::max(largest, loss + gain_of(order));
    if (loss < 1e-12) reference = std::max(reference, gain_of(order));
  } while (std::next_permutation(order.begin(), order.end()));
  EXPECT_NEAR(query["violated"]["violation"].get<double>(), largest - reference, 1e-12);
  const auto found = query["order"]["violated"].get<Ranking>();
  EXPECT_NEAR(query["violated"]["measure"].get<double>(), value(factors, found), 1e-12);
  EXPECT_NEAR(query["violated"]["loss"].get<double>() + gain_of(found), largest, 1e-12);
}

TEST_F(ExploreRoutes, WhyAddsUp) {
  const Json why = get("why?q=2&docs=4,0,9&parts=2");
  EXPECT_EQ(why["documents"][1]["d"], 0);
  for (const Json& document : why["documents"]) {
    double sum = why["mean_score"].get<double>() + document["rest"].get<double>();
    for (const Json& part : document["parts"]) sum += part["above_mean"].get<double>();
    EXPECT_NEAR(sum, document["score"].get<double>(), 1e-9);
    EXPECT_EQ(document["parts"].size(), 2U);
  }
  get("why?q=2&docs=15", 404);
  get("why?q=2&model=c&docs=1", 404);
}

TEST_F(ExploreRoutes, SwapsOfAPairLevelTheScores) {
  const Json pair = get("pair?q=2&first=4&second=9&parts=3");
  double sum = pair["rest"].get<double>();
  for (const Json& part : pair["parts"]) sum += part["difference"].get<double>();
  EXPECT_NEAR(sum, pair["gap"].get<double>(), 1e-9);
  EXPECT_LT(pair["upper"]["rank"].get<int>(), pair["lower"]["rank"].get<int>());
  ASSERT_FALSE(pair["swaps"].empty());
  for (const Json& swap : pair["swaps"]) {  // model without scaling: weight times change makes up for the gap
    const double weight = model(0).weights[swap["feature"].get<std::size_t>()];
    const double sign = swap["document"] == "lower" ? 1 : -1;
    EXPECT_NEAR(weight * swap["change"].get<double>() * sign, pair["gap"].get<double>(), 1e-6);
    const auto range = swap["to"].get<double>();
    EXPECT_EQ(swap["seen"].get<bool>(), swap["name"] == "same" ? range == 7 : range >= 0 && range <= 9.99F);
  }
  get("pair?q=2&first=4&second=4", 400);
  service_.reset();
  options_.models[0].model.scaling.kind = ScalingKind::query_minmax;
  EXPECT_EQ(get("pair?q=2&first=4&second=9")["why_none"], "per-query scaling moves with the value");
}

TEST_F(ExploreRoutes, WeightsAndTheEditedModel) {
  const Json weights = get("weights");
  EXPECT_EQ(weights["rows"][0]["name"], "bm25");
  EXPECT_EQ(weights["rows"][0]["high"], 2.0);
  EXPECT_EQ(get("weights?filter=LINKS")["total"], 1);
  const serve::Answer file = ask("GET", "/api/model.json?edits=1:2.5");
  EXPECT_EQ(file.headers[0].second, "attachment; filename=\"edited.json\"");
  const Model edited = model_from_json(file.body, "edited.json");
  EXPECT_EQ(edited.method, "edited");
  EXPECT_EQ(edited.weights[1], 2.5);
  EXPECT_EQ(edited.certificate.status, "none");
  EXPECT_EQ(parse_json(file.body, "x", "x")["edited_from"]["fingerprint"], "00000000000000aa");
}

TEST_F(ExploreRoutes, ChecksAndDrift) {
  std::ofstream(folder_.path("texts.jsonl")) << "{\"id\": \"d7-0\", \"title\": \"<b>T</b>\", \"text\": \"" +
                                                    std::string(1000, 'x') + "\"}\n\n{\"id\": \"unknown\"}\n";
  options_.texts = folder_.path("texts.jsonl");
  std::map<std::string, Json> found;
  const Json checks = get("checks");
  for (const Json& finding : checks["findings"]) found[finding["kind"].get<std::string>()] = finding;
  EXPECT_EQ(found["constant"]["examples"], Json({"same"}));
  EXPECT_EQ(found["range"]["examples"], Json({"bm25"}));
  EXPECT_EQ(found["one-label"]["queries"], Json({5}));
  EXPECT_EQ(found["duplicates"]["severity"], "good");
  EXPECT_EQ(found["unknown-texts"]["count"], kQueries * 15 - 1);
  const Json row = get("drift")["rows"][0];
  EXPECT_EQ(row["name"], "bm25");
  std::size_t outside = 0;
  double sum = 0;
  for (std::size_t q = 0; q < kQueries; ++q)
    for (std::size_t i = 0; i < 15; ++i) {
      outside += data_.query(q).rows.at(i, 0) > 8;
      sum += static_cast<double>(data_.query(q).rows.at(i, 0));
    }
  EXPECT_NEAR(row["outside"].get<double>(), static_cast<double>(outside) / 600, 1e-15);
  EXPECT_NEAR(row["shift"].get<double>(), std::fabs(sum / 600 - 5) / 8, 1e-12);
  const Json query = get("query?q=7&also=0");
  for (const Json& doc : query["docs"])
    if (doc["d"] == 0) {
      EXPECT_EQ(doc["title"], "<b>T</b>");
      EXPECT_EQ(doc["text"].get<std::string>().size(), 600U);
    }
}

}  // namespace
}  // namespace dorm::explore
