// SPDX-License-Identifier: Apache-2.0
#include "report/pages/train_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dorm/apps/pages.h"
#include "report/pages/convergence.h"
#include "report/pages/evidence.h"
#include "report/pages/few_section.h"
#include "report/pages/model_facts.h"
#include "report/pages/profile.h"
#include "report/pages/provenance.h"
#include "report/pages/quality.h"
#include "report/pages/words.h"

namespace dorm::pages {
namespace {

std::vector<Judgement> judge_all(const TrainingReportData& report_data, std::size_t threads) {
  std::vector<Judgement> out;
  const auto add = [&](const Dataset& data, const char* name) {
    out.push_back(judge(report_data.result.model, data, name, report_data.measure, threads));
  };
  if (report_data.test) add(*report_data.test, "test queries");
  if (report_data.valid) add(*report_data.valid, "validation data");
  add(report_data.train, "training data");
  out.front().texts = report_data.texts;
  return out;
}

std::vector<report::Fact> highlights(const TrainingReportData& report_data, const Judgement& judgement,
                                     const Evidence& evidence) {
  const Model& model = report_data.result.model;
  const MeasureResult& m = judgement.table.measures[0];
  std::vector<report::Fact> facts = {
      {fmt::format("{}, {}", m.name, judgement.name), fmt::format("{:.4f}", m.mean),
       std::isnan(m.low) ? "" : fmt::format("95 % interval [{:.4f}, {:.4f}]", m.low, m.high)}};
  for (const Yardstick& yardstick : evidence.yardsticks)
    facts.push_back({yardstick.name, fmt::format("{:.4f}", yardstick.figure.mean)});
  facts.push_back({"random order", fmt::format("{:.4f}", judgement.random_mean[0]), "expected"});
  if (model.bound != "none")
    facts.push_back({"explained risk", fmt::format("{:.3f}", std::max(0.0, model.explained_risk)),
                     explained_risk_words(model.explained_risk)});
  facts.push_back(size_fact(model));
  facts.push_back(speed_fact(model, *judgement.data));
  return facts;
}

report::Table parts_table(const Model& model) {
  report::Table table{
      .caption = model.folds > 0 ? fmt::format("Parts of the average, each over {} folds", model.folds)
                                 : "Parts of the average",
      .columns = {report::number_column("share", 3, "of the scores, every part at unit spread"),
                  report::text_column("bound", "none: the cheap ranker itself"), report::text_column("start"),
                  report::text_column("decay"), report::significant_column("C", 4),
                  report::significant_column("gap", 2, "(primal - dual) / primal"),
                  report::number_column("explained risk", 3), report::number_column("validation")}};
  for (const ModelPart& part : model.parts)
    table.rows.push_back({part.share, part.bound, part.start, part.decay, part.C, part.certificate.gap,
                          part.bound == "none" ? report::kMissing : part.explained_risk, part.validation});
  return table;
}

report::Section result_section(const TrainingReportData& report_data) {
  const Model& model = report_data.result.model;
  const TrainReport& report = report_data.result.report;
  report::Section section{"Result"};
  for (const std::string& warning : report.warnings) section.blocks.push_back(report::Notice{.text = warning});
  if (report_data.interrupted)
    section.blocks.push_back(report::Notice{.text = "training was interrupted; the model is the best so far"});
  if (!report_data.valid && !report_data.test)
    section.blocks.push_back(report::Notice{
        .text = "no validation data: figures below are on the data the model was fitted to, and flatter it"});
  if (!report.candidates.empty()) section.blocks.push_back(candidates_table(report, model.measure));
  if (!model.parts.empty()) section.blocks.push_back(parts_table(model));
  report::Facts facts;
  const auto add = [&facts](const char* name, const std::string& value, const std::string& note = "") {
    facts.facts.push_back({name, value, note});
  };
  if (!report_data.reason.empty()) add("chosen", report_data.reason);
  if (model.bound == "none") {
    add("method", model.start, "a baseline without certificate");
    add("trained for", model.measure, fmt::format("convention {}", model.convention));
  } else {
    add("trained for", model.measure,
        fmt::format("convention {}, C {:g}, decay {}", model.convention, model.C, model.decay));
    add("certificate",
        fmt::format("primal {:.6g}, dual {:.6g}, relative gap {:.2g}", model.certificate.primal, model.certificate.dual,
                    model.certificate.gap),
        model.bound == "predicted" ? "of the last round only: predicted is not convex" : model.certificate.status);
    add("queries", fmt::format("{} used, {} dropped", model.data.usable_queries, report.dropped_queries),
        "dropped: one label, nothing relevant, or weight 0");
    add("training", fmt::format("{:.3g} s", report.seconds));
    add("explained risk", fmt::format("{:.3f}", std::max(0.0, model.explained_risk)),
        explained_risk_sentence(model.explained_risk));
    if (report.solve.passes > 0) add("solver", model.solver, "last round: " + effort_text(report.solve));
  }
  section.blocks.push_back(std::move(facts));
  return section;
}

std::vector<report::Fact> data_facts(const TrainingReportData& report_data) {
  const DataSummary& data = report_data.result.model.data;
  std::vector<report::Fact> facts = {{"training data", report_data.train_name,
                                      fmt::format("{} queries, {} documents, {} features, fingerprint {:016x}",
                                                  data.queries, data.documents, data.features, data.fingerprint)}};
  if (report_data.test)
    facts.push_back({"test queries", fmt::format("set aside from {}", report_data.train_name),
                     fmt::format("{} queries, {} documents, fingerprint {:016x}", report_data.test->num_queries(),
                                 report_data.test->num_documents(), report_data.test->fingerprint())});
  if (report_data.valid)
    facts.push_back({"validation data", report_data.valid_name,
                     fmt::format("{} queries, {} documents, fingerprint {:016x}", report_data.valid->num_queries(),
                                 report_data.valid->num_documents(), report_data.valid->fingerprint())});
  if (!report_data.model_name.empty()) facts.push_back({"model", report_data.model_name});
  return facts;
}

}  // namespace

report::Report training_page(const TrainingReportData& report_data, std::optional<Evidence> given,
                             const Origin& origin) {
  const Model& model = report_data.result.model;
  const std::vector<Judgement> judgements = judge_all(report_data, origin.threads);
  const Judgement& judged = judgements.front();
  const Evidence evidence = given ? std::move(*given) : gather_evidence(report_data, judged, origin.threads);
  const MeasureResult& measure = judged.table.measures[0];
  report::Report page{.title = fmt::format("A ranker for {}", model.measure),
                      .summary = fmt::format("Trained on {}; evaluated on the {} ({} queries).", report_data.train_name,
                                             judged.name, measure.queries),
                      .highlights = highlights(report_data, judged, evidence),
                      .footer = footer_text(),
                      .verdict = verdict_of(evidence)};
  page.sections.push_back(evidence_section(evidence));
  std::vector<report::Block>& first = page.sections.front().blocks;
  for (report::Notice& leak : leak_notices(report_data.train)) first.insert(first.begin(), std::move(leak));
  page.sections.push_back(result_section(report_data));
  if (report_data.few) page.sections.push_back(few_section(*report_data.few, measure.name));
  page.sections.push_back(cutoff_section(judgements));
  if (!model.weights.empty()) page.sections.push_back(weights_section(model, *judged.data, origin.threads));
  page.sections.push_back(hardest_section(model, judged, origin.threads));
  const std::string shown = report_data.test    ? fmt::format("the test queries of {}", report_data.train_name)
                            : report_data.valid ? report_data.valid_name
                                                : report_data.train_name;
  page.sections.push_back(every_query_section(model, judged, evidence, shown));
  if (!report_data.result.report.candidates.empty())
    page.sections.push_back(convergence_section(report_data.result, report_data.trace));
  page.sections.push_back(profile_section(report_data.train));
  page.sections.push_back(provenance_section(origin, model.seed, data_facts(report_data)));
  return page;
}

report::Report train_page(const TrainingReportData& report_data, const Origin& origin) {
  return training_page(report_data, std::nullopt, origin);
}

}  // namespace dorm::pages
