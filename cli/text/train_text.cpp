// SPDX-License-Identifier: Apache-2.0
#include "text/train_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/pages/words.h"
#include "run/output.h"

namespace dorm::cli {
namespace {

const Candidate& chosen_of(const TrainReport& report) {
  return *std::max_element(report.candidates.begin(), report.candidates.end(),
                           [](const Candidate& a, const Candidate& b) { return a.share < b.share; });
}

std::size_t number_chosen(const TrainReport& report) {
  return static_cast<std::size_t>(
      std::count_if(report.candidates.begin(), report.candidates.end(), [](const Candidate& c) { return c.chosen(); }));
}

/// The best of the others by what decided.
const Candidate* runner_up(const TrainReport& report) {
  const bool validated = !std::isnan(chosen_of(report).validation);
  const Candidate* second = nullptr;
  for (const Candidate& candidate : report.candidates) {
    if (candidate.chosen() || (!validated && candidate.bound != chosen_of(report).bound)) continue;
    const bool better = !second || (validated ? candidate.validation > second->validation
                                              : candidate.certificate.primal < second->certificate.primal);
    if (better) second = &candidate;
  }
  return second;
}

// Rounding may leave an explained risk just below 0.
std::string explained_risk_text(double explained_risk) {
  return fmt::format("{:.4f}", std::fabs(explained_risk) < 5e-5 ? 0.0 : explained_risk);
}

std::string candidate_table(const TrainReport& report) {
  std::vector<std::vector<std::string>> rows = {
      {"candidate", "start", "rounds", "primal", "dual", "gap", "status", "explained risk", "validation", "share"}};
  for (const Candidate& c : report.candidates)
    rows.push_back({fmt::format("{}{}", c.chosen() ? "* " : "  ", name_of(c.bound)), std::string(name_of(c.start)),
                    std::to_string(c.rounds), fmt::format("{:.6g}", c.certificate.primal),
                    fmt::format("{:.6g}", c.certificate.dual), fmt::format("{:.2g}", c.certificate.gap),
                    c.certificate.status, explained_risk_text(c.explained_risk),
                    std::isnan(c.validation) ? "-" : fmt::format("{:.4f}", c.validation),
                    fmt::format("{:.2f}", c.share)});
  const std::ptrdiff_t best = &chosen_of(report) - report.candidates.data();
  return aligned(rows, 1 + static_cast<std::size_t>(best));
}

// Of the time of the round that was spent on quadratic programs and products with planes.

Json candidate_json(const Candidate& c) {
  return {{"bound", name_of(c.bound)},
          {"start", name_of(c.start)},
          {"rounds", c.rounds},
          {"primal", c.certificate.primal},
          {"dual", c.certificate.dual},
          {"gap", c.certificate.gap},
          {"status", c.certificate.status},
          {"explained_risk", c.explained_risk},
          {"validation", std::isnan(c.validation) ? Json() : Json(c.validation)},
          {"chosen", c.chosen()},
          {"share", c.share}};
}

}  // namespace

double qp_share(const SolveReport& solve) { return solve.seconds > 0 ? solve.qp_seconds / solve.seconds : 0; }

std::string choice_reason(const TrainReport& report, const std::string& measure) {
  const Candidate& chosen = chosen_of(report);
  const Candidate& first = report.candidates.front();
  if (number_chosen(report) > 1 && !std::isnan(chosen.validation))
    return fmt::format("the average of {} candidates, by how they validate", number_chosen(report));
  if (number_chosen(report) > 1)
    return fmt::format("the average of {} candidates: the explained risk of {} is {:.3f}, below {}",
                       number_chosen(report), name_of(first.bound), first.explained_risk,
                       first.chosen() ? kConfident : kDegenerate);
  const std::string name = fmt::format("{} from {}", name_of(chosen.bound), name_of(chosen.start));
  const Candidate* second = runner_up(report);
  if (!second && report.candidates.size() > 1)
    return fmt::format("{}: the explained risk of {} is {:.3f}", name, name_of(first.bound), first.explained_risk);
  if (!second) return name + ": the only candidate";
  if (!std::isnan(chosen.validation))
    return fmt::format("{}: validation {} is {:+.4f} against {} from {}", name, measure,
                       chosen.validation - second->validation, name_of(second->bound), name_of(second->start));
  return fmt::format("{}: its objective is {:.2f} % below that of the start {}", name,
                     100 * (1 - chosen.certificate.primal / second->certificate.primal), name_of(second->start));
}

namespace {

/// `chosen`: what is to be said of that; empty: nothing.
std::string model_lines(const TrainResult& result, const std::string& model_path, const std::string& chosen) {
  const Model& model = result.model;
  const TrainReport& report = result.report;
  std::string text;
  const auto line = [&text](const char* name, const std::string& value) {
    text += fmt::format("{:<15}{}\n", name, value);
  };
  if (!chosen.empty()) line("chosen", chosen);
  if (!std::isnan(model.validation)) line("validation", fmt::format("{:.4f}", model.validation));
  line("trained for", fmt::format("{} ({}), C {:g}, decay {}, scaling {}{}", model.measure, model.convention, model.C,
                                  model.decay.empty() ? "-" : model.decay, name_of(model.scaling.kind),
                                  model.target.empty() ? "" : " for " + model.target));
  if (const std::string signs = pages::signs_text(model); !signs.empty()) line("signs", signs);
  if (!report.kernel.empty()) line("kernel", report.kernel);
  if (model.kernel)
    line("support", fmt::format("{} {} of {} documents", model.kernel->support.num_documents(),
                                model.kernel->fourier ? "frequencies for" : "out", model.data.documents));
  line("queries", fmt::format("{} used; {} dropped (one label, nothing relevant, or weight 0)",
                              model.data.usable_queries, report.dropped_queries));
  if (model.bound != "none") {
    line("certificate",
         fmt::format(
             "{}primal {:.6g}, dual {:.6g}, relative gap {:.2g}: {}{}",
             model.parts.empty() ? "" : "of the largest part: ", model.certificate.primal, model.certificate.dual,
             model.certificate.gap, model.certificate.status,
             model.bound == "predicted" ? "; predicted is not convex: the gap certifies the last round only" : ""));
    line("explained risk",
         fmt::format("{}{}", explained_risk_text(model.explained_risk),
                     model.explained_risk < kDegenerate ? ": the bound is degenerate, do not trust the weights" : ""));
  }
  if (const std::string effort = pages::effort_text(report.solve); !effort.empty())
    line("solver", fmt::format("{}, last round: {}", model.solver, effort));
  line("seconds", fmt::format("{:.2f}", report.seconds));
  line("model", model_path);
  return text;
}

}  // namespace

std::string train_text(const TrainResult& result, const std::string& model_path) {
  return candidate_table(result.report) + "\n" +
         model_lines(result, model_path, choice_reason(result.report, result.model.measure));
}

std::string delivered_text(const TrainResult& result, const std::string& model_path) {
  return model_lines(result, model_path, "");
}

Json train_json(const TrainResult& result, const std::string& model_path) {
  const Model& model = result.model;
  const TrainReport& report = result.report;
  Json candidates = Json::array();
  for (const Candidate& candidate : report.candidates) candidates.push_back(candidate_json(candidate));
  return {{"model", model_path},
          {"measure", model.measure},
          {"convention", model.convention},
          {"C", model.C},
          {"decay", model.decay},
          {"bound", model.bound},
          {"start", model.start},
          {"scaling", name_of(model.scaling.kind)},
          {"target", model.target},
          {"held_at_0", pages::bound_features(model)},
          {"kernel", report.kernel},
          {"support", model.kernel ? model.kernel->support.num_documents() : 0},
          {"candidates", std::move(candidates)},
          {"reason", report.candidates.empty() ? "" : choice_reason(report, model.measure)},
          {"parts", model.parts.size()},
          {"usable_queries", model.data.usable_queries},
          {"dropped_queries", report.dropped_queries},
          {"certificate",
           {{"primal", model.certificate.primal},
            {"dual", model.certificate.dual},
            {"gap", model.certificate.gap},
            {"status", model.certificate.status},
            {"last_round_only", model.bound == "predicted"}}},
          {"explained_risk", model.explained_risk},
          {"validation", std::isnan(model.validation) ? Json() : Json(model.validation)},
          {"passes", report.solve.passes},
          {"oracle_calls", report.solve.oracle_calls},
          {"planes", report.solve.planes},
          {"support_vectors", report.solve.support_vectors},
          {"qp_share", qp_share(report.solve)},
          {"seconds", report.seconds},
          {"warnings", report.warnings}};
}

}  // namespace dorm::cli
