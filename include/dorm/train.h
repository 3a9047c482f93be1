// SPDX-License-Identifier: Apache-2.0
// Training: from labelled documents and the name of a measure to a model with its certificate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "dorm/base/catalog.h"
#include "dorm/base/compute.h"
#include "dorm/base/number_range.h"
#include "dorm/dataset.h"
#include "dorm/error.h"
#include "dorm/learning/signs.h"
#include "dorm/learning/task.h"
#include "dorm/model.h"
#include "dorm/oracle.h"
#include "dorm/solver.h"

namespace dorm {

// The explained risk of a bound is the share of the risk of w = 0 that it explains.

/// From this explained risk on, the bound `best` runs for up to 4 rounds, and auto trains no other.
inline constexpr double kConfident = 0.5;
/// Where rankers cannot be averaged, auto trains `best` alone from this explained risk on.
inline constexpr double kHealthy = 0.1;
/// Below this explained risk a bound carries no information; it is not used where there is another.
inline constexpr double kDegenerate = 0.02;

/// Initial models, at which the rounds of the bounds `best` and `predicted` begin: ridge regression or the pairwise
/// hinge, each on the labels or on their gains, or the weights of TrainOptions::initial. `zero`, of results only: none.
enum class InitialModel { ridge, ridge_gain, pairwise, pairwise_gain, model, zero };
std::string_view name_of(InitialModel model);

/// The value of an option; nothing: auto.
using BoundChoice = std::optional<Bound>;
using InitialModelChoice = std::optional<InitialModel>;
std::string_view name_of(BoundChoice choice);
std::string_view name_of(InitialModelChoice choice);
BoundChoice parse_bound_choice(std::string_view name);  // a name of bound_choices(), else throws Error(unknown_name)
InitialModelChoice parse_initial_model(std::string_view name);  // a name of initial_model_catalog(), likewise

/// The defaults come from measurements (docs/training.md).
struct TrainOptions {
  std::string measure = "ndcg@10";
  std::string convention = "standard";
  double C = 100;        // of 1/2 |w|^2 + (C / m) sum_q H_q, features scaled to unit mean squared row norm
  bool paper_C = false;  // the paper's: 1/2 |w|^2 + C sum_q H_q on the features as they are
  std::string decay = "measure";
  BoundChoice bound = std::nullopt;
  std::string given_ties = "";  // bound given: the feature that orders documents of equal label, largest first
  InitialModelChoice start = std::nullopt;
  std::size_t shards = 0;       // solver shards: groups of queries; 0: by their number (dorm/learning/shard.h)
  std::size_t rounds = 0;       // 0: 1 for best, 4 from explained risk 0.5 on; 4 for predicted, 8 for long lists
  std::string scale = "auto";   // auto or a name of scaling_catalog()
  std::string target = "";      // the tool that will evaluate the model: of target_choices(); empty: DORM itself
  std::string one_per = "";     // limits on groups, "host" or "group:2" (dorm/data/one_per.h); empty: none
  SignOptions signs = {};       // which way scores may go with features
  std::string curves = "none";  // of features: none, 8, price=16,bm25=8, steps:8 (dorm/learning/curves.h)
  SolveOptions solve = {};      // of each round, but `seconds` are those of the whole training
  ComputeOptions compute = {};
  OracleKind oracle = {};                   // another than automatic: to measure its cost
  std::string kernel = "none";              // none: linear in the features; else a spelling for make_kernel()
  std::string approximation = "none";       // of the kernel: none, nystroem:N, fourier:N, cholesky:N
  const Kernel* kernel_function = nullptr;  // instead of a text; must outlive the training
  std::string checkpoint = {};              // a file to save progress to and resume from; empty: none
  double checkpoint_seconds = 10;
  bool keep_checkpoint = false;  // the caller removes the checkpoint of a finished training, once the model is saved

  /// Borrowed; each may be null.
  const FactoredMeasure* own_measure = nullptr;  // a custom measure to train for instead of `measure`
  const Model* initial = nullptr;  // begin the rounds at its weights ("start": model); the same scaling is needed
  /// With validation data: a candidate stops after that many evaluations in a row without a better value, and keeps its
  /// best weights. 0: never.
  std::size_t patience = 0;

