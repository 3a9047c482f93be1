// SPDX-License-Identifier: Apache-2.0
// The table of recommenders: name, what its parameter means, default, grid.
#include <fmt/format.h>

#include <array>
#include <initializer_list>
#include <optional>

#include "base/number.h"
#include "dorm/error.h"
#include "lab/collaborative/method.h"

namespace dorm {
namespace {

using Scorer = std::vector<double> (*)(const CollaborativeTask&, double parameter);

constexpr std::size_t kMostTried = 4;

struct Method {
  CatalogEntry entry;
  Scorer score;
  std::optional<double> parameter;        // the default; none: the method takes no parameter
  std::array<double, kMostTried> grid{};  // what choose_collaborative tries
  std::size_t tried = 0;
};

constexpr Method row(std::string_view name, Scorer score, std::string_view help) {
  return {{.name = name, .usage = name, .help = help}, score, std::nullopt, {}, 0};
}

constexpr Method row(std::string_view name, std::string_view usage, Scorer score, double parameter,
                     std::initializer_list<double> grid, std::string_view help) {
  Method made{{.name = name, .usage = usage, .help = help}, score, parameter, {}, 0};
  for (const double value : grid) made.grid[made.tried++] = value;
  return made;
}

// clang-format off
constexpr std::array kMethods{
    row("random", random_scores, "chance"),
    row("popularity", popularity_scores, "how often an item was rated"),
    row("item-mean", "item-mean[:damping]", item_mean_scores, 5, {1, 5, 20},
        "mean rating of the item, damped by the given number of ratings one star below the mean"),
    row("prank", "prank[:passes]", prank_alone_scores, 10, {1, 3, 10},
        "a ranking perceptron for each user, in the space of similar items"),
    row("jrank", "jrank[:passes]", jrank_scores, 3, {1, 3, 10},
        "one ranking perceptron for all users, in the space of similar users and items"),
    row("joint", "joint[:C]", joint_dorm_scores, 30, {10, 30, 100, 300},
        "DORM in the space of jrank"),
    row("joint-paper", "joint-paper[:C]", joint_paper_scores, 0.01, {},
        "the same with the paper's bound, as given, and its C, of the sum over users"),
    row("item-knn", "item-knn[:shrink]", item_knn_scores, 100, {10, 30, 100, 300},
        "weighted mean of the user's ratings of similar items"),
    row("squared", "squared[:ridge]", squared_scores, 12, {8, 10, 12, 14},
        "matrix factorization with biases, squared loss"),
    row("mmmf", "mmmf[:lambda]", mmmf_scores, 10, {5, 10, 15, 20},
        "fast maximum margin matrix factorization: all thresholds, smooth hinge"),
    row("ordinal", "ordinal[:lambda]", ordinal_scores, 24, {12, 24, 48},
        "all thresholds, logistic, centred on squared"),
    row("pairwise", "pairwise[:lambda]", pairwise_scores, 6, {3, 6, 12, 24},
        "pairwise logistic, centred on squared"),
    row("gpr", "gpr[:noise]", gpr_scores, 1, {0.3, 1, 3},
        "Gaussian process regression, every user alone, known facts of items"),
    row("gpor", "gpor[:noise]", gpor_scores, 1, {0.3, 1, 3},
        "the same with an ordinal likelihood"),
    row("cgpr", "cgpr[:noise]", cgpr_scores, 0.7, {},
        "Gaussian process regression, mean and covariance of items learnt from all users"),
    row("cgpor", "cgpor[:noise]", cgpor_scores, 0.7, {},
        "the same with an ordinal likelihood"),
    row("dorm", "dorm[:lambda]", dorm_scores, 12, {6, 12, 24},
        "ranking factorization for the measure, centred on squared"),
};
// clang-format on

constexpr auto kEntries = [] {
  std::array<CatalogEntry, kMethods.size()> entries{};
  for (std::size_t i = 0; i < kMethods.size(); ++i) entries[i] = kMethods[i].entry;
  return entries;
}();

struct Spelling {
  const Method& method;
  std::optional<double> parameter;
};

Spelling parse(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  for (const Method& candidate : kMethods) {
    if (candidate.entry.name != name) continue;
    if (colon == std::string_view::npos) return {candidate, std::nullopt};
    double value = 0;
    if (!candidate.parameter || parse_number(text.substr(colon + 1), value) != NumberKind::finite || value < 0)
      throw Error(ErrorCode::bad_option, fmt::format("method \"{}\"; expected {}{}", text, candidate.entry.usage,
                                                     candidate.parameter ? " with a number of at least 0" : ""));
    return {candidate, value};
  }
  throw_unknown_name("method", name, kEntries);
}

}  // namespace

std::span<const CatalogEntry> collaborative_catalog() { return kEntries; }

std::vector<double> collaborative_scores(std::string_view method, const Ratings& train, const Ratings& asked,
                                         const CollaborativeInputs& inputs, const CollaborativeOptions& options) {
  const Spelling spelling = parse(method);
  if (train.size() == 0) throw Error(ErrorCode::bad_input, "no ratings to learn from");
  if (train.num_users() != asked.num_users() || train.num_items() != asked.num_items())
    throw Error(ErrorCode::bad_input,
                fmt::format("{} users and {} items to train on, {} and {} asked for; expected the same",
                            train.num_users(), train.num_items(), asked.num_users(), asked.num_items()));
  return spelling.method.score({train, asked, inputs, options},
                               spelling.parameter.value_or(spelling.method.parameter.value_or(0)));
}

std::vector<std::string> collaborative_grid(std::string_view method) {
  const Spelling spelling = parse(method);
  if (spelling.parameter || spelling.method.tried == 0) return {std::string(method)};
  std::vector<std::string> grid;
  for (std::size_t i = 0; i < spelling.method.tried; ++i)
    grid.push_back(fmt::format("{}:{}", spelling.method.entry.name, spelling.method.grid[i]));
  return grid;
}

}  // namespace dorm
