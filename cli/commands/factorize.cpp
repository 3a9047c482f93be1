// SPDX-License-Identifier: Apache-2.0
// `dorm factorize`: from ratings to a recommender.
#include "dorm/recommend/factorize.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <optional>

#include "command.h"
#include "dorm/error.h"
#include "dorm/oracle.h"
#include "help.h"
#include "input.h"
#include "option_group.h"
#include "output.h"
#include "progress.h"
#include "ratings_input.h"
#include "report_files.h"
#include "stop.h"
#include "text/eval_text.h"
#include "text/factorize_text.h"
#include "usage.h"
#include "written_files.h"

namespace dorm::cli {
namespace {

constexpr const char* kFactorizeDescription =
    "Learn a recommender from ratings, for the measure you report.\n"
    "\n"
    "The score of an item for a user is offset + <U, V>. A squared-loss factorization comes first; rounds "
    "of\n"
    "two convex problems (all items, then each user) then lower a bound on the measure of every user's "
    "list,\n"
    "regularised towards that start. How strongly, how many rounds, and what the start knows are chosen by\n"
    "held-out training ratings unless given (--fixed: not at all). With --valid or --valid-share the best\n"
    "round is kept. The same options give the same model, whatever the number of threads. Ctrl-C stops and\n"
    "writes the best so far.";

constexpr const char* kFactorizeExamples =
    "Examples:\n"
    "  dorm factorize u.data --model m.factors\n"
    "  dorm factorize u.data --model m.factors --item-features u.item --rank 20\n"
    "  dorm factorize ratings.csv --model m.factors --split given:10 --split-seed 3\n"
    "  dorm factorize ratings.dat --model m.factors --valid-share 0.1 --rounds 10 --checkpoint m.ck\n";

constexpr NumberRange kPositiveOrInfinite = {.above_low = true, .infinite = true};
constexpr NumberRange kShare = {.high = 1, .below_high = true};

/// Options that are chosen by held-out ratings unless they are given.
struct GivenOptions {
  CLI::Option *start_lambda = nullptr, *lambda = nullptr, *rounds = nullptr, *implicit = nullptr, *neighbours = nullptr,
              *item_damping = nullptr, *item_prior = nullptr;

