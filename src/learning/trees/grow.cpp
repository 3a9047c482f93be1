// SPDX-License-Identifier: Apache-2.0
#include "dorm/learning/grow.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "base/numeric.h"
#include "dorm/error.h"
#include "dorm/evaluate.h"
#include "dorm/model.h"
#include "dorm/objective.h"
#include "learning/train/describe.h"
#include "learning/trees/lightgbm.h"
#include "model/features/scatter.h"

namespace dorm {
namespace {

constexpr std::array<CatalogEntry, 3> kLosses = {{
    {.name = "lambdarank", .usage = "", .help = "LambdaMART; needs whole labels from 0 to 30"},
    {.name = "dorm", .usage = "", .help = "the loss of DORM for the measure (docs/objective.md)"},
    {.name = "regression", .usage = "", .help = "squared error on labels"},
}};
constexpr float kLargestGrade = 30;
constexpr std::size_t kLeastTruncation = 30, kBeyondCutoff = 20;  // positions that lambdarank looks at

/// Shared by the data and every training on it.
constexpr const char* kParameters =
    "verbosity=-1 num_threads=1 deterministic=true force_row_wise=true feature_pre_filter=false";

std::size_t cutoff_of(const std::string& measure) {
  const std::size_t at = measure.find('@');
  return at == std::string::npos ? 0 : static_cast<std::size_t>(std::strtoul(measure.c_str() + at + 1, nullptr, 10));
}

std::string parameters_of(const GrowOptions& options) {
  std::string loss = options.loss == TreeLoss::dorm ? "none" : std::string(name_of(options.loss));
  if (options.loss == TreeLoss::lambdarank)
    loss += fmt::format(" lambdarank_truncation_level={}",
                        std::max(kLeastTruncation, cutoff_of(options.measure) + kBeyondCutoff));
  std::string signs;
  for (const std::int8_t sign : options.signs)
    signs += fmt::format("{}{}", signs.empty() ? " monotone_constraints=" : ",", int{sign});
  return fmt::format("{} objective={} num_leaves={} learning_rate={:.17g} min_data_in_leaf={} seed={}{}", kParameters,
                     loss, options.leaves, options.rate, options.least_documents, options.seed, signs);
}

double mean_of_some(std::span<const double> values, int parity) {
  CompensatedSum sum;
  std::size_t count = 0;
  for (std::size_t q = 0; q < values.size(); ++q)
    if (!std::isnan(values[q]) && (parity < 0 || static_cast<int>(q % 2) == parity)) sum.add(values[q]), ++count;
  return count == 0 ? std::numeric_limits<double>::quiet_NaN() : sum.value() / static_cast<double>(count);
}

}  // namespace

/// The best round by some of the validation queries.
struct BestRound {
  int parity;  // of the queries; -1: all
  double mean = -std::numeric_limits<double>::infinity();
  std::size_t round = 0;
  std::vector<double> values = {}, scores = {};

