// SPDX-License-Identifier: Apache-2.0
// Every solver x bound x measure x decay x layout of the data on one small problem, against the optimum of an
// independent program. The catalogs say what there is, so that a new solver, bound, measure or decay joins by itself.
// DORM_MATRIX=whole walks all cells; else a part of them, in which every pair of two names occurs.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <map>
#include <regex>
#include <set>

#include "base/rng.h"
#include "dorm/data/prepare.h"
#include "dorm/error.h"
#include "dorm/learning/train_shards.h"
#include "dorm/read.h"
#include "dorm/train.h"
#include "dorm/write.h"
#include "learning/matrix/independent_optimum.h"
#include "support/temporary_directory.h"

namespace dorm {
namespace {

using test::IndependentProblem;
using test::ListedQuery;

constexpr double kC = 3;
constexpr std::size_t kFeatures = 3;

/// Ties of labels in every query; in the last some measures have nothing to learn.
std::vector<ListedQuery> small_queries() {
  const std::vector<std::vector<float>> labels = {
      {4, 0, 0, 1, 0}, {0, 3, 0, 3, 0}, {0, 1, 4, 0, 0}, {1, 0, 4, 4}, {0, 3, 0, 3, 1}};
  Rng rng(11);
  std::vector<ListedQuery> queries;
  for (const std::vector<float>& of_query : labels) {
    ListedQuery query{queries.size() == 1 ? 2.0 : 1.0, of_query, {}};
    for (const float label : of_query) {
      std::vector<double> row;
      for (std::size_t j = 0; j < kFeatures; ++j)
        row.push_back(std::round(64 * (rng.normal() + (j == 0 ? 0.4 * static_cast<double>(label) : 0))) / 64);
      query.rows.push_back(row);
    }
    queries.push_back(query);
  }
  return queries;
}

std::string id_of(std::size_t q) { return std::to_string(q + 1); }

/// `scattered`: the first documents of all queries, then the second ones.
Dataset built(const std::vector<ListedQuery>& queries, bool compressed, bool scattered) {
  DatasetBuilder builder;
  const auto add = [&](std::size_t q, std::size_t i) {
    const std::string id = id_of(q);
    const DatasetBuilder::Document document{queries[q].labels[i], id};
    std::vector<float> row(queries[q].rows[i].begin(), queries[q].rows[i].end());
    if (!compressed) return builder.add(document, row);
    const std::vector<std::uint32_t> columns = {0, 1, 2, 99};  // a far column of ones ranks nothing
    row.push_back(1);
    builder.add(document, SparseRow{columns, row});
  };
  std::size_t longest = 0;
  for (const ListedQuery& query : queries) longest = std::max(longest, query.labels.size());
  for (std::size_t i = 0; scattered && i < longest; ++i)
    for (std::size_t q = 0; q < queries.size(); ++q)
      if (i < queries[q].labels.size()) add(q, i);
  for (std::size_t q = 0; !scattered && q < queries.size(); ++q)
    for (std::size_t i = 0; i < queries[q].labels.size(); ++i) add(q, i);
  for (std::size_t q = 0; q < queries.size(); ++q) builder.set_query_weight(id_of(q), queries[q].weight);
  return builder.finish();
}

/// Two hosts with half of the shards each.
class TwoHosts {
 public:
  explicit TwoHosts(const Dataset& data) {
    std::vector<std::vector<Shard>> held(2);
    std::vector<Dataset> parts = split_into_shards(data, 4);
    for (std::size_t s = 0; s < parts.size(); ++s)
      held[s % 2].push_back({static_cast<std::uint32_t>(s), std::move(parts[s])});
    for (std::vector<Shard>& part : held) hosts_.emplace_back(std::move(part), ComputeOptions{.threads = 1});
  }
  std::vector<std::string> response(std::string_view request) const {
    std::vector<std::string> all;
    for (const ShardHost& host : hosts_)
      for (std::string& each : host.response(request)) all.push_back(std::move(each));
    return all;
  }

 private:
  std::vector<ShardHost> hosts_;
};

/// The layouts of the same documents, and training from each.
class Layouts {
 public:
  using Trainer = std::function<TrainResult(const TrainOptions&)>;

