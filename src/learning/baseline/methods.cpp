// SPDX-License-Identifier: Apache-2.0
// The table of methods, and training one by its spelling.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <utility>

#include "base/stopwatch.h"
#include "dorm/error.h"
#include "dorm/learning/baseline.h"
#include "dorm/oracle.h"
#include "dorm/train.h"
#include "learning/baseline/aim.h"
#include "learning/baseline/method.h"
#include "learning/train/describe.h"
#include "learning/train/rounds.h"

namespace dorm {
namespace {

using Fit = BaselineFit (*)(const BaselineProblem&);

struct Row {
  CatalogEntry entry;
  Fit fit;  // null: takes an argument after a colon
  bool uses_C = true;
};

constexpr Row row(std::string_view name, std::string_view usage, Fit fit, bool uses_C, std::string_view help) {
  return {{.name = name, .usage = usage, .help = help}, fit, uses_C};
}

// clang-format off
constexpr std::array kRows{
    row("dorm", "dorm:MEASURE[~DECAY[~BOUND[~ORACLE]]]", nullptr, true, "direct optimization of a trainable measure"),
    row("feature", "feature:NAME", nullptr, false, "one column, ascending or descending by the training data"),
    row("ridge", "ridge[:rel=|gain=]", fit_ridge, true, "least squares on labels centred within each query"),
    row("svr", "svr[:rel=|gain=]", fit_svr, true, "support vector regression on the same, tube 0.1"),
    row("svm", "svm[:rel=|gain=|classes=]", fit_svm, true, "one support vector machine per grade, summed by grade"),
    row("crammer-singer", "crammer-singer[:rel=|gain=|classes=]", fit_crammer_singer, true, "one joint multiclass support vector machine, summed by grade"),
    row("ranksvm", "ranksvm[:rel=]", fit_ranksvm, true, "mean hinge over the pairs of each query"),
    row("ranksvm-pairs", "ranksvm-pairs[:rel=]", fit_ranksvm_pairs, true, "the same with a constraint for each pair: slower, to measure time"),
    row("svm-ir-qp", "svm-ir-qp", fit_svm_ir_qp, true, "ranksvm with pairs weighted by what their swap costs in NDCG@10"),
    row("propsvm", "propsvm", fit_propsvm, true, "PropSVMrank: labels as weights of clicks, hinge between a clicked document and every other"),
    row("roc-svm", "roc-svm[:rel=]", fit_roc_svm, true, "multivariate hinge for the area under the ROC curve"),
    row("precision-svm", "precision-svm[@n][:rel=]", fit_precision_svm, true, "multivariate hinge for precision@n (10)"),
    row("ap-svm", "ap-svm[:rel=]", fit_ap_svm, true, "multivariate hinge for average precision"),
    row("prank", "prank[:rel=]", fit_prank, false, "perceptron with thresholds between grades, averaged"),
};
// clang-format on

constexpr auto kEntries = [] {
  std::array<CatalogEntry, kRows.size()> entries{};
  for (std::size_t i = 0; i < kRows.size(); ++i) entries[i] = kRows[i].entry;
  return entries;
}();

/// A method as written: its row, and the text after the colon (of DORM and features), or the number after
/// the @ and the aim.
struct Spelling {
  const Row* row = nullptr;
  std::string_view argument;
  std::size_t cutoff = 0;
  Aim aim = {};
};

std::size_t parse_cutoff(std::string_view method, std::string_view digits) {
  std::size_t n = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), n);
  if (error != std::errc() || end != digits.data() + digits.size() || n == 0)
    throw Error(ErrorCode::bad_option,
                fmt::format("method \"{}\": the cutoff is \"{}\"; expected a whole number above 0", method, digits));
  return n;
}

Spelling parse_method(std::string_view method) {
  const std::string_view name = method.substr(0, method.find_first_of(":@"));
  std::string_view rest = method.substr(name.size());
  Spelling spelling;
  for (const Row& candidate : kRows)
    if (candidate.entry.name == name) spelling.row = &candidate;
  if (!spelling.row) throw_unknown_name("method", name, kEntries);
  const std::string_view usage = spelling.row->entry.usage;
  const bool takes_argument = !spelling.row->fit;
  if (takes_argument ? rest.size() < 2 || rest[0] != ':'
                     : rest.starts_with('@') && usage.find('@') == std::string_view::npos)
    throw Error(ErrorCode::bad_option, fmt::format("method \"{}\"; expected {}", method, usage));
  if (takes_argument) {
    spelling.argument = rest.substr(1);
    return spelling;
  }
  const std::size_t colon = std::min(rest.find(':'), rest.size());
  if (rest.starts_with('@')) spelling.cutoff = parse_cutoff(method, rest.substr(1, colon - 1));
  if (colon < rest.size()) spelling.aim = parse_aim(method, rest.substr(colon + 1), usage);
  return spelling;
}

