// SPDX-License-Identifier: Apache-2.0
#include "report/pages/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dorm/data/prepare.h"
#include "dorm/tune.h"

namespace dorm::pages {
namespace {

const GridPoint& largest_share(const TuneResult& tuned) {
  return *std::max_element(tuned.points.begin(), tuned.points.end(),
                           [](const GridPoint& a, const GridPoint& b) { return a.share < b.share; });
}

/// Of the kernel that is kept.
const GridPoint& best_informative(const TuneResult& tuned) {
  const GridPoint* best = &largest_share(tuned);
  const bool degenerate = best->degenerate();
  for (const GridPoint& cell : tuned.points)
    if (cell.kernel == best->kernel && cell.degenerate() == degenerate && cell.validation > best->validation)
      best = &cell;
  return *best;
}

std::string rule_text(const TuneResult& tuned) {
  const GridPoint &chosen = largest_share(tuned), &best = best_informative(tuned);
  const double behind = best.validation - chosen.validation;
  switch (tuned.choice) {
    case Choice::average:
      if (chosen.share < 1)
        return "the weight of a grid point is exp(-2 t) for t standard errors behind the best, of their paired "
               "difference";
      return tuned.points.size() == 1 ? "the only grid point" : "no other grid point is near enough to the best";
    case Choice::best:
      return "the largest validation figure";
    case Choice::steady:
      if (&chosen == &best) return "the largest validation figure, and none nearer to the defaults is level with it";
      return fmt::format(
          "nearest to the defaults within one standard error of the paired difference to the best ({:.4f} behind)",
          behind);
    case Choice::one_standard_error:
      break;
  }
  if (&chosen == &best) return "the largest validation figure, and none of a smaller C is level with it";
  return fmt::format("the smallest C within one standard error of the best grid point ({:.4f} behind)", behind);
}

}  // namespace

std::string_view leak_words(LabelLeak::Kind kind) {
  if (kind == LabelLeak::Kind::equal) return "equals the label";
  return kind == LabelLeak::Kind::monotone ? "orders all documents as the label does" : "is named like a label";
}

std::string effort_text(const SolveReport& solve) {
  if (solve.passes == 0) return {};
  std::string text = fmt::format("{} passes, {} oracle calls", solve.passes, solve.oracle_calls);
  if (solve.planes > 0) text += fmt::format(", {} planes, {} support vectors", solve.planes, solve.support_vectors);
  if (solve.qp_seconds > 0)
    text += fmt::format(", {:.0f} % of the time in the QP",
                        100 * (solve.seconds > 0 ? solve.qp_seconds / solve.seconds : 0));
  return text;
}

std::string start_name(const GridPoint& cell) {
  return std::string(cell.trees ? name_of(*cell.trees) : name_of(cell.start));
}

std::vector<std::pair<std::string, ServingCost>> serving_costs(const TuneResult& tuned, const Dataset& data) {
  std::vector<std::pair<std::string, ServingCost>> costs = {{"this model", serving_cost(tuned.model, data)}};
  if (tuned.linear && !tuned.model.linear()) costs.emplace_back("linear alone", serving_cost(*tuned.linear, data));
  return costs;
}

std::string cell_name(const GridPoint& cell) {
  if (cell.trees)
    return fmt::format("trees by {}, {} leaves, {} rounds", name_of(*cell.trees), cell.leaves, cell.rounds);
  const std::string kernel = (cell.kernel == "none" ? "" : ", kernel " + cell.kernel) +
                             (cell.curves == "none" ? "" : ", curves " + cell.curves);
  if (!cell.bound) return fmt::format("{}, C {:.4g}{}", name_of(cell.start), cell.C, kernel);
  return fmt::format("{}, C {:.4g}, decay {}, bound {} from {}{}", cell.measure, cell.C, cell.decay,
                     name_of(*cell.bound), name_of(cell.start), kernel);
}

std::string_view choice_name(Choice choice) {
  constexpr std::string_view kChoices[] = {"average", "best", "steady", "one-standard-error"};
  return kChoices[static_cast<std::size_t>(choice)];
}

std::string choice_reason(const TuneResult& tuned, Choice asked) {
  std::string text = fmt::format("{}: {}", choice_name(tuned.choice), rule_text(tuned));
  if (asked != tuned.choice) text += "; these rankers cannot be averaged";
  return text;
}

std::vector<CellsOut> cells_out(const TuneResult& tuned) {
  std::vector<CellsOut> out;
  const auto add = [&out](std::size_t cells, std::string rule) {
    if (cells > 0) out.push_back({cells, std::move(rule)});
  };
  const GridPoint& chosen = largest_share(tuned);
  std::size_t other_kernels = 0, degenerate = 0, far = 0;
  for (const GridPoint& cell : tuned.points) {
    if (cell.chosen()) continue;
    if (cell.kernel != chosen.kernel)
      ++other_kernels;
    else if (cell.degenerate())
      ++degenerate;
    else if (tuned.choice == Choice::average)
      ++far;
  }
  add(degenerate, fmt::format("explained risk below {}: the bound carries no information", kDegenerate));
  add(far, "share below a twentieth of the largest");
  add(other_kernels, fmt::format("of other kernels than {}: a later kernel is taken when it is ahead by more than one "
                                 "standard error of the paired difference",
                                 chosen.kernel));
  for (const Pruned why :
       {Pruned::no_information, Pruned::no_better, Pruned::far_behind, Pruned::cut_short, Pruned::not_reached}) {
    const auto count = [&](bool trees) {
      return static_cast<std::size_t>(
          std::count_if(tuned.pruned.begin(), tuned.pruned.end(),
                        [&](const PrunedPoint& cell) { return cell.why == why && cell.trees.has_value() == trees; }));
    };
    add(count(false), fmt::format("not validated: {}", reason_of(why)));
    add(count(true),
        fmt::format("trees not grown: {}", why == Pruned::no_better ? "fewer leaves did as well" : reason_of(why)));
  }
  return out;
}

std::string end_text(const TuneResult& tuned) {
  if (tuned.end == TuneEnd::whole) return "";
  return fmt::format("{}: {} of {} grid points validated", tuned.end == TuneEnd::stopped ? "interrupted" : "time limit",
                     tuned.points.size(), tuned.num_points());
}

std::string tested_text(const TestedFigure& figure) {
  const std::string interval =
      std::isnan(figure.low) ? "" : fmt::format(", 95 % interval [{:.4f}, {:.4f}]", figure.low, figure.high);
  return fmt::format("{} {:.4f}{}, on {} queries that nothing had seen ({:g} of all, seed {})", figure.measure,
                     figure.mean, interval, figure.queries, figure.share, figure.seed);
}

std::string validated_text(const ValidatedFigure& figure, const std::string& judged_on) {
  const std::string interval =
      std::isnan(figure.low) ? "" : fmt::format(", 95 % interval [{:.4f}, {:.4f}]", figure.low, figure.high);
  return fmt::format("{:.4f}{}, on {} ({} queries)", figure.mean, interval, judged_on, figure.queries);
}

// A constant feature has the weight 0 under any constraint.
std::vector<std::string> bound_features(const Model& model) {
  const FeatureStatistics& values = model.data.statistics;
  std::vector<std::string> names;
  const auto level = [&](std::size_t j) {
    if (model.weights[j] != 0) return false;
    return !model.curves || std::all_of(model.curves->features[j].rises.begin(), model.curves->features[j].rises.end(),
                                        [](double rise) { return rise == 0; });
  };
  for (std::size_t j = 0; j < model.signs.size(); ++j)
    if (model.signs[j] != 0 && level(j) && !(values.known() && values.minimum[j] == values.maximum[j]))
      names.push_back(model.features[j]);
  return names;
}

std::string signs_text(const Model& model) {
  constexpr std::size_t kMostShown = 10;
  if (model.signs.empty()) return "";
  std::vector<std::string> names = bound_features(model);
  const std::size_t count = names.size();
  if (count > kMostShown) {
    names.resize(kMostShown);
    names.emplace_back("...");
  }
  const auto having = [&](std::int8_t sign) { return std::count(model.signs.begin(), model.signs.end(), sign); };
  return fmt::format("{} weights >= 0, {} <= 0; {}{}", having(1), having(-1),
                     count == 0   ? "none is held at 0"
                     : count == 1 ? "1 is held at 0: "
                                  : fmt::format("{} are held at 0: ", count),
                     fmt::join(names, ", "));
}

}  // namespace dorm::pages
