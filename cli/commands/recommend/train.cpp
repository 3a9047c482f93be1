// SPDX-License-Identifier: Apache-2.0
// `dorm recommend train`: from ratings to a recommender.
#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <optional>

#include "command.h"
#include "command_line.h"
#include "dorm/error.h"
#include "dorm/oracle.h"
#include "dorm/recommend/factorize.h"
#include "dorm/recommend/joint_model.h"
#include "input/input.h"
#include "input/ratings_input.h"
#include "options/given_options.h"
#include "options/recommend_options.h"
#include "options/report_files.h"
#include "run/implicit_training.h"
#include "run/joint_training.h"
#include "run/output.h"
#include "run/progress.h"
#include "run/stop.h"
#include "text/eval_text.h"
#include "text/factorize_text.h"
#include "text/help.h"

namespace dorm::cli {
namespace {

constexpr const char* kRecommendTrainDescription =
    "Train a recommender on ratings, or on likes, plays and purchases.\n"
    "\n"
    "--model-type factors (the default) is a matrix factorization: the score of an item for a user is\n"
    "offset + <U, V>. The initial factors minimise the squared loss; rounds of two convex problems (all items,\n"
    "then each user) then lower a bound on the measure of every user's list, regularised towards the initial\n"
    "factors. Regularisation and the number of rounds are validated on held-out training ratings unless given\n"
    "(--fixed: not at all). With --valid or --valid-share the best round is kept.\n"
    "\n"
    "--model-type joint learns one ranker for all users in the space of a kernel over pairs of users and items.\n"
    "\n"
    "--implicit reads events (user, item and, optionally, weight and time), and --liked 4 takes ratings of 4 and\n"
    "more for likes. The model is then the average of implicit ALS and EASE; options that are not given are\n"
    "validated on held-out events, over the whole catalogue without the items a user has had.\n"
    "\n"
    "The same options give the same model with any number of threads. Ctrl-C stops and writes the best model\n"
    "so far.";

constexpr const char* kRecommendTrainExamples =
    "Examples:\n"
    "  dorm recommend train u.data --model m.factors\n"
    "  dorm recommend train u.data --model m.factors --item-features u.item --rank 20\n"
    "  dorm recommend train ratings.csv --model m.factors --split given:10 --split-seed 3\n"
    "  dorm recommend train ratings.dat --model m.factors --valid-share 0.1 --rounds 10 --checkpoint m.ck\n"
    "  dorm recommend train plays.csv --implicit --model m.implicit\n"
    "  dorm recommend train u.data --liked 4 --split random:0.2 --model m.implicit\n"
    "  dorm recommend train u.data --model-type joint --model m.joint\n"
    "  dorm recommend train u.data --model-type joint --kernel \"user(identity) * item(correlation)\" --model "
    "m.joint\n";

/// The options that held-out ratings choose: those that are not given.
FactorizeSearch searched(const CLI::App& verb) {
  const auto absent = [&](const char* name) { return declared_option(verb, name)->count() == 0; };
  return {absent("--start-lambda"),      absent("--lambda"),     absent("--rounds"),
          absent("--implicit-feedback"), absent("--neighbours"), absent("--item-damping") && absent("--item-prior")};
}

FactorizeResult learn(const RecommendTrainArguments& arguments, const FactorizeSearch& search, const Ratings& train,
                      const FactorizeInputs& inputs, const Settings& settings, const StopRequest& stop) {
  FactorizeOptions options = arguments.options;
  options.threads = settings.threads;
  options.centred = !arguments.uncentred;
  options.keep_checkpoint = true;
  if (!arguments.fixed) options.search = search;
  if (inputs.validation != nullptr) options.search.rounds = false;  // validation chooses the round
  LiveLine line;
  return factorize(train, options, inputs, [&](const FactorizeProgress& progress) {
    if (!settings.quiet && line.due()) {
      const std::string validation =
          std::isnan(progress.validation) ? "" : fmt::format(", validation {:.4f}", progress.validation);
      line.show(progress.stage == "choice"  ? fmt::format("dorm: validating on held-out ratings, {} settings, {}",
                                                          progress.round, duration_text(line.seconds()))
                : progress.stage == "start" ? fmt::format("dorm: initial factors, {}", duration_text(line.seconds()))
                                            : fmt::format("dorm: round {}, {}: objective {:.6g}, gap {:.2g}{}, {}",
                                                          progress.round, progress.stage, progress.objective,
                                                          progress.gap, validation, duration_text(line.seconds())));
    }
    return stop.signal() == 0;
  });
}

// The finished model with the new users of the split.
FactorModel with_new_users(FactorModel model, const SplitRatings& parts, const SideFeatures* user_features,
                           const Settings& settings) {
  if (parts.given.size() > 0) fold_in_users(model, parts.given, user_features, settings.threads);
  return model;
}

std::optional<EvalReport> test_model(const FactorModel& model, const SplitRatings& parts,
                                     const RecommendTrainArguments& arguments, const Settings& settings) {
  if (parts.test.size() == 0) return std::nullopt;
  EvaluateOptions how;
  how.convention = arguments.options.convention;
  how.threads = settings.threads;
  EvalReport report;
  report.table = evaluate(model, parts.test, score(model, parts.test), split_measures(arguments.measures), how);
  return report;
}

// Evaluated on the test ratings, or on those that chose the round.
void write_page(const RecommendTrainArguments& arguments, const SplitRatings& parts, const Ratings* validation,
                const FactorizeResult& result, const FactorModel& evaluated, bool interrupted,
                const Settings& settings) {
  if (arguments.reports.empty()) return;
  const bool tested = parts.test.size() > 0;
  const pages::FactorizationReportData report_data{
      .train = parts.train,
      .result = result,
      .held_out = tested ? &parts.test : validation,
      .held_out_name = tested ? "the test ratings" : "the validation ratings, which chose the round",
      .judged = &evaluated,
      .ratings_name = arguments.ratings,
      .model_name = arguments.model,
      .interrupted = interrupted};
  write_reports(pages::factorize_page(report_data, origin_of(settings)), arguments.reports);
}

/// Ratings that are all alike have no order: they say which items a user has had, and no more.
void refuse_constant(const Ratings& ratings, const std::string& path) {
  std::optional<float> first;
  for (std::size_t u = 0; u < ratings.num_users(); ++u)
    for (const float value : ratings.of_user(u).value)
      if (value != first.value_or(value))
        return;
      else
        first = value;
  if (first)
    throw Error(ErrorCode::bad_input, {path},
                fmt::format("nothing to learn: all {} ratings are {}; expected ratings that differ, or --implicit for "
                            "likes, plays and purchases",
                            ratings.size(), *first));
}

void train_factors(const RecommendTrainArguments& arguments, const FactorizeSearch& search, const Settings& settings) {
  arguments.options.validate();
  check_report_files(arguments.reports);
  if (!arguments.valid.empty() && arguments.valid_share != 0)
    throw Error(ErrorCode::bad_option, "--valid and --valid-share exclude each other");
  if (!arguments.test.empty() && !arguments.split.split.empty())
    throw Error(ErrorCode::bad_option, "--test and --split exclude each other");
  Ratings ratings = load_ratings(arguments.ratings, arguments.layout, settings);
  refuse_constant(ratings, arguments.ratings);
  SplitRatings parts = split_ratings(std::move(ratings), arguments.split, settings);
  if (!arguments.test.empty()) parts.test = load_ratings(arguments.test, arguments.layout, settings);
  std::optional<Ratings> validation;
  if (!arguments.valid.empty()) validation = load_ratings(arguments.valid, arguments.layout, settings);
  if (arguments.valid_share != 0) {
    RatingsSplit split = split_random(parts.train, arguments.valid_share, arguments.options.seed);
    parts.train = std::move(split.train);
    validation = std::move(split.test);
  }
  const auto item_features =
      load_side_features(arguments.item_features, arguments.item_columns, parts.train.items(), "item", settings);
  const auto user_features =
      load_side_features(arguments.user_features, arguments.user_columns, parts.train.users(), "user", settings);
  std::optional<FactorModel> warm;
  if (!arguments.warm.empty()) warm = load_factors(arguments.warm);
  const FactorizeInputs inputs = {item_features ? &*item_features : nullptr, user_features ? &*user_features : nullptr,
                                  validation ? &*validation : nullptr, warm ? &*warm : nullptr};
  const StopRequest stop;
  const FactorizeResult result =
      about_file(arguments.ratings, [&] { return learn(arguments, search, parts.train, inputs, settings, stop); });
  if (result.report.status == "nothing_to_learn")
    throw Error(ErrorCode::bad_input, {arguments.ratings},
                fmt::format("nothing to learn: {} is the same for every order of a user's ratings; expected ratings "
                            "that differ within users, or another measure, e.g. mrr:rel=4",
                            arguments.options.measure));
  const int signal = stop.signal();
  save_factors(result.model, arguments.model);
  if (result.report.finished) remove_file(arguments.options.checkpoint);
  if (signal != 0) warn(settings, "interrupted; the model is the best so far");
  const FactorModel evaluated = with_new_users(result.model, parts, inputs.user_features, settings);
  const auto test = test_model(evaluated, parts, arguments, settings);
  write_page(arguments, parts, inputs.validation, result, evaluated, signal != 0, settings);
  if (arguments.model != "-")
    print(settings.json ? factorize_json(result, parts.train, test ? &*test : nullptr, arguments.model)
                        : factorize_text(result, parts.train, test ? &*test : nullptr, arguments.model) +
                              report_lines(arguments.reports));
  if (signal != 0) throw Stopped{signal};
}

void run_recommend_train(RecommendTrainArguments arguments, const Settings& settings, const CLI::App& verb) {
  if (arguments.events.given() && declared_option(verb, "--model-type")->count() == 0) arguments.type = "implicit";
  require_option(!arguments.ratings.empty(), "RATINGS", "expected a file of user, item, rating");
  require_option(!arguments.model.empty(), "--model FILE", "expected where to write the recommender");
  check_model_type(verb, arguments.type);
  if (arguments.type == "implicit") {
    require_option(arguments.events.given(), "--implicit", "or --liked X, for models of this type");
    return train_on_events(arguments, verb, settings);
  }
  if (arguments.type == "joint") return train_joint(arguments, verb, settings);
  train_factors(arguments, searched(verb), settings);
}

}  // namespace

Action declare_recommend_train(CLI::App& app, const Settings& settings) {
  auto arguments = std::make_shared<RecommendTrainArguments>();
  add_recommend_options(app, *arguments);
  app.description(kRecommendTrainDescription);
  app.footer(fmt::format("{}\n{}\n{}", kRecommendTrainExamples, catalog_text("Decays", decay_catalog()),
                         catalog_text("Methods of joint kernels", joint_method_catalog())));
  return [arguments, &settings, &app] { run_recommend_train(*arguments, settings, app); };
}

}  // namespace dorm::cli
