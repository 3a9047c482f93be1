// SPDX-License-Identifier: Apache-2.0
// What if curves, parts of sums, or values of documents were different.
#include <cmath>

#include "explore/explored.h"

namespace dorm::explore {
namespace {

constexpr double kKnots[] = {0, 2, 5, 9};

/// Lines by their points: what is added at kKnots, and beyond them by the weight.
double through(std::span<const double> ys, double weight, double x) {
  if (x <= kKnots[0]) return ys[0] + weight * (x - kKnots[0]);
  for (std::size_t k = 0; k < 3; ++k)
    if (x <= kKnots[k + 1]) return ys[k] + (ys[k + 1] - ys[k]) * (x - kKnots[k]) / (kKnots[k + 1] - kKnots[k]);
  return ys[3] + weight * (x - kKnots[3]);
}

class ExploreCurves : public ExploreRoutes {
 protected:
  ExploreCurves() {
    Model model = explored_model({0.1, -0.5, 0, 0, 0});
    model.curves = Curves{CurveShape::lines, std::vector<Curve>(5)};
    model.curves->features[0] = {{kKnots, kKnots + 4}, {1, -0.5, 2}, 3};
    options_.models[0].model = model;
  }

  /// As evaluated by other scores.
  double mean_of(const std::vector<double>& scores) {
    const std::vector<std::string> measures = {"ndcg@5"};
    return evaluate(data_, scores, measures).measures[0].mean;
  }
};

TEST_F(ExploreCurves, AreDrawnWithTheirValues) {
  EXPECT_EQ(get("info")["models"][0]["edits"], "curves");
  EXPECT_EQ(get("weights")["total"], 0);
  const Json page = get("curves?filter=bm25&q=7");
  EXPECT_EQ(page["shape"], "lines");
  const Json row = page["rows"][0];
  EXPECT_EQ(row["feature"], 0);
  // 0 at the median 3: there 0.1 * 3 + 1 - 0.5 / 3 is taken off.
  const double taken = 0.3 + 1 - 0.5 / 3, raw[] = {0, 1, 0.5, 2.5};
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(row["points"][k]["x"], kKnots[k]);
    EXPECT_EQ(row["points"][k]["value"], kKnots[k]);  // not scaled
    EXPECT_NEAR(row["points"][k]["y"].get<double>(), 0.1 * kKnots[k] + raw[k] - taken, 1e-12);
  }
  EXPECT_LT(row["from"].get<double>(), 0);
  EXPECT_GT(row["to"].get<double>(), 9);
  EXPECT_EQ(row["shares"].size(), 40U);
  const Json documents = page["query"]["documents"];
  ASSERT_EQ(documents.size(), 15U);
  for (std::size_t i = 0; i < documents.size(); ++i) {
    EXPECT_EQ(documents[i]["rank"], i + 1);
    const auto d = documents[i]["d"].get<std::size_t>();
    EXPECT_EQ(row["x"][i].get<double>(), static_cast<double>(data_.query(7).rows.at(d, 0)));
  }
  const Json line = get("curves?filter=age")["rows"][0];
  EXPECT_TRUE(line["points"].empty());
  EXPECT_EQ(line["weight"], -0.5);
  EXPECT_TRUE(get("curves")["query"].is_null());
}

TEST_F(ExploreCurves, MovedPointsCountEverywhere) {
  const Json points = get("curves?filter=bm25")["rows"][0]["points"];
  double ys[4];
  for (std::size_t k = 0; k < 4; ++k) ys[k] = points[k]["y"].get<double>();
  ys[0] = 1.5;
  ys[2] = -0.75;
  std::vector<double> scores;
  for (std::size_t q = 0; q < kQueries; ++q)
    for (std::size_t i = 0; i < 15; ++i) {
      const FeatureRows rows = data_.query(q).rows;
      scores.push_back(through(ys, 0.1, static_cast<double>(rows.at(i, 0))) -
                       0.75 * static_cast<double>(rows.at(i, 1)));
    }
  const std::string edits = "edits=0.2:-0.75,0.0:1.5,1:-0.75";
  const Json summary = get("summary?right=edited&" + edits);
  EXPECT_NEAR(summary["right"]["mean"].get<double>(), mean_of(scores), 1e-12);
  EXPECT_NE(summary["right"]["mean"], summary["a"]["mean"]);
  const serve::Answer file = ask("GET", "/api/model.json?" + edits);
  const Model edited = model_from_json(file.body, "edited.json");
  const std::vector<double> found = score(edited, data_);
  for (std::size_t d = 1; d < found.size(); ++d)  // but for a shift
    EXPECT_NEAR(found[d] - found[0], scores[d] - scores[0], 1e-9);
  EXPECT_NEAR(edited.curves->value(0, edited.weights[0], 3), 0, 1e-12);
  EXPECT_EQ(parse_json(file.body, "x", "x")["edited_from"]["edits"].size(), 3U);
  const Json why = get("why?q=2&docs=4,0&model=edited&" + edits);
  for (const Json& document : why["documents"]) {
    double sum = why["mean_score"].get<double>() + document["rest"].get<double>();
    for (const Json& part : document["parts"]) sum += part["above_mean"].get<double>();
    EXPECT_NEAR(sum, document["score"].get<double>(), 1e-9);
  }
  for (const char* bad : {"0:1", "0.4:1", "1.0:1", "0.x:1", "9.0:1", "0.1:nan"})
    get(std::string("summary?right=edited&edits=") + bad, 400);
}

TEST_F(ExploreCurves, SwapsOfAPairLevelTheScores) {
  const Json points = get("curves?filter=bm25")["rows"][0]["points"];
  double ys[4];
  for (std::size_t k = 0; k < 4; ++k) ys[k] = points[k]["y"].get<double>();
  std::size_t seen = 0;
  for (const char* two : {"first=4&second=9", "first=0&second=7", "first=2&second=3"}) {
    const Json pair = get(std::string("pair?q=2&") + two);
    for (const Json& swap : pair["swaps"]) {
      const auto adds = [&](const char* end) {
        const auto x = swap[end].get<double>();
        return swap["feature"] == 0 ? through(ys, 0.1, x) : -0.5 * x;
      };
      const double sign = swap["document"] == "lower" ? 1 : -1;
      EXPECT_NEAR((adds("to") - adds("from")) * sign, pair["gap"].get<double>(), 1e-6);
      ++seen;
    }
  }
  EXPECT_GE(seen, 3U);
}

TEST_F(ExploreCurves, StepsHaveLevels) {
  Model& model = options_.models[0].model;
  model.weights = {0, 0, 0, 0, 0};
  model.curves->shape = CurveShape::steps;
  model.curves->features[0] = {{2, 5}, {1, -0.5}, 3};
  const Json points = get("curves?filter=bm25")["rows"][0]["points"];
  ASSERT_EQ(points.size(), 3U);
  EXPECT_TRUE(points[0]["x"].is_null());
  EXPECT_EQ(points[0]["y"], -1.0);
  EXPECT_EQ(points[1]["y"], 0.0);
  EXPECT_EQ(points[2]["y"], -0.5);
  std::vector<double> scores;
  for (std::size_t q = 0; q < kQueries; ++q)
    for (std::size_t i = 0; i < 15; ++i) {
      const float x = data_.query(q).rows.at(i, 0);
      scores.push_back(x < 2 ? 3.0 : x < 5 ? 0.25 : -0.5);
    }
  EXPECT_NEAR(get("summary?right=edited&edits=0.0:3,0.1:0.25")["right"]["mean"].get<double>(), mean_of(scores), 1e-12);
}

TEST_F(ExploreRoutes, PartsOfASumAreMoved) {
  const std::vector<double> weights = {1, 0.5};
  const Model one = model(0), other = model(1);
  options_.models[0].model = weighted_sum({one, other}, weights);
  options_.models[0].model.measure = "ndcg@5";
  EXPECT_EQ(get("info")["models"][0]["edits"], "parts");
  const Json rows = get("weights")["rows"];
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[1]["weight"], 0.5);
  std::vector<double> scores = score(one, data_), more = score(other, data_);
  for (std::size_t d = 0; d < scores.size(); ++d) scores[d] -= 2 * more[d];
  const std::vector<std::string> measures = {"ndcg@5"};
  EXPECT_NEAR(get("summary?right=edited&edits=1:-2")["right"]["mean"].get<double>(),
              evaluate(data_, scores, measures).measures[0].mean, 1e-12);
  EXPECT_EQ(model_from_json(ask("GET", "/api/model.json?edits=1:-2").body, "edited.json").parts[1].weight, -2);
  get("summary?right=edited&edits=2:1", 400);
}