OracleKind parse_oracle(const std::string& name) {
  for (int kind = 0; kind <= static_cast<int>(OracleKind::assignment); ++kind)
    if (name_of(static_cast<OracleKind>(kind)) == name) return static_cast<OracleKind>(kind);
  throw Error(ErrorCode::bad_option, fmt::format("oracle \"{}\"; expected automatic, or assignment to measure "
                                                 "what the dense solver costs",
                                                 name));
}

TrainOptions dorm_options(std::string_view argument, const MethodOptions& options) {
  TrainOptions train;
  const auto next = [&argument](std::string_view otherwise) {
    const std::size_t end = argument.find('~');
    const std::string_view piece = argument.substr(0, end);
    argument = end == std::string_view::npos ? std::string_view() : argument.substr(end + 1);
    return std::string(piece.empty() ? otherwise : piece);
  };
  train.measure = next("");
  train.decay = next(train.decay);
  train.bound = parse_bound_choice(next(name_of(options.bound)));
  if (train.bound == options.bound) train.start = options.start;
  train.oracle = parse_oracle(next(name_of(OracleKind::automatic)));
  train.convention = options.convention;
  train.C = options.C;
  train.scale = options.scale;
  train.target = options.target;
  train.solve = options.solve;
  train.compute = options.compute;
  return train;
}

MethodResult train_dorm(const Dataset& data, std::string_view argument, const MethodOptions& options,
                        const Observer& observer) {
  TrainObserver relay;
  if (observer) relay = [&](const TrainProgress& progress) { return observer(progress.solver); };
  TrainResult result = train(data, dorm_options(argument, options), {}, relay);
  return {std::move(result.model), std::move(result.report.solve)};
}

MethodResult train_baseline(const Dataset& data, const Spelling& spelling, const MethodOptions& options,
                            const Observer& observer) {
  const Convention convention = make_convention(options.convention);
  KernelOptions linear;
  linear.scaled_bytes = std::numeric_limits<std::uint64_t>::max();  // some ask for one document at a time
  const TrainingSet set(spelling.aim.applied(data, convention), {options.scale, options.target},
                        options.compute.threads, linear);
  const BaselineProblem problem{
      set, spelling.aim.convention(convention), options, observer, spelling.cutoff, spelling.aim.balanced()};
  BaselineFit fit = spelling.row->fit(problem);
  const double explained_risk = fit.explained_risk();
  if (std::all_of(fit.w.begin(), fit.w.end(), [](double x) { return x == 0; }) && fit.report.passes == 0)
    throw Error(ErrorCode::bad_input, "no query has documents of different labels: there is nothing to learn from");
  MethodResult result{set.model(fit.w), std::move(fit.report)};
  result.model.explained_risk = explained_risk;
  return result;
}

/// Those of one feature.
FeatureStatistics statistics_of(std::string_view feature, const Dataset& data, const FeatureStatistics& all) {
  std::size_t j = 0;
  while (data.feature_name(j) != feature) ++j;
  return {{all.minimum[j]}, {all.maximum[j]}, {all.mean[j]}};
}

MethodResult train_or_fail(const Dataset& data, const Spelling& spelling, const MethodOptions& options,
                           const Observer& observer) {
  MethodResult result;
  if (spelling.row->entry.name == "feature")
    result.model = single_feature(data, spelling.argument, options);
  else
    result = train_baseline(data, spelling, options, observer);
  Origin origin{.measure = options.measure,
                .convention = options.convention,
                .target = options.target,
                .C = spelling.row->uses_C ? options.C : 0.0,
                .seed = options.solve.seed,
                .data = summary_of(data)};
  origin.data.usable_queries = origin.data.queries;
  if (result.model.features.size() < data.num_features())
    origin.data.statistics = statistics_of(result.model.features.front(), data, origin.data.statistics);
  origin.explained_risk = result.model.explained_risk;
  if (result.solve.passes > 0) {
    origin.solve = &options.solve;
    origin.certificate = {result.solve.primal, result.solve.dual, result.solve.gap,
                          std::string(name_of(result.solve.status))};
  }
  describe(result.model, origin);
  data.require_intact();
  return result;
}

}  // namespace

std::span<const CatalogEntry> method_catalog() { return kEntries; }

bool method_uses_C(std::string_view method) { return parse_method(method).row->uses_C; }

void check_method(std::string_view method) {
  const Spelling spelling = parse_method(method);
  if (spelling.row->entry.name == "dorm") dorm_options(spelling.argument, {}).validate();
}

MethodResult train_method(const Dataset& data, std::string_view method, const MethodOptions& options,
                          const Observer& observer) {
  const Stopwatch watch;
  const Spelling spelling = parse_method(method);
  if (!(options.C > 0)) throw Error(ErrorCode::bad_option, fmt::format("C is {}; expected more than 0", options.C));
  MethodResult result = spelling.row->entry.name == "dorm" ? train_dorm(data, spelling.argument, options, observer)
                                                           : train_or_fail(data, spelling, options, observer);
  result.model.method = method;
  result.seconds = watch.seconds();
  return result;
}

}  // namespace dorm
