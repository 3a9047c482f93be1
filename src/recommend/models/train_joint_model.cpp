// SPDX-License-Identifier: Apache-2.0
// Models over joint kernels, by the names of kernel and method.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/number.h"
#include "dorm/error.h"
#include "dorm/recommend/joint_model.h"
#include "learning/train/rounds.h"
#include "recommend/factor/grades.h"

namespace dorm {
namespace {

constexpr std::array<CatalogEntry, 4> kJointMethods = {{
    {.name = "dorm", .usage = "dorm", .help = "for the measure, any bound"},
    {.name = "ridge", .usage = "ridge[:lambda]", .help = "squared loss on ratings less the mean of their user (0.001)"},
    {.name = "jrank", .usage = "jrank[:passes]", .help = "one ranking perceptron for all users (5)"},
    {.name = "prank", .usage = "prank[:passes]", .help = "a ranking perceptron for each user alone (5)"},
}};

struct JointMethod {
  std::string_view name;
  std::optional<double> number;
};

JointMethod parse_joint_method(std::string_view text) {
  const std::size_t colon = text.find(':');
  for (const CatalogEntry& entry : kJointMethods) {
    if (entry.name != text.substr(0, colon)) continue;
    if (colon == std::string_view::npos) return {entry.name, std::nullopt};
    double value = 0;
    const bool whole = entry.name != "ridge";
    if (entry.name == "dorm" || parse_number(text.substr(colon + 1), value) != NumberKind::finite || value <= 0 ||
        (whole && value != static_cast<double>(static_cast<std::uint32_t>(std::min(value, 1e9)))))
      throw Error(ErrorCode::bad_option, fmt::format("method \"{}\"; expected {}{}", text, entry.usage,
                                                     entry.name == "dorm" ? ""
                                                     : whole              ? " with a whole number above 0"
                                                                          : " with a number above 0"));
    return {entry.name, value};
  }
  throw_unknown_name("method", text.substr(0, colon), kJointMethods);
}

PerceptronOptions perceptron_of(const JointMethod& method, std::uint64_t seed) {
  PerceptronOptions options{.seed = seed};
  if (method.number) options.passes = static_cast<std::size_t>(*method.number);
  return options;
}

Certificate certificate_of(const SolveReport& solve) {
  return {solve.primal, solve.dual, solve.gap, std::string(name_of(solve.status))};
}

void learn_dorm(const Ratings& ratings, const JointOptions& options, const Observer& observer, JointModel& model) {
  const bool stretched = model.grades.apply_to(options.measure, options.convention);
  JointResult result =
      train_joint(model.similarities, stretched ? labelled(ratings, model.grades) : ratings, options, observer);
  model.ranker = std::move(result.ranker);
  model.certificate = certificate_of(result.solve);
  model.explained_risk = result.explained_risk;
  model.dropped = result.dropped;
  model.measure = options.measure;
  model.convention = options.convention;
  model.decay = options.decay;
  model.bound = name_of(options.bound);
  model.solver = solver_name(options.solve.solver);
  model.C = options.C;
  model.paper_C = options.paper_C;
  model.tolerance = options.solve.tolerance;
}

}  // namespace

std::span<const CatalogEntry> joint_method_catalog() { return kJointMethods; }

JointModelOptions joint_model_options(const TrainOptions& from, const std::string& method, const std::string& kernel) {
  JointModelOptions options{.method = method, .kernel = kernel};
  options.train.measure = from.measure;
  options.train.convention = from.convention;
  options.train.decay = from.decay;
  options.train.bound = from.bound.value_or(options.train.bound);
  options.train.C = from.C;
  options.train.paper_C = from.paper_C;
  options.train.rounds = from.rounds;
  options.train.solve = from.solve;
  options.train.compute = from.compute;
  return options;
}

void JointModelOptions::validate() const {
  if (parse_joint_method(method).name == "dorm") train.validate();
}

JointModel train_joint_model(const Ratings& ratings, const JointModelOptions& options, const JointInputs& inputs,
                             const Observer& observer) {
  options.validate();
  const JointMethod method = parse_joint_method(options.method);
  JointKernelText kernel(options.kernel, inputs);
  if (method.name == "prank") kernel = kernel.for_users_alone();
  if (ratings.size() == 0) throw Error(ErrorCode::bad_input, "no ratings to learn from");
  JointModel model;
  model.kernel = kernel.spelling();
  model.method = options.method;
  model.known = ratings;
  model.trained_users = ratings.num_users();
  if (inputs.user_features) model.user_features = *inputs.user_features;
  if (inputs.item_features) model.item_features = *inputs.item_features;
  if (inputs.users) model.own_users = *inputs.users;
  if (inputs.items) model.own_items = *inputs.items;
  model.similarities = {kernel.users(ratings, inputs), kernel.items(ratings, inputs)};
  model.grades = grades_of(ratings);
  model.seed = options.train.solve.seed;
  if (inputs.item_features) set_titles(model, *inputs.item_features);
  if (method.name == "dorm")
    learn_dorm(ratings, options.train, observer, model);
  else if (method.name == "ridge")
    model.ranker = train_joint_ridge(model.similarities, ratings, method.number.value_or(1e-3));
  else if (method.name == "jrank")
    model.ranker = train_jrank(model.similarities, ratings, perceptron_of(method, model.seed));
  else
    model.ranker = train_prank(model.similarities.items, ratings, perceptron_of(method, model.seed));
  return model;
}

}  // namespace dorm