  FactorizeSearch others() const {
    const auto absent = [](const CLI::Option* option) { return option->count() == 0; };
    return {absent(start_lambda), absent(lambda),     absent(rounds),
            absent(implicit),     absent(neighbours), absent(item_damping) && absent(item_prior)};
  }
};

struct FactorizeArguments {
  std::string ratings, model, valid, test, item_features, item_columns, user_features, user_columns, warm;
  std::string layout = "auto";
  std::string measures = "ndcg@10,ndcg";
  double valid_share = 0;
  bool uncentred = false, fixed = false;
  GivenOptions given;
  SplitArguments split;
  FactorizeOptions options;
  std::vector<std::string> reports;
};

FactorizeResult learn(const FactorizeArguments& arguments, const Ratings& train, const FactorizeInputs& inputs,
                      const Settings& settings, const StopRequest& stop) {
  FactorizeOptions options = arguments.options;
  options.threads = settings.threads;
  options.centred = !arguments.uncentred;
  options.keep_checkpoint = true;
  if (!arguments.fixed) options.search = arguments.given.others();
  if (inputs.validation != nullptr) options.search.rounds = false;  // validation chooses the round
  LiveLine line;
  return factorize(train, options, inputs, [&](const FactorizeProgress& progress) {
    if (!settings.quiet && line.due()) {
      const std::string validation =
          std::isnan(progress.validation) ? "" : fmt::format(", validation {:.4f}", progress.validation);
      line.show(progress.stage == "choice"  ? fmt::format("dorm: choosing by held-out ratings, {} settings tried, {}",
                                                          progress.round, duration_text(line.seconds()))
                : progress.stage == "start" ? fmt::format("dorm: squared-loss start, {}", duration_text(line.seconds()))
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
                                     const FactorizeArguments& arguments, const Settings& settings) {
  if (parts.test.size() == 0) return std::nullopt;
  EvaluateOptions how;
  how.convention = arguments.options.convention;
  how.threads = settings.threads;
  EvalReport report;
  report.table = evaluate(model, parts.test, score(model, parts.test), split_measures(arguments.measures), how);
  return report;
}

// Judged by the test ratings, or by those that the round was chosen by.
void write_page(const FactorizeArguments& arguments, const SplitRatings& parts, const Ratings* validation,
                const FactorizeResult& result, const FactorModel& judged, bool interrupted, const Settings& settings) {
  if (arguments.reports.empty()) return;
  const bool tested = parts.test.size() > 0;
  const pages::FactorizationReportData report_data{
      .train = parts.train,
      .result = result,
      .held_out = tested ? &parts.test : validation,
      .held_out_name = tested ? "the test ratings" : "the validation ratings, which chose the round",
      .judged = &judged,
      .ratings_name = arguments.ratings,
      .model_name = arguments.model,
      .interrupted = interrupted};
  write_reports(pages::factorize_page(report_data, origin_of(settings)), arguments.reports);
}

void run_factorize(const FactorizeArguments& arguments, const Settings& settings) {
  require_option(!arguments.ratings.empty(), "RATINGS", "expected a file of user, item, rating");
  require_option(!arguments.model.empty(), "--model FILE", "expected where to write the recommender");
  arguments.options.validate();
  check_report_files(arguments.reports);
  if (!arguments.valid.empty() && arguments.valid_share != 0)
    throw Error(ErrorCode::bad_option, "--valid and --valid-share exclude each other");
  if (!arguments.test.empty() && !arguments.split.split.empty())
    throw Error(ErrorCode::bad_option, "--test and --split exclude each other");
  SplitRatings parts =
      split_ratings(load_ratings(arguments.ratings, arguments.layout, settings), arguments.split, settings);
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
      about_file(arguments.ratings, [&] { return learn(arguments, parts.train, inputs, settings, stop); });
  const int signal = stop.signal();
  save_factors(result.model, arguments.model);
  if (result.report.finished) remove_file(arguments.options.checkpoint);
  if (signal != 0) warn(settings, "interrupted; the model is the best so far");
  const FactorModel judged = with_new_users(result.model, parts, inputs.user_features, settings);
  const auto test = test_model(judged, parts, arguments, settings);
  write_page(arguments, parts, inputs.validation, result, judged, signal != 0, settings);
  if (arguments.model != "-")
    print(settings.json ? factorize_json(result, parts.train, test ? &*test : nullptr, arguments.model)
                        : factorize_text(result, parts.train, test ? &*test : nullptr, arguments.model) +
                              report_lines(arguments.reports));
  if (signal != 0) throw Stopped{signal};
}

void add_learning_options(CLI::App& app, FactorizeArguments& arguments) {
  FactorizeOptions& o = arguments.options;
  GivenOptions& given = arguments.given;
  const OptionGroup problem(app, "Learning problem"), stopping(app, "Stopping");
  problem.number("--rank", o.rank, whole_from(0, 1e5), "K", fmt::format("factors of users and items ({})", o.rank));
  problem.add("--measure", o.measure, "NAME", fmt::format("what to train for ({})", o.measure));
  problem.add("--convention", o.convention, "NAME", "of the measure (standard)");
  problem.add("--bound", o.bound, "NAME", fmt::format("given, average, best or predicted ({})", o.bound));
  problem.add("--decay", o.decay, "NAME", fmt::format("position weights of the ranking score ({})", o.decay));
  given.lambda = problem.number("--lambda", o.lambda, number_above(0), "X",
                                fmt::format("of the ranking objective (chosen, else {})", o.lambda));
  problem.number("--margin", o.margin, number_above(0), "X",
                 fmt::format("scale of the measure, in stars ({})", o.margin));
  given.rounds = problem.number("--rounds", o.rounds, whole_from(0), "N",
                                fmt::format("of item and user steps; 0: the start alone (chosen, else {})", o.rounds));
  problem.flag("--uncentred", arguments.uncentred, "regularise towards 0 instead of the start");
  given.start_lambda =
      problem.number("--start-lambda", o.start_lambda, kPositiveOrInfinite, "X",
                     fmt::format("ridge of the start; inf: item means alone (chosen, else {})", o.start_lambda));
  problem.number("--start-sweeps", o.start_sweeps, whole_from(0, 1e4), "N",
                 fmt::format("of least squares ({})", o.start_sweeps));
  given.implicit =
      problem.number("--implicit", o.implicit, number_from(0), "X",
                     fmt::format("ridge of the table of what being rated says; 0: none (chosen, else {})", o.implicit));
  given.neighbours = problem.number(
      "--neighbours", o.neighbours, whole_from(0, 1000), "K",
      fmt::format("item features from who rated them together; 0: none (chosen, else {})", o.neighbours));
  given.item_damping =
      problem.number("--item-damping", o.item_damping, number_from(0), "X",
                     fmt::format("ratings that damp an item's mean (learnt, else {})", o.item_damping));
  given.item_prior =
      problem.number("--item-prior", o.item_prior, any_number(), "X",
                     fmt::format("where they lie, in stars above the mean (learnt, else {})", o.item_prior));
  problem.flag("--fixed", arguments.fixed, "choose nothing: what is not given has the value after 'else'");
  stopping.number("--tolerance", o.tolerance, number_within(0, 1), "X",
                  fmt::format("relative duality gap of a half step ({})", o.tolerance));
  stopping.number("--passes", o.max_passes, whole_from(1), "N",
                  fmt::format("over the users in an item step ({})", o.max_passes));
  stopping.number("--patience", o.patience, whole_from(0), "N",
                  fmt::format("rounds without a better validation value ({})", o.patience));
  stopping.number("--time-limit", o.seconds, number_from(0), "S", "seconds; 0: none (0)");
  stopping.number("--seed", o.seed, whole_from(0), "S",
                  fmt::format("of the first factors and the order of users ({})", o.seed));
}

}  // namespace

Action declare_factorize(CLI::App& app, const Settings& settings) {
  auto arguments = std::make_shared<FactorizeArguments>();
  const OptionGroup files(app, "Files"), split(app, "Split");
  app.add_option("RATINGS", arguments->ratings,
                 "user, item, rating per line; tab, comma, :: or blanks; .gz and .zst too");
  written(files.add("--model", arguments->model, "FILE", "where to write the recommender"));
  add_layout_option(app, arguments->layout, "Files");
  files.add("--valid", arguments->valid, "FILE", "ratings to choose the round by");
  files.number("--valid-share", arguments->valid_share, kShare, "X",
               "take this share of the training ratings for that");
  files.add("--test", arguments->test, "FILE", "ratings to report measures on");
  files.add("--item-features", arguments->item_features, "FILE",
            "id and features of the items, e.g. genres; a column of titles is kept\nfor dorm recommend");
  files.add("--item-columns", arguments->item_columns, "LIST", "columns of that file, e.g. 6-24 (trailing numbers)");
  files.add("--user-features", arguments->user_features, "FILE", "id and features of the users");
  files.add("--user-columns", arguments->user_columns, "LIST", "columns of that file");
  files.add("--start-from", arguments->warm, "MODEL", "start from this model instead of the squared loss");
  written(files.add("--checkpoint", arguments->options.checkpoint, "FILE",
                    "save progress here, and go on from it when it exists"));
  add_report_option(app, arguments->reports, "page about the recommender", "Files");
  add_split_options(app, arguments->split);
  split.list("--measures", arguments->measures, "LIST", "to report on test ratings (ndcg@10,ndcg)");
  add_learning_options(app, *arguments);
  app.description(kFactorizeDescription);
  app.footer(fmt::format("{}\n{}", kFactorizeExamples, catalog_text("Decays", decay_catalog())));
  return [arguments, &settings] { run_factorize(*arguments, settings); };
}

}  // namespace dorm::cli