  void validate() const;  // throws Error naming the option, its value and what is allowed
};

using OptionValue = std::variant<bool, double, std::uint64_t, std::string>;

/// One training option by name, as the command line, Python and checkpoints use it.
struct TrainOption {
  const char* name;     // in Python and in checkpoints, e.g. "seconds"
  const char* command;  // on the command line, e.g. "time-limit"; empty: no option there, or one declared separately
  const char* value;    // placeholder of its value in help, e.g. "N" ("SIZE": bytes, as in 2GB); empty: a switch
  const char* group;    // in help
  const char* help;
  NumberRange range;                               // of a number
  bool decides;                                    // checkpoints of trainings with another value are refused
  OptionValue (*get)(const TrainOptions&);         // names of enumerators as text
  void (*set)(TrainOptions&, const OptionValue&);  // throws Error for a value of another type and for an unknown name
};
std::span<const TrainOption> train_option_catalog();

/// One bound trained from one initial model.
struct Candidate {
  Bound bound = Bound::best;
  InitialModel start = InitialModel::ridge;
  std::size_t rounds = 0;
  Certificate certificate;
  double explained_risk = 0;
  double validation = std::numeric_limits<double>::quiet_NaN();
  double share = 0;  // of the model, which may be an average; 0: not in it

  bool chosen() const { return share > 0; }
};

struct TrainReport {
  std::vector<Candidate> candidates;
  std::size_t dropped_queries = 0;  // all of their rankings are equally good
  std::string kernel;               // the kernel with its parameters on this data, and the error of its approximation
  std::vector<std::string> warnings;
  SolveReport solve;        // of the last round of the candidate with the largest share
  bool finished = true;     // false: stopped, or out of time; the checkpoint can be resumed
  bool resumed = false;     // from a checkpoint
  TopicReport topics = {};  // of slates under topic budgets
  double seconds = 0;
};

struct TrainResult {
  Model model;  // of a task of positions: the function that all positions share
  TrainReport report;
  std::optional<PositionModel> positions = {};  // of a task of positions: the whole model
};

/// The observer stopped a training before there was a model to keep: while a kernel was approximated.
class InterruptedEarly : public Error {
 public:
  InterruptedEarly();
};

/// Reported a few times per pass; an observer that returns false stops training, which keeps the best model so far.
/// Where there is none yet train() throws InterruptedEarly.
struct TrainProgress {
  Bound bound = Bound::best;
  InitialModel start = InitialModel::ridge;
  std::size_t round = 0;  // from 1
  Progress solver;
  double validation = std::numeric_limits<double>::quiet_NaN();  // of the best w so far, with validation data
  bool resumed = false;                                          // from a checkpoint
  /// Before the first round, while features that stand in for a kernel are made: the share that is made.
  double mapped = std::numeric_limits<double>::quiet_NaN();
};
using TrainObserver = std::function<bool(const TrainProgress&)>;

/// Trains a ranker; `validation` is of the same kind as `task`, and chooses among candidates. Throws Error(bad_option)
/// and Error(unsupported) for options that do not fit, Error(bad_input) for data that cannot be learnt from.
///
/// A task of positions trains w and v_1 ... v_n for position-gain@n: `measure` and `convention` are not used, and the
/// decay is that of DCG unless named. A task of topics trains w for the first n positions of options.measure; where the
/// integer program for the most violated slate is cut short, its bound enters the certificate, which stays valid. Both
/// begin at ridge regression, and are linear.
TrainResult train(const Task& task, const TrainOptions& options = {}, const Task& validation = {},
                  const TrainObserver& observer = {});

/// A baseline: an initial model by itself, with the bound "none" and no certificate. Measure, convention, scale,
/// threads and seed are taken from `options`.
Model train_initial_model(const Dataset& data, InitialModel model, const TrainOptions& options = {});

std::vector<CatalogEntry> bound_choices();   // auto, then bound_catalog()
std::vector<CatalogEntry> target_choices();  // export_targets(), then any: models that all of them can evaluate
std::span<const CatalogEntry> initial_model_catalog();

}  // namespace dorm
