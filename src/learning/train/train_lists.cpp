// SPDX-License-Identifier: Apache-2.0
// Training where lists are found by assignment or under topic budgets: rounds of a PositionRisk.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/stopwatch.h"
#include "base/vector_ops.h"
#include "dorm/error.h"
#include "dorm/oracle.h"
#include "dorm/train.h"
#include "learning/risk/position_risk.h"
#include "learning/risk/ridge.h"
#include "learning/train/fit.h"
#include "learning/train/training_set.h"

namespace dorm {
namespace {

constexpr std::size_t kMaxRounds = 4;
constexpr double kListFall = 1e-3;  // of the objective, for another round
constexpr const char* kStart = "ridge";

Bound bound_of(const TrainOptions& options) {
  const Bound bound = options.bound == "auto" ? Bound::best : parse_bound(options.bound);
  if (bound == Bound::average)
    throw Error(ErrorCode::unsupported,
                "the bound average is defined for sorted rankings only; expected given, best or predicted");
  if (options.start != "auto" && options.start != kStart)
    throw Error(ErrorCode::unsupported,
                fmt::format("the start {} is not used for lists; expected {}", options.start, kStart));
  if (!options.checkpoint.empty())
    throw Error(ErrorCode::unsupported, "checkpoints of trainings by position or topic are not supported");
  return bound;
}

/// The rounds of one training, and what is reported of them.
class ListTraining {
 public:
  ListTraining(const Dataset& data, const PositionProblem& problem, const TrainOptions& options,
               const TrainObserver& observer)
      : options_(options),
        observer_(observer),
        bound_(bound_of(options)),
        problem_(problem),
        set_(data, options.scale, options.threads),
        risk_(set_.linear_features(), problem, options.threads) {
    risk_.set_trade_off(options.paper_C ? options.C
                                        : options.C * set_.squared_scale() / static_cast<double>(risk_.num_blocks()));
  }

  void run() {
    const std::size_t most = bound_ == Bound::given ? 1 : options_.rounds > 0 ? options_.rounds : kMaxRounds;
    w_ = start();
    for (std::size_t round = 1; round <= most; ++round) {
      if (risk_.set_reference(bound_, w_) == 0 && round > 1) break;
      const double before = 0.5 * dot(std::span<const double>(w_), w_) + risk_.loss(w_);
      SolveResult solved = solve_round(round);
      if (round > 1 && solved.report.primal >= before) break;
      rounds_ = round;
      w_ = std::move(solved.w);
      report_ = std::move(solved.report);
      const bool settled = round > 1 && before - report_.primal < kListFall * before;
      if (settled || stopped()) break;
      if (round == 1 && bound_ == Bound::best && options_.rounds == 0 && health() < kConfident) break;
    }
  }

  const PositionRisk& risk() const { return risk_; }
  std::vector<double> part(std::size_t k) const {
    const std::size_t d = set_.features().dimension();
    const auto begin = w_.begin() + static_cast<std::ptrdiff_t>(k * d);
    return {begin, begin + static_cast<std::ptrdiff_t>(d)};
  }

  Model model(std::string measure, std::uint64_t fingerprint) const {
    Model model = set_.model(part(0));
    model.measure = std::move(measure);
    model.convention = options_.convention;
    model.decay = options_.decay;
    model.bound = bound_name();
    model.start = kStart;
    model.rounds = rounds_;
    model.solver = options_.solver;
    model.C = options_.C;
    model.tolerance = options_.tolerance;
    model.seed = options_.seed;
    model.certificate = {report_.primal / unit(), report_.dual / unit(), report_.gap, status_name(report_.status)};
    model.health = health();
    model.data.fingerprint = fingerprint;
    model.data.usable_queries = risk_.num_blocks();
    return model;
  }

  TrainReport report(const Model& model) const {
    TrainReport report;
    report.candidates.push_back({model.bound, model.start, rounds_, model.certificate, model.health,
                                 std::numeric_limits<double>::quiet_NaN(), true});
    report.dropped_queries = set_.features().data().num_queries() - risk_.num_blocks();
    report.solve = report_;
    report.solve.primal /= unit();
    report.solve.dual /= unit();
    if (model.health < kDegenerate)
      report.warnings.push_back(
          fmt::format("health {:.4f} is below {}: the bound {} carries hardly any information on this data",
                      model.health, kDegenerate, model.bound));
    report.seconds = watch_.seconds();
    return report;
  }

 private:
  // Ridge regression on the gains: of each position, or for one function their sum weighted by c.
  std::vector<double> start() const {
    const std::size_t d = set_.features().dimension(), n = problem_.positions;
    std::vector<double> w(risk_.dimension(), 0.0), targets(problem_.gains.size() / n);
    const auto fill = [&](std::size_t at) {
      const std::vector<double> part = ridge(set_.features(), targets, TrainingSet::kDefaultLambda, set_.threads());
      std::copy(part.begin(), part.end(), w.begin() + static_cast<std::ptrdiff_t>(at));
    };
    if (problem_.per_position) {
      for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t i = 0; i < targets.size(); ++i) targets[i] = problem_.gains[i * n + j];
        fill((1 + j) * d);
      }
      return w;
    }
    for (std::size_t i = 0; i < targets.size(); ++i)
      for (std::size_t j = 0; j < n; ++j) targets[i] += problem_.decay[j] * problem_.gains[i * n + j];
    fill(0);
    return w;
  }