  void see(std::size_t at, std::span<const double> per_query, std::span<const double> of_documents) {
    const double now = mean_of_some(per_query, parity);
    if (!(now > mean)) return;
    mean = now;
    round = at;
    values.assign(per_query.begin(), per_query.end());
    scores.assign(of_documents.begin(), of_documents.end());
  }
};

std::span<const CatalogEntry> tree_loss_catalog() { return kLosses; }

std::string_view name_of(TreeLoss loss) { return kLosses[static_cast<std::size_t>(loss)].name; }

TreeLoss parse_tree_loss(std::string_view name) {
  for (std::size_t i = 0; i < kLosses.size(); ++i)
    if (kLosses[i].name == name) return static_cast<TreeLoss>(i);
  throw_unknown_name("loss of trees", name, kLosses);
}

bool fits(TreeLoss loss, const Dataset& data) {
  if (loss != TreeLoss::lambdarank) return true;
  for (std::size_t q = 0; q < data.num_queries(); ++q)
    for (const float label : data.query(q).labels)
      if (!(label >= 0 && label <= kLargestGrade) || label != std::floor(label)) return false;
  return true;
}

void GrowOptions::validate() const {
  const auto refuse = [](const char* name, auto value, const char* expected) {
    throw Error(ErrorCode::bad_option, fmt::format("{} is {}; expected {}", name, value, expected));
  };
  if (leaves < 2 || leaves > 131072) refuse("leaves", leaves, "from 2 to 131072");
  if (!(rate > 0 && rate <= 1)) refuse("rate", rate, "more than 0, at most 1");
  if (rounds < 1 || rounds > 100000) refuse("rounds", rounds, "from 1 to 100000");
  if (patience < 1) refuse("patience", patience, "1 or more");
  if (least_documents < 1) refuse("least_documents", least_documents, "1 or more");
}

struct TreeGrower::State {
  std::shared_ptr<const LightGbm> library;
  const Dataset& train;
  const Dataset* validation;
  LightGbm::Handle bins, held_bins;

  GrownTrees read(void* booster, std::size_t rounds) const;
  std::vector<double> validate(const GrowOptions& options, const std::vector<double>& scores) const;
};

TreeGrower::TreeGrower(std::shared_ptr<const LightGbm> library, const Dataset& train, const Dataset* validation) {
  LightGbm::Handle bins = library->dataset(train, kParameters, nullptr);
  LightGbm::Handle held(nullptr, bins.get_deleter());
  if (validation) held = library->dataset(*validation, kParameters, bins.get());
  state_ = std::make_unique<State>(State{std::move(library), train, validation, std::move(bins), std::move(held)});
}

TreeGrower::~TreeGrower() = default;

/// By the names that the data has for its columns: LightGBM knows their places only.
GrownTrees TreeGrower::State::read(void* booster, std::size_t rounds) const {
  GrownTrees grown;
  grown.rounds = rounds;
  grown.trees = read_trees(library->text(booster, rounds), "LightGBM");
  grown.trees.features.clear();
  for (std::size_t j = 0; j < train.num_features(); ++j) grown.trees.features.push_back(train.feature_name(j));
  grown.trees.by_number = false;
  const std::vector<double> scores = score(model_of(grown.trees), train, 1);
  grown.spread = std::sqrt(score_scatter(train, scores) / static_cast<double>(std::max<std::size_t>(1, scores.size())));
  return grown;
}

std::vector<double> TreeGrower::State::validate(const GrowOptions& options, const std::vector<double>& scores) const {
  const std::vector<std::string> measures = {options.validated.empty() ? options.measure : options.validated};
  const EvaluateOptions evaluation{.convention = options.convention,
                                   .ties = options.one_per.empty() ? "expected" : "",
                                   .one_per = options.one_per,
                                   .bootstrap = 0,
                                   .threads = 1};
  return evaluate(*validation, scores, measures, evaluation).measures[0].per_query;
}

/// One training: the rounds so far, and the best ones.
class TreeGrower::Boosting {
 public:
  Boosting(const State& state, const GrowOptions& options)
      : state_(state),
        options_(options),
        library_(*state.library),
        booster_(library_.booster(state.bins.get(), state.held_bins.get(), parameters_of(options))) {
    if (options.loss == TreeLoss::dorm) make_objective();
  }

  /// One more tree; false: there is nothing to split, or no better round for a while.
  bool step() {
    if (!(objective_ ? update_by_objective() : library_.update(booster_.get()))) return false;
    ++round_;
    if (!state_.validation) return true;
    library_.scores(booster_.get(), 1, scores_);
    const std::vector<double> values = state_.validate(options_, scores_);
    for (BestRound* best : {&all_, &even_, &odd_}) best->see(round_, values, scores_);
    latest_ = mean_of_some(values, -1);
    return round_ < std::max({all_.round, even_.round, odd_.round}) + options_.patience;
  }

