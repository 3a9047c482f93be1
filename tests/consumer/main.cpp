// SPDX-License-Identifier: Apache-2.0
// The library as a stranger uses it: generate, evaluate by one feature, print.
#include <dorm/dorm.h>

#include <cstdio>
#include <string>
#include <vector>

int main() {
  const dorm::Dataset data = dorm::synthesize({.queries = 20, .features = 5, .seed = 1});
  std::vector<double> scores;
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    const dorm::Query query = data.query(q);
    for (std::size_t i = 0; i < query.size(); ++i) scores.push_back(query.rows.at(i, 0));
  }
  const std::vector<std::string> measures = {"ndcg@10"};
  const double mean = dorm::evaluate(data, scores, measures)["ndcg@10"].mean;
  std::printf("ndcg@10 %.4f\n", mean);
  return mean > 0 && mean < 1 ? 0 : 1;
}