  SolveResult solve_round(std::size_t round) {
    SolveOptions solve_options;
    solve_options.solver = parse_solver(options_.solver);
    solve_options.tolerance = options_.tolerance;
    solve_options.max_passes = options_.max_passes;
    solve_options.threads = options_.threads;
    solve_options.seed = options_.seed;
    solve_options.plane_bytes = options_.plane_bytes;
    if (options_.seconds > 0) solve_options.seconds = std::max(1e-9, options_.seconds - watch_.seconds());
    const std::string name = bound_name();
    const Observer relay = [&](const Progress& progress) {
      if (!observer_) return true;
      TrainProgress told{name, kStart, round, progress};
      told.solver.primal /= unit();
      told.solver.dual /= unit();
      return observer_(told);
    };
    return solve(risk_, solve_options, relay, {w_, {}});
  }

  bool stopped() const {
    return report_.status == SolveStatus::interrupted || report_.status == SolveStatus::time_limit;
  }
  double health() const { return 1 - report_.primal / risk_.loss(std::vector<double>(risk_.dimension(), 0.0)); }
  double unit() const { return options_.paper_C ? 1.0 : set_.squared_scale(); }
  std::string bound_name() const { return options_.bound == "auto" ? "best" : options_.bound; }

  const TrainOptions& options_;
  const TrainObserver& observer_;
  Stopwatch watch_;
  Bound bound_;
  PositionProblem problem_;
  TrainingSet set_;
  PositionRisk risk_;
  std::vector<double> w_;
  SolveReport report_;
  std::size_t rounds_ = 0;
};

// c for n positions whose own weights are those of DCG.
std::vector<double> list_decay(const std::string& name, std::size_t positions) {
  std::vector<double> a;
  for (std::size_t j = 0; j < positions; ++j) a.push_back(1 / std::log2(static_cast<double>(j) + 2));
  return Decay(name).values(a);
}

void check_gains(const Dataset& data, const PositionGains& gains) {
  if (gains.positions == 0 || gains.gain.size() != data.num_documents() * gains.positions)
    throw Error(ErrorCode::bad_input,
                fmt::format("{} gains for {} documents and {} positions; expected one per document and "
                            "position",
                            gains.gain.size(), data.num_documents(), gains.positions));
  for (const double x : gains.gain)
    if (!std::isfinite(x)) throw Error(ErrorCode::bad_input, "a gain by position is not finite");
}

// a_j b_i of the first n positions.
std::vector<double> gains_of_measure(const Dataset& data, const FactoredMeasure& measure, std::size_t positions) {
  std::vector<double> gains(data.num_documents() * positions, 0.0);
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    const Query query = data.query(q);
    const Factors factors = measure.factor(query.labels);
    if (factors.kind != Factors::Kind::sum)
      throw Error(ErrorCode::unsupported,
                  fmt::format("{} counts the first relevant document only and cannot be trained under topic "
                              "limits; expected a sum such as ndcg@{}",
                              measure.name(), positions));
    for (std::size_t i = 0; i < query.size(); ++i)
      for (std::size_t j = 0; j < std::min(positions, query.size()); ++j)
        gains[(query.first_document + i) * positions + j] = factors.a[j] * factors.b[i];
  }
  return gains;
}

// The measure's a and the decay's c do not depend on the labels; any query will do.
std::vector<double> decay_of_measure(const FactoredMeasure& measure, const std::string& decay, std::size_t positions) {
  std::vector<float> labels(positions + 1, 0.0f);
  labels[0] = 1;
  std::vector<double> c = Decay(decay).values(measure.factor(labels).a);
  c.resize(positions);
  return c;
}

}  // namespace

PositionResult train_positions(const Dataset& data, const PositionGains& gains, const TrainOptions& options,
                               bool one_function, const TrainObserver& observer) {
  options.validate();
  check_gains(data, gains);
  const PositionProblem problem{gains.positions, gains.gain, list_decay(options.decay, gains.positions), !one_function};
  ListTraining training(data, problem, options, observer);
  training.run();
  PositionResult result;
  result.model.shared = training.model(fmt::format("position-gain@{}", gains.positions), data.fingerprint());
  result.model.decay = problem.decay;
  for (std::size_t j = 0; j < gains.positions && !one_function; ++j)
    result.model.blocks.push_back(training.part(1 + j));
  result.report = training.report(result.model.shared);
  return result;
}

TrainResult train_topics(const Dataset& data, const TopicTable& topics, std::size_t positions,
                         const TrainOptions& options, const TopicOptions& topic_options, TopicReport* report,
                         const TrainObserver& observer) {
  options.validate();
  topic_options.validate();
  validate(topics);
  if (positions == 0 || topics.num_documents() != data.num_documents())
    throw Error(ErrorCode::bad_input,
                fmt::format("topics of {} documents for data of {} and lists of {}; expected one entry per "
                            "document and lists of at least 1",
                            topics.num_documents(), data.num_documents(), positions));
  const auto measure = make_trainable(options.measure, make_convention(options.convention));
  const std::vector<double> gains = gains_of_measure(data, *measure, positions);
  TrainOptions allowed = options;
  if (!topic_solver_in_threads()) allowed.threads = 1;
  const PositionProblem problem{positions, gains,   decay_of_measure(*measure, options.decay, positions),
                                false,     &topics, topic_options};
  ListTraining training(data, problem, allowed, observer);
  training.run();
  if (report) *report = {training.risk().lists(), training.risk().unproven(), training.risk().largest_gap()};
  TrainResult result{training.model(measure->name(), data.fingerprint()), {}};
  result.report = training.report(result.model);
  return result;
}

}  // namespace dorm