  GrowProgress progress() const { return {round_, options_.rounds, latest_}; }

  GrownTrees result() {
    GrownTrees grown = state_.read(booster_.get(), state_.validation && all_.round > 0 ? all_.round : round_);
    if (state_.validation) add_held_out(grown);
    return grown;
  }

 private:
  void make_objective() {
    std::vector<std::uint64_t> ends;
    std::vector<double> weights;
    std::vector<float> labels;
    for (std::size_t q = 0; q < state_.train.num_queries(); ++q) {
      const Query query = state_.train.query(q);
      labels.insert(labels.end(), query.labels.begin(), query.labels.end());
      ends.push_back(labels.size());
      weights.push_back(query.weight);
    }
    const ObjectiveOptions options{
        .measure = options_.measure, .convention = options_.convention, .seed = options_.seed, .threads = 1};
    objective_.emplace(labels, ends, options, weights);
    gradient_.resize(labels.size());
    curvature_.resize(labels.size());
  }

  bool update_by_objective() {
    library_.scores(booster_.get(), 0, scores_);
    objective_->gradient(scores_, round_, gradient_, curvature_);
    const std::vector<float> slopes(gradient_.begin(), gradient_.end());
    const std::vector<float> curvatures(curvature_.begin(), curvature_.end());
    return library_.update(booster_.get(), slopes.data(), curvatures.data());
  }

  /// Of each query the values and scores at the round that the others chose.
  void add_held_out(GrownTrees& grown) {
    const Dataset& held = *state_.validation;
    if (all_.values.empty()) {
      all_.scores.assign(held.num_documents(), 0);
      all_.values = state_.validate(options_, all_.scores);
    }
    grown.per_query = all_.values;
    grown.held_scores = all_.scores;
    for (std::size_t q = 0; q < grown.per_query.size(); ++q) {
      const BestRound& other = q % 2 == 0 ? odd_ : even_;
      if (other.values.empty()) continue;
      grown.per_query[q] = other.values[q];
      for (std::size_t i = held.first_document(q); i < held.first_document(q + 1); ++i)
        grown.held_scores[i] = other.scores[i];
    }
    grown.validation = mean_of_some(grown.per_query, -1);
  }

  const State& state_;
  const GrowOptions& options_;
  const LightGbm& library_;
  LightGbm::Handle booster_;
  std::optional<Objective> objective_;
  std::vector<double> scores_, gradient_, curvature_;
  std::size_t round_ = 0;
  double latest_ = std::numeric_limits<double>::quiet_NaN();
  BestRound all_{-1}, even_{0}, odd_{1};
};

GrownTrees TreeGrower::grow(const GrowOptions& options, const GrowObserver& observer) const {
  options.validate();
  if (!fits(options.loss, state_->train))
    throw Error(ErrorCode::bad_input, fmt::format("lambdarank needs whole labels from 0 to {}; expected the loss dorm "
                                                  "or regression for others",
                                                  kLargestGrade));
  Boosting boosting(*state_, options);
  bool stopped = false;
  while (!stopped && boosting.progress().round < options.rounds && boosting.step())
    stopped = observer && !observer(boosting.progress());
  GrownTrees grown = boosting.result();
  grown.stopped = stopped;
  return grown;
}

Model model_of(GrownTrees grown, const Dataset& train, const GrowOptions& options) {
  Model model = model_of(std::move(grown.trees));
  describe(model, {.measure = options.loss == TreeLoss::dorm ? options.measure : options.validated,
                   .convention = options.convention,
                   .one_per = options.one_per,
                   .start = std::string(name_of(options.loss)),
                   .rounds = grown.rounds,
                   .seed = options.seed,
                   .validation = grown.validation,
                   .data = summary_of(train)});
  if (model.measure.empty()) model.measure = options.measure;
  model.method = "lightgbm";
  model.data.usable_queries = model.data.queries;
  return model;
}

}  // namespace dorm
