// SPDX-License-Identifier: Apache-2.0
#include "recommend/factor/choose.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "recommend/factor/factor_start.h"
#include "recommend/factor/held_out.h"
#include "recommend/factor/refine.h"
#include "recommend/factor/squared_loss.h"

namespace dorm {
namespace {

constexpr std::array kRidges{0.6, 0.8, 1.0, 1.3};  // of the start, in units of the noise
constexpr std::array kLambdas{1.0, 2.0};           // of the rounds, see round_lambda
constexpr double kImplicit = 2;
constexpr std::size_t kNeighbours = 20, kRounds = 2;
constexpr double kCaution = 0.5;  // standard errors that a gain must be worth
constexpr std::size_t kMostRatings = 100'000, kMostRank = 20, kFewRatings = 15'000, kFewestLists = 20;
constexpr double kMeansAlone = std::numeric_limits<double>::infinity();

/// What multiples of lambda are taken of: the fixed value, or the noise where it is stronger.
double round_lambda(double noise) { return std::max(FactorizeOptions().lambda, noise); }

struct Tried {
  FactorCandidate setting;
  double multiple = kMeansAlone;    // of the noise ridge
  std::vector<FactorModel> models;  // by fold
  std::vector<double> values;       // by user: mean over the draws, NaN where there is no list
  double safe_gain() const { return setting.gain - kCaution * setting.error; }
};

class Chooser {
 public:
  Chooser(const Ratings& train, const FactorizeOptions& asked, const FactorizeInputs& inputs, ThreadPool& pool,
          const std::function<bool(std::size_t)>& go_on);

  bool can_judge() const { return lists_ >= kFewestLists; }
  /// False when it was stopped.
  bool run();
  ChosenOptions result(bool whole) const;

 private:
  struct Terms {
    double implicit = 0;
    std::size_t neighbours = 0;
    bool operator==(const Terms&) const = default;
  };
  bool go_on();
  FactorizeOptions options_of(const Terms& terms) const;
  const std::vector<FactorModel>& unlearnt(const Terms& terms);
  void try_means();
  void try_start(double multiple, const Terms& terms);
  void try_rounds(std::size_t start, double multiple);
  void judge(Tried&& tried);
  void search_starts();
  void search_terms();
  void search_rounds();
  bool allowed(const FactorCandidate& setting) const;
  std::optional<std::size_t> best(const std::function<bool(const Tried&)>& among) const;

