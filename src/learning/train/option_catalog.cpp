// SPDX-License-Identifier: Apache-2.0
// The options of training by name: one row each.
#include <array>
#include <concepts>

#include "dorm/base/number_range.h"
#include "dorm/error.h"
#include "dorm/train.h"

namespace dorm {
namespace {

constexpr const char* kProblem = "Learning problem";
constexpr const char* kKernel = "Kernel";
constexpr const char* kSolving = "Solving";

void parse_name(std::string_view name, BoundChoice& out) { out = parse_bound_choice(name); }
void parse_name(std::string_view name, InitialModelChoice& out) { out = parse_initial_model(name); }
void parse_name(std::string_view name, SolverKind& out) { out = parse_solver(name); }

std::string_view print_name(SolverKind kind) { return solver_name(kind); }
template <class Choice>
std::string_view print_name(Choice choice) {
  return name_of(choice);
}

template <class T>
concept Plain = std::same_as<T, bool> || std::same_as<T, double> || std::same_as<T, std::string>;

template <class T>
OptionValue to_value(const T& member) {
  if constexpr (Plain<T>)
    return member;
  else if constexpr (std::unsigned_integral<T>)
    return std::uint64_t{member};
  else
    return std::string(print_name(member));
}

template <class Held>
const Held& held(const OptionValue& value) {
  if (const Held* found = std::get_if<Held>(&value)) return *found;
  throw Error(ErrorCode::bad_option, "an option has a value of the wrong type");
}

template <class T>
void from_value(const OptionValue& value, T& member) {
  if constexpr (Plain<T>)
    member = held<T>(value);
  else if constexpr (std::unsigned_integral<T>)
    member = static_cast<T>(held<std::uint64_t>(value));
  else
    parse_name(held<std::string>(value), member);
}

struct Shown {
  const char *name, *command, *value, *group, *help;
  NumberRange range = {};  // what is no number has none
};

/// The member that a path of pointers to members leads to.
template <auto first, auto... rest>
auto& member(auto& options) {
  if constexpr (sizeof...(rest) == 0)
    return options.*first;
  else
    return member<rest...>(options.*first);
}

template <auto... path>
constexpr TrainOption row(Shown shown, bool decides) {
  return {shown.name,
          shown.command,
          shown.value,
          shown.group,
          shown.help,
          shown.range,
          decides,
          [](const TrainOptions& options) { return to_value(member<path...>(options)); },
          [](TrainOptions& options, const OptionValue& value) { from_value(value, member<path...>(options)); }};
}

using T = TrainOptions;
using S = SolveOptions;

// clang-format off
constexpr std::array kTrainOptions{
    row<&T::measure>({"measure", "measure", "NAME", kProblem, "measure to train for"}, true),
    row<&T::convention>({"convention", "convention", "NAME", kProblem, "definition of the measure; see below"}, true),
    row<&T::C>({"C", "C", "X", kProblem, "weight of the loss against 1/2 |w|^2", number_above(0)}, true),
    row<&T::paper_C>({"paper_C", "c-paper", "", kProblem, "C of the paper: a factor of the sum over queries, without scaling"}, true),
    row<&T::decay>({"decay", "decay", "NAME", kProblem, "position weights of the ranking score; see below"}, true),
    row<&T::bound>({"bound", "bound", "NAME", kProblem, "reference ranking of the bound; see below"}, true),
    row<&T::given_ties>({"given_ties", "given-ties", "FEATURE", kProblem, "bound given: order documents of equal label by this feature,\nlargest first, instead of by file order"}, true),
    row<&T::start>({"start", "", "NAME", kProblem, "initial model of the rounds of best and predicted; see below"}, true),
    row<&T::rounds>({"rounds", "rounds", "N", kProblem, "rounds of best and predicted; 0: 1 for best, 4 from explained\nrisk 0.5 on; 4 or 8 for predicted", whole_from(0)}, true),
    row<&T::scale>({"scale", "scale", "NAME", kProblem, "scaling of the features; see below"}, true),
    row<&T::target>({"target", "for", "TARGET", kProblem, "target of dorm export: only scalings that it can evaluate; any:\nall targets; see below"}, true),
    row<&T::curves>({"curves", "curves", "SPEC", kProblem, "a curve of N pieces for every feature, or F=N,...; steps:N for\nsteps (docs/curves.md)"}, true),
    row<&T::signs, &SignOptions::increasing>({"increasing", "increasing", "F,...", kProblem, "features with which no score falls; the option decreasing\nnames those with which none rises (docs/curves.md)"}, true),
    row<&T::signs, &SignOptions::decreasing>({"decreasing", "decreasing", "F,...", kProblem, "features with which no score rises: weights <= 0"}, true),
    row<&T::signs, &SignOptions::non_negative>({"non_negative", "non-negative", "", kProblem, "all other features are increasing"}, true),
    row<&T::solve, &S::solver>({"solver", "solver", "NAME", kSolving, "solver of each round; see below"}, true),
    row<&T::shards>({"shards", "shards", "N", kSolving, "solver shards: number of groups of queries that share a cutting\nplane; 0: chosen by the number of queries", whole_from(0, 1e6)}, true),
    row<&T::compute, &ComputeOptions::device>({"device", "device", "NAME", kSolving, "compute device: cpu, cuda (an NVIDIA GPU) or cuda:N; GPU\ntraining uses the solver lbfgs"}, true),
    row<&T::solve, &S::tolerance>({"tolerance", "tolerance", "X", kSolving, "relative duality gap to reach", number_within(0, 1)}, true),
    row<&T::solve, &S::epsilon>({"epsilon", "epsilon", "X", kSolving, "nslack: the algorithm of the paper, one query at a time from w = 0,\nuntil no constraint is violated by more than X; 0: by tolerance", number_from(0)}, true),
    row<&T::solve, &S::max_passes>({"max_passes", "passes", "N", kSolving, "largest number of passes over the data in a round", whole_from(1)}, false),
    row<&T::solve, &S::planes_per_block>({"planes_per_block", "planes", "N", kSolving, "cached cutting planes of a query; idle planes beyond are dropped", whole_from(2)}, false),
    row<&T::solve, &S::seconds>({"seconds", "time-limit", "S", kSolving, "time limit in seconds, for the best model so far; 0: none", number_from(0)}, false),
    row<&T::compute, &ComputeOptions::threads>({"threads", "", "N", kSolving, "0: all cores; the model is the same", whole_from(0)}, false),
    row<&T::compute, &ComputeOptions::memory>({"memory", "memory", "SIZE", kSolving, "memory limit, such as 800M or 2GiB; on a GPU, of the GPU. Limits\nthe kept cutting planes, scaled features and kernel values;\n0: none", whole_from(0)}, false),
    row<&T::solve, &S::seed>({"seed", "seed", "N", kSolving, "of the order of queries and of the folds", whole_from(0)}, true),
    row<&T::one_per>({"one_per", "", "GROUP", kProblem, "limits on the documents of a group in a list"}, true),
    row<&T::kernel>({"kernel", "kernel", "SPEC", kKernel, "kernel, such as rbf:gamma=median; see below"}, true),
    row<&T::approximation>({"approximation", "approx", "SPEC", kKernel, "features that approximate the kernel, such as\nnystroem:1000; see below"}, true),
    row<&T::patience>({"patience", "", "N", kSolving, "evaluations without a better validation value before a candidate stops; 0: no limit", whole_from(0)}, false),
};
// clang-format on

}  // namespace

std::span<const TrainOption> train_option_catalog() { return kTrainOptions; }

}  // namespace dorm
