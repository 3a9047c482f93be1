// SPDX-License-Identifier: Apache-2.0
#include "options/few_options.h"

#include <fmt/format.h>

#include "command_line.h"
#include "dorm/error.h"
#include "dorm/read.h"
#include "report/pages/few_section.h"
#include "run/output.h"
#include "run/progress.h"
#include "text/messages.h"

namespace dorm::cli {

namespace {

/// The measure by number of features, with the features.
std::string few_text(const TrainingData& data, const TrainingArguments& arguments) {
  const FeaturePath& path = *data.few;
  const bool costs = !arguments.few.costs.empty();
  std::vector<std::vector<std::string>> rows = {
      {"features", arguments.options.measure, "95 % interval", "dropped next"}};
  if (costs) rows[0].insert(rows[0].begin() + 1, "cost");
  std::size_t marked = 0;
  for (std::size_t k = 0; k < path.steps.size(); ++k) {
    const FeatureStep& step = path.steps[k];
    std::string dropped = fmt::format("{}", fmt::join(pages::left_out_after(path, k), ", "));
    constexpr std::size_t kWidest = 48;
    if (dropped.size() > kWidest) dropped = fmt::format("{} features", pages::left_out_after(path, k).size());
    rows.push_back({std::to_string(step.features.size()), fmt::format("{:.4f}", step.validated.mean),
                    fmt::format("[{:.4f}, {:.4f}]", step.validated.low, step.validated.high), dropped});
    if (costs) rows.back().insert(rows.back().begin() + 1, fmt::format("{:.4g}", step.cost));
    if (step.delivered) marked = k + 1;
  }
  return fmt::format("features     {} of {}: {}\nby number of features, {}:\n\n{}\n", path.delivered().features.size(),
                     path.steps.front().features.size(), fmt::join(path.delivered().features, ", "),
                     data.valid ? "on the validation data"
                                : fmt::format("on {} folds, each of which drops its own", arguments.few.folds),
                     aligned(rows, marked));
}

}  // namespace

void refuse_few_features(const TrainingArguments& arguments, bool other) {
  if (other && arguments.few.budget > 0)
    throw Error(ErrorCode::unsupported,
                "--at-most chooses features for weights that one process learns from one table; it excludes --stream, "
                "--method, --plan, --position-gains and --topics");
}

void choose_features(TrainingArguments& arguments, TrainingData& data, const Settings& settings) {
  FewFeatures& few = arguments.few;
  if (few.budget == 0) return;
  if (!arguments.feature_costs.empty()) few.costs = costs_of(read_feature_costs(arguments.feature_costs), data.train);
  TrainOptions options = arguments.options;
  options.compute.threads = settings.threads;
  std::optional<LiveLine> line(std::in_place);
  const auto watch = [&](double share) {
    if (!settings.quiet && line->due()) line->show(share, "choosing features");
    return true;
  };
  about_file(arguments.data, [&] { data.few = few_features(data.train, few, options, data.validation(), watch); });
  line.reset();
  const std::vector<std::string>& chosen = data.few->delivered().features;
  data.train = with_features(data.train, chosen, settings.threads);
  if (data.valid) data.valid = with_features(*data.valid, chosen, settings.threads);
  if (data.test) data.test = with_features(*data.test, chosen, settings.threads);
  arguments.options = with_features(arguments.options, chosen);
  if (!settings.json && arguments.model != "-") print(few_text(data, arguments));
}

Json few_json(const FeaturePath& path) {
  Json steps = Json::array();
  for (const FeatureStep& step : path.steps)
    steps.push_back({{"features", step.features},
                     {"cost", step.cost},
                     {"mean", step.validated.mean},
                     {"interval", {step.validated.low, step.validated.high}},
                     {"queries", step.validated.queries},
                     {"delivered", step.delivered}});
  return {{"features", path.delivered().features}, {"steps", std::move(steps)}};
}

}  // namespace dorm::cli