TEST_F(ExploreRoutes, ValuesOfADocumentAreChanged) {
  const std::size_t q = 7, d = 4, first = data_.first_document(q);
  std::vector<double> scores = score(model(0), data_);
  scores = {scores.begin() + static_cast<std::ptrdiff_t>(first),
            scores.begin() + static_cast<std::ptrdiff_t>(first + 15)};
  const auto rank_of = [&] {
    return 1 + std::count_if(scores.begin(), scores.end(), [&](double score) { return score > scores[d]; });
  };
  const Json change = get("change?q=7&d=4&values=0:20,1:0");
  EXPECT_EQ(change["before"]["rank"], rank_of());
  EXPECT_NEAR(change["before"]["score"].get<double>(), scores[d], 1e-12);
  const FeatureRows rows = data_.query(q).rows;
  scores[d] += 20 - static_cast<double>(rows.at(d, 0)) + 0.5 * static_cast<double>(rows.at(d, 1));
  EXPECT_NEAR(change["after"]["score"].get<double>(), scores[d], 1e-6);
  EXPECT_EQ(change["after"]["rank"], rank_of());
  EXPECT_EQ(change["before"]["measure"], get("query?q=7")["a"]);
  EXPECT_EQ(get("change?q=7&d=4&values=")["after"], change["before"]);
  get("change?q=7&d=15", 404);
  get("change?q=7&d=4&values=9:1", 400);
  get("change?q=7&d=4&values=0.1:1", 400);
  TreeEnsemble trees;
  trees.features = {"bm25", "age"};
  trees.roots = {0};
  trees.nodes = {{.left = 1, .right = 2, .feature = 1, .value = 3}, {}, {}};
  trees.nodes[1].value = 1;
  trees.nodes[2].value = 5;
  service_.reset();
  options_.models[0].model = model_of(trees);
  EXPECT_TRUE(get("info")["models"][0]["edits"].is_null());
  EXPECT_EQ(get("change?q=7&d=4&values=1:3")["after"]["score"], 1.0);
  EXPECT_EQ(get("change?q=7&d=4&values=1:3.5")["after"]["score"], 5.0);
  get("summary?right=edited", 409);
}

}  // namespace
}  // namespace dorm::explore