  const FactorizeOptions& asked_;
  const FactorizeSearch search_;
  FactorizeInputs inputs_;  // features only
  ThreadPool& pool_;
  const std::function<bool(std::size_t)>& go_on_;
  bool wanted_ = true;
  FactorModel whole_;  // of all ratings, without factors
  double noise_ = 0;   // of all ratings
  Ratings sample_;
  std::vector<HeldOut> folds_;
  std::size_t lists_ = 0;
  std::vector<Tried> tried_;
  std::vector<std::pair<Terms, std::vector<FactorModel>>> unlearnt_;  // by terms; a model per fold
};

Chooser::Chooser(const Ratings& train, const FactorizeOptions& asked, const FactorizeInputs& inputs, ThreadPool& pool,
                 const std::function<bool(std::size_t)>& go_on)
    : asked_(asked),
      search_(asked.search),
      inputs_{inputs.item_features, inputs.user_features, nullptr, nullptr},
      pool_(pool),
      go_on_(go_on) {
  FactorizeOptions bare = asked;
  bare.rank = bare.neighbours = 0;
  bare.implicit = 0;
  whole_ = unlearnt_model(train, bare, {}, pool);
  noise_ = noise_ridge(whole_, train);
  sample_ = sample_users(train, kMostRatings, asked.seed);
  const std::size_t draws = sample_.size() < kFewRatings ? 2 : 1;
  for (std::size_t draw = 0; draw < draws; ++draw)
    for (HeldOut& fold : hold_out_halves(sample_, asked.seed + draw)) folds_.push_back(std::move(fold));
  for (std::size_t u = 0; u < sample_.num_users(); ++u)
    lists_ += folds_[0].valid.of_user(u).size() > 1 || folds_[1].valid.of_user(u).size() > 1;
}

bool Chooser::go_on() { return wanted_ = wanted_ && go_on_(tried_.size()); }

FactorizeOptions Chooser::options_of(const Terms& terms) const {
  FactorizeOptions options = asked_;
  options.search = {};
  options.rank = std::min(asked_.rank, kMostRank);
  options.implicit = terms.implicit;
  options.neighbours = terms.neighbours;
  options.item_damping = whole_.options.item_damping;
  options.item_prior = whole_.options.item_prior;
  options.checkpoint.clear();
  return options;
}

const std::vector<FactorModel>& Chooser::unlearnt(const Terms& terms) {
  for (const auto& [known, models] : unlearnt_)
    if (known == terms) return models;
  std::vector<FactorModel> models;
  for (const HeldOut& fold : folds_) models.push_back(unlearnt_model(fold.train, options_of(terms), inputs_, pool_));
  return unlearnt_.emplace_back(terms, std::move(models)).second;
}

void Chooser::try_means() {
  Tried means;
  means.setting.start_lambda = kMeansAlone;
  FactorizeOptions options = options_of({});
  options.rank = 0;
  for (const HeldOut& fold : folds_) means.models.push_back(unlearnt_model(fold.train, options, {}, pool_));
  judge(std::move(means));
}

void Chooser::try_start(double multiple, const Terms& terms) {
  Tried tried;
  tried.multiple = multiple;
  tried.setting = {.start_lambda = multiple * noise_, .implicit = terms.implicit, .neighbours = terms.neighbours};
  for (std::size_t fold = 0; fold < folds_.size() && go_on(); ++fold) {
    FactorModel model = unlearnt(terms)[fold];
    model.options.start_lambda = multiple * noise_ridge(model, folds_[fold].train);
    fit_squared_loss(model, folds_[fold].train, pool_, [&](std::size_t) { return go_on(); });
    tried.models.push_back(std::move(model));
  }
  if (wanted_) judge(std::move(tried));
}

void Chooser::try_rounds(std::size_t start, double multiple) {
  Tried tried;
  tried.multiple = tried_[start].multiple;
  tried.setting = tried_[start].setting;
  tried.setting.lambda = multiple * round_lambda(noise_);
  tried.setting.rounds = search_.rounds ? kRounds : asked_.rounds;
  for (std::size_t fold = 0; fold < folds_.size() && wanted_; ++fold) {
    FactorModel model = tried_[start].models[fold];
    model.options.lambda = multiple * round_lambda(noise_ridge(model, folds_[fold].train));
    model.options.rounds = tried.setting.rounds;
    tried.models.push_back(refined(std::move(model), folds_[fold].train, pool_, [&] { return go_on(); }));
  }
  if (wanted_) judge(std::move(tried));
}

// Values of the held-out lists, and what they gain over those of the item means, which were tried first.
void Chooser::judge(Tried&& tried) {
  std::vector<double> sums(sample_.num_users(), 0.0), counts(sample_.num_users(), 0.0);
  const std::string measures[] = {asked_.measure};
  const EvaluateOptions how{.convention = asked_.convention, .bootstrap = 0, .threads = 1};
  for (std::size_t fold = 0; fold < folds_.size(); ++fold) {
    const Ratings& valid = folds_[fold].valid;
    const std::vector<double> scores = score(tried.models[fold], valid);
    const EvaluationTable table = evaluate(whole_, valid, scores, measures, how);
    std::size_t query = 0;
    for (std::size_t u = 0; u < valid.num_users(); ++u) {
      if (valid.of_user(u).size() == 0) continue;
      const double value = table.measures.front().per_query[query++];
      if (valid.of_user(u).size() < 2 || std::isnan(value)) continue;
      sums[u] += value;
      ++counts[u];
    }
  }
  double number = 0, total = 0, gain = 0, squares = 0;
  for (std::size_t u = 0; u < sums.size(); ++u) {
    tried.values.push_back(counts[u] > 0 ? sums[u] / counts[u] : std::nan(""));
    if (counts[u] == 0) continue;
    const double difference = tried_.empty() ? 0 : tried.values[u] - tried_.front().values[u];
    ++number;
    total += tried.values[u];
    gain += difference;
    squares += difference * difference;
  }
  tried.setting.value = total / number;
  tried.setting.gain = gain / number;
  tried.setting.error = std::sqrt(std::max(0.0, squares / number - tried.setting.gain * tried.setting.gain) / number);
  tried_.push_back(std::move(tried));
}

std::optional<std::size_t> Chooser::best(const std::function<bool(const Tried&)>& among) const {
  std::optional<std::size_t> found;
  for (std::size_t k = 0; k < tried_.size(); ++k)
    if (among(tried_[k]) && (!found || tried_[k].safe_gain() > tried_[*found].safe_gain())) found = k;
  return found;
}

void Chooser::search_starts() {
  const Terms terms{search_.implicit ? 0 : asked_.implicit, search_.neighbours ? 0 : asked_.neighbours};
  if (!search_.start_lambda) return try_start(asked_.start_lambda / noise_, terms);
  for (const double multiple : kRidges) try_start(multiple, terms);
}

// Both terms at the best ridge and the next stronger one; where they gain, each without the other.
void Chooser::search_terms() {
  if (!search_.implicit && !search_.neighbours) return;
  const Terms terms{search_.implicit ? kImplicit : asked_.implicit,
                    search_.neighbours ? kNeighbours : asked_.neighbours};
  const double plain =
      tried_[*best([](const Tried& t) { return !t.models.empty() && std::isfinite(t.multiple); })].multiple;
  try_start(plain, terms);
  const auto stronger = std::upper_bound(kRidges.begin(), kRidges.end(), plain);
  if (wanted_ && search_.start_lambda && stronger != kRidges.end()) try_start(*stronger, terms);
  if (!wanted_ || !search_.implicit || !search_.neighbours) return;
  const FactorCandidate& leader = tried_[*best([](const Tried&) { return true; })].setting;
  if (leader.neighbours == 0) return;
  const double multiple = leader.start_lambda / noise_;
  try_start(multiple, {terms.implicit, 0});
  try_start(multiple, {0, terms.neighbours});
}

void Chooser::search_rounds() {
  if (!search_.rounds && asked_.rounds == 0) return;
  const auto first = best([](const Tried& t) { return std::isfinite(t.multiple); });
  const auto second = best([&](const Tried& t) { return std::isfinite(t.multiple) && &t != &tried_[*first]; });
  std::size_t better = tried_.size();
  try_rounds(*first, search_.lambda ? kLambdas.front() : asked_.lambda / round_lambda(noise_));
  for (std::size_t k = 1; k < kLambdas.size() && search_.lambda && wanted_; ++k) {
    try_rounds(*first, kLambdas[k]);
    if (wanted_ && tried_.back().safe_gain() > tried_[better].safe_gain()) better = tried_.size() - 1;
  }
  if (wanted_ && second) try_rounds(*second, tried_[better].setting.lambda / round_lambda(noise_));
}

bool Chooser::run() {
  try_means();
  if (wanted_) search_starts();
  if (wanted_) search_terms();
  if (wanted_) search_rounds();
  return wanted_;
}

// What was asked for stays: a given ridge is not replaced by the item means, and given rounds are made.
bool Chooser::allowed(const FactorCandidate& setting) const {
  if (!search_.start_lambda && std::isinf(setting.start_lambda)) return false;
  return search_.rounds || setting.rounds == asked_.rounds;
}

ChosenOptions Chooser::result(bool whole) const {
  ChosenOptions result{asked_, {}};
  FactorizeOptions chosen = asked_;
  chosen.item_damping = whole_.options.item_damping;
  chosen.item_prior = whole_.options.item_prior;
  if (whole) {
    for (const Tried& each : tried_) result.choice.candidates.push_back(each.setting);
    result.choice.lists = lists_;
    result.choice.chosen = *best([&](const Tried& t) { return allowed(t.setting); });
    const FactorCandidate& best = result.choice.candidates[result.choice.chosen];
    chosen.start_lambda = best.start_lambda;
    chosen.implicit = best.implicit;
    chosen.neighbours = best.neighbours;
    chosen.rounds = best.rounds;
    if (best.rounds > 0) chosen.lambda = best.lambda;
  } else {
    chosen.start_lambda = kMeansAlone;
    chosen.rounds = chosen.neighbours = 0;
    chosen.implicit = 0;
  }
  result.options = with_choice(asked_, chosen);
  return result;
}

}  // namespace

ChosenOptions choose_options(const Ratings& train, const FactorizeOptions& asked, const FactorizeInputs& inputs,
                             ThreadPool& pool, const std::function<bool(std::size_t tried)>& go_on) {
  if (inputs.warm != nullptr) {
    FactorizeOptions chosen = asked;
    const FactorizeOptions& known = inputs.warm->options;
    chosen.start_lambda = known.start_lambda;
    chosen.implicit = known.implicit;
    chosen.neighbours = known.neighbours;
    chosen.item_damping = known.item_damping;
    chosen.item_prior = known.item_prior;
    return {with_choice(asked, chosen), {}};
  }
  Chooser chooser(train, asked, inputs, pool, go_on);
  if (!chooser.can_judge()) return {asked, {}};
  const bool whole = chooser.run();
  return chooser.result(whole);
}

FactorizeOptions with_choice(FactorizeOptions asked, const FactorizeOptions& chosen) {
  const FactorizeSearch searched = asked.search;
  if (searched.start_lambda) asked.start_lambda = chosen.start_lambda;
  if (searched.lambda) asked.lambda = chosen.lambda;
  if (searched.rounds) asked.rounds = chosen.rounds;
  if (searched.implicit) asked.implicit = chosen.implicit;
  if (searched.neighbours) asked.neighbours = chosen.neighbours;
  if (searched.item_prior) {
    asked.item_damping = chosen.item_damping;
    asked.item_prior = chosen.item_prior;
  }
  asked.search = {};
  return asked;
}

double noise_ridge(const FactorModel& model, const Ratings& ratings) {
  double squares = 0, users = 0, items = 0;
  for (std::size_t u = 0; u < ratings.num_users(); ++u) users += ratings.of_user(u).size() > 0;
  for (std::size_t j = 0; j < ratings.num_items(); ++j) {
    const auto values = ratings.of_item(j).value;
    items += !values.empty();
    for (const float value : values) {
      const double error = (value - model.mean) / model.unit - model.offsets[j];
      squares += error * error;
    }
  }
  const auto count = static_cast<double>(ratings.size());
  const double ridge = std::sqrt(squares / count) * (std::sqrt(count / users) + std::sqrt(count / items));
  return std::max(ridge, 1e-3);
}

}  // namespace dorm