  explicit Layouts(const std::vector<ListedQuery>& queries) {
    const Dataset plain = built(queries, false, false);
    write_dataset(plain, folder_.path("one.dorm"));
    write_shards(plain, folder_.path("parts"), 3);
    write_shards(built(queries, true, false), folder_.path("thin"), 3);
    over("memory", plain);
    over("scattered", built(queries, false, true));
    over("compressed", built(queries, true, false));
    over("binary", read_binary(folder_.path("one.dorm")));
    over("folder", joined("parts"));
    over("compressed folder", joined("thin"));
    hosts_ = std::make_unique<TwoHosts>(built(queries, false, true));
    trainers_.emplace_back("two workers", [this](const TrainOptions& options) {
      return train_shards([this](std::string_view request) { return hosts_->response(request); }, options);
    });
  }
  const std::vector<std::pair<std::string, Trainer>>& all() const { return trainers_; }

 private:
  Dataset joined(const std::string& name) const {
    std::vector<Dataset> parts;
    for (const std::string& file : files_named_by(folder_.path(name))) parts.push_back(read_binary(file));
    return join(parts);
  }
  void over(const std::string& name, const Dataset& data) {
    trainers_.emplace_back(name, [data](const TrainOptions& options) { return train(data, options); });
  }

  test::TemporaryDirectory folder_;
  std::vector<std::pair<std::string, Trainer>> trainers_;
  std::unique_ptr<TwoHosts> hosts_;
};

/// As the catalog shows them, cut to lists of five documents.
std::vector<std::string> measures() {
  std::vector<std::string> names;
  for (const CatalogEntry& entry : measure_catalog())
    if (entry.trainable) names.push_back(std::regex_replace(std::string(entry.example), std::regex("@\\d+"), "@3"));
  return names;
}

std::vector<std::string> decays() {
  std::vector<std::string> names;
  for (const CatalogEntry& entry : decay_catalog()) {
    const bool needs =
        entry.usage.find(':') != std::string_view::npos && entry.usage.find('[') == std::string_view::npos;
    names.push_back(std::string(entry.name) + (needs ? ":0.5" : ""));
  }
  return names;
}

/// Of the weights that references are made at. No two documents of a query have the same score.
std::vector<double> first_weights() { return {0.75, -0.5, 0.3125}; }

Model first_model() {
  Model model;
  model.features = {"1", "2", "3"};
  model.weights = first_weights();
  return model;
}

/// How close a solver is asked to come: those that close the gap like 1/t are not asked for the last digits.
struct Asked {
  double tolerance;
  std::uint64_t passes;
};
Asked asked_of(std::string_view solver) {
  if (solver == "bcfw") return {1e-4, 20000};
  if (solver == "fw") return {1e-2, 3000};
  if (solver == "online") return {1e-2, 300};
  return {1e-6, 5000};
}

struct Tally {
  std::size_t cells = 0, solved = 0, refused = 0, troubled = 0;
  double worst = 0, worst_loose = 0;
  std::string where, loose_where;
  std::map<std::string, std::size_t> refusals;
};

class Matrix : public testing::Test {
 protected:
  void walk(std::size_t every);

 private:
  void cell(const std::string& solver, Bound bound, const std::string& measure, const std::string& decay,
            const std::string& layout, const Layouts::Trainer& trainer, const IndependentProblem* truth);

