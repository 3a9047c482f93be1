// SPDX-License-Identifier: Apache-2.0
#include "compare_ratings.h"

#include <fmt/format.h>

#include <optional>

#include "dorm/error.h"
#include "grid.h"
#include "option_group.h"

namespace dorm::cli {
namespace {

constexpr const char* kComparedRatings = "Ratings";
constexpr const char* kRecommenders = "item-mean,item-knn,squared,dorm";  // those that take seconds

}  // namespace

void add_ratings_comparison(CLI::App& app, RatingsComparison& arguments) {
  const OptionGroup ratings(app, kComparedRatings);
  ratings.add("--ratings", arguments.ratings, "FILE",
              "instead of DATA: user, item, rating per line; compares recommenders");
  add_layout_option(app, arguments.layout, kComparedRatings);
  ratings.add("--item-features", arguments.item_features, "FILE", "id and features of the items, e.g. genres");
  ratings.add("--item-columns", arguments.item_columns, "LIST", "columns of that file, e.g. 6-24 (trailing numbers)");
  ratings.add("--user-features", arguments.user_features, "FILE", "id and features of the users");
  ratings.add("--user-columns", arguments.user_columns, "LIST", "columns of that file");
  ratings.add("--split", arguments.split.split, "SPEC",
              "given:N (N ratings of each user train, the rest test; users with fewer\nthan N + 10 dropped) or "
              "random:SHARE (a share tests) (given:10)");
  ratings.number("--split-seed", arguments.split.seed, whole_from(0), "S",
                 "which of the random splits is the first (0)");
  ratings.number("--splits", arguments.options.splits, whole_from(1, 1000), "K",
                 "how many; values of a user are averaged over them (1)");
  ratings.number("--rank", arguments.options.train.rank, whole_from(1, 1e5), "K", "of factorizations (20)");
  ratings.flag("--default-parameters", arguments.defaults,
               "parameters at their defaults instead of chosen by held-out ratings");
}

RecommenderComparison recommender_options(const RatingsComparison& arguments, const std::string& methods,
                                          const std::string& measures, const ComparisonOptions& shared) {
  RecommenderComparison options = arguments.options;
  options.methods = split_measures(methods.empty() ? kRecommenders : methods);
  options.measures.clear();
  for (const std::string& name : split_measures(measures))
    options.measures.push_back(make_measure(name, make_convention(shared.convention))->name());
  const SplitSpec spec = parse_split(arguments.split.split);
  if (spec.kind == SplitSpec::Kind::new_users)
    throw Error(ErrorCode::bad_option, fmt::format("--split {}: recommenders are compared on users that they know; "
                                                   "expected given:N or random:SHARE",
                                                   arguments.split.split));
  options.given = spec.kind == SplitSpec::Kind::given ? spec.given : 0;
  if (spec.kind == SplitSpec::Kind::random) options.share = spec.share;
  options.split_seed = arguments.split.seed;
  options.choose = !arguments.defaults;
  options.against = shared.against;
  options.convention = shared.convention;
  options.train.seed = shared.seed;
  options.threads = shared.threads;
  options.directory = shared.directory;
  options.validate();
  return options;
}

ComparisonResult compare_ratings(const RatingsComparison& arguments, const RecommenderComparison& options,
                                 const Settings& settings, const ComparisonObserver& observer) {
  const Ratings ratings = load_ratings(arguments.ratings, arguments.layout, settings);
  const auto items =
      load_side_features(arguments.item_features, arguments.item_columns, ratings.items(), "item", settings);
  const auto users =
      load_side_features(arguments.user_features, arguments.user_columns, ratings.users(), "user", settings);
  return compare_recommenders(ratings, options,
                              {.item_features = items ? &*items : nullptr, .user_features = users ? &*users : nullptr},
                              observer);
}

std::vector<std::string> ratings_files(const RatingsComparison& arguments) {
  std::vector<std::string> files = {arguments.ratings};
  for (const std::string* file : {&arguments.item_features, &arguments.user_features})
    if (!file->empty()) files.push_back(*file);
  return files;
}

}  // namespace dorm::cli