  const std::vector<ListedQuery> queries_ = small_queries();
  const Layouts layouts_{queries_};
  const Model first_ = first_model();
  Tally tally_;
};

void Matrix::cell(const std::string& solver, Bound bound, const std::string& measure, const std::string& decay,
                  const std::string& layout, const Layouts::Trainer& trainer, const IndependentProblem* truth) {
  const Asked asked = asked_of(solver);
  TrainOptions options;
  options.measure = measure;
  options.decay = decay;
  options.bound = bound;
  options.scale = "none";
  options.paper_C = true;
  options.C = kC;
  options.rounds = 1;
  options.initial = &first_;
  options.shards = solver == "shards" || layout == "two workers" ? 4 : 0;
  options.compute.threads = 1;
  options.solve.solver = parse_solver(solver);
  options.solve.tolerance = asked.tolerance;
  options.solve.max_passes = asked.passes;
  const std::string name = solver + " " + std::string(name_of(bound)) + " " + measure + " " + decay + " " + layout;
  SCOPED_TRACE(name);
  ++tally_.cells;
  Model model;
  try {
    model = trainer(options).model;
  } catch (const Error& error) {
    const std::string why = error.what();
    const bool named = why.find(solver) != std::string::npos || why.find(decay) != std::string::npos;
    EXPECT_TRUE(error.code() == ErrorCode::bad_option || error.code() == ErrorCode::unsupported) << why;
    EXPECT_TRUE(named) << why;
    ++tally_.refused;
    ++tally_.refusals[why.find(solver) != std::string::npos ? solver + " on " + layout : decay];
    return;
  }
  ASSERT_NE(truth, nullptr) << "trained, though the decay does not follow the measure";
  ++tally_.solved;
  std::vector<double> w(model.weights.begin(), model.weights.begin() + kFeatures);
  const double primal = truth->primal(w), excess = (primal - truth->optimum()) / truth->optimum();
  EXPECT_NEAR(model.certificate.primal, primal, 1e-5 * primal);
  EXPECT_LE(model.certificate.dual, truth->optimum() * (1 + 1e-6));
  EXPECT_LE((primal - truth->optimum()) / primal, model.certificate.gap + 1e-6);
  // Planes are 32-bit numbers: a solver may find that it comes no nearer, and then says so, with the gap that is left.
  const bool tight = asked.tolerance < 1e-5 && model.certificate.status == "converged";
  if (asked.tolerance < 1e-5 && !tight) {
    EXPECT_EQ(model.certificate.status, "numerical_trouble");
    EXPECT_LT(model.certificate.gap, 2e-3);
    ++tally_.troubled;
  }
  if (tight) {
    EXPECT_LE(excess, 2 * asked.tolerance + 1e-6);
  }
  double& worst = tight ? tally_.worst : tally_.worst_loose;
  if (std::abs(excess) <= worst) return;
  worst = std::abs(excess);
  (tight ? tally_.where : tally_.loose_where) = name;
}

void Matrix::walk(std::size_t every) {
  std::size_t number = 0, m = 0;
  for (const std::string& measure : measures()) {
    ++m;
    std::size_t d = 0;
    for (const std::string& decay : decays()) {
      ++d;
      std::size_t b = 0;
      for (const CatalogEntry& bound_entry : bound_catalog()) {
        const Bound bound = parse_bound(bound_entry.name);
        ++b;
        std::unique_ptr<IndependentProblem> truth;
        bool asked = false;
        std::size_t s = 0;
        for (const CatalogEntry& solver : solver_catalog()) {
          ++s;
          std::size_t l = 0;
          for (const auto& [layout, trainer] : layouts_.all()) {
            ++l;
            ++number;
            // A sum of the places by different factors: of any two names every pair occurs in some cell.
            if (every > 1 && (m * 3 + d * 5 + b * 7 + s * 11 + l * 13) % every != 0) continue;
            if (!std::exchange(asked, true)) {
              try {
                truth = std::make_unique<IndependentProblem>(queries_, *make_trainable(measure), Decay(decay), bound,
                                                             first_weights(), kC);
                EXPECT_LT(truth->gap(), 1e-8) << measure << decay << bound_entry.name;
              } catch (const Error&) {  // refused by the decay
              }
            }
            cell(std::string(solver.name), bound, measure, decay, layout, trainer, truth.get());
          }
        }
      }
    }
  }
  std::cout << "matrix: " << tally_.cells << " of " << number << " cells, " << tally_.solved << " solved, "
            << tally_.refused << " refused by name; worst relative difference at tolerance 1e-6 " << tally_.worst
            << " (" << tally_.where << "), of bcfw, fw, online and the " << tally_.troubled
            << " that stopped before, within their "
            << "own gaps, " << tally_.worst_loose << " (" << tally_.loose_where << ")\n";
  for (const auto& [what, count] : tally_.refusals) std::cout << "matrix: refused " << count << " of " << what << "\n";
  EXPECT_GT(tally_.solved, tally_.cells / 2);
}

TEST_F(Matrix, EveryCellHasTheOptimumOfAnIndependentProgram) {
  const char* const asked = std::getenv("DORM_MATRIX");
  walk(asked != nullptr && std::string(asked) == "whole" ? 1 : 23);
}

TEST(IndependentOptimum, IsThatOfAProblemWorkedOutByHand) {
  // Two documents, one feature: reference above, x = 1; the other ranking has loss 1 under wta and direction 2 (c = +-1
  // would be), here c = (1, 0), so that H = max(0, 1 - w) and the optimum of w^2/2 + C H is C - C^2/2 for C <= 1.
  const std::vector<ListedQuery> queries = {{1, {1, 0}, {{1.0}, {0.0}}}};
  const FactoredMeasurePtr measure = make_trainable("wta");
  const IndependentProblem half(queries, *measure, Decay("measure"), Bound::best, {0.0}, 0.5);
  EXPECT_NEAR(half.optimum(), 0.5 - 0.125, 1e-9);
  const IndependentProblem large(queries, *measure, Decay("measure"), Bound::best, {0.0}, 4);
  EXPECT_NEAR(large.optimum(), 0.5, 1e-8);  // w = 1
}

}  // namespace
}  // namespace dorm
