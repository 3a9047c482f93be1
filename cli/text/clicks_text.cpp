// SPDX-License-Identifier: Apache-2.0
#include "text/clicks_text.h"

#include <fmt/format.h>

#include "input/click_log_input.h"

namespace dorm::cli {
namespace {

std::string click_line(std::string_view head, const std::string& text) {
  return fmt::format("{:<12} {}\n", head, text);
}

std::string weights_text(const ClicksReport& report) {
  const ClickGains& gains = report.gains;
  std::string text = click_line("clicks", fmt::format("{:.6g} of {:.6g} impressions", gains.clicks, gains.impressions));
  if (!report.weighted) return text + click_line("weights", "none: gains are click rates, with all bias of positions");
  text += click_line("weights", fmt::format("worth {:.6g} equal clicks; {:.6g} clicks clipped at {}, {:.2f} % of the "
                                            "weight",
                                            gains.effective_clicks, gains.clipped_clicks, report.options.clip,
                                            100 * gains.clipped_share));
  if (gains.shifted_queries > 0)
    text += click_line("shifted", fmt::format("{} queries had gains below 0: all gains of such a query were raised by "
                                              "the same amount",
                                              gains.shifted_queries));
  return text;
}

std::string joined_text(const JudgedByClicks& joined) {
  std::string text = click_line(
      "judged", fmt::format("{} documents of {} queries", joined.data.num_documents(), joined.data.num_queries()));
  if (joined.never_shown > 0)
    text += click_line("never shown", fmt::format("{} of them: nothing is known, and no weight corrects it; they count "
                                                  "as not clicked",
                                                  joined.never_shown));
  if (joined.without_features > 0 || joined.queries_without_features > 0)
    text += click_line("no features", fmt::format("{} documents, and {} queries of the log", joined.without_features,
                                                  joined.queries_without_features));
  if (joined.queries_not_logged > 0)
    text += click_line("not logged", fmt::format("{} queries of the features, omitted", joined.queries_not_logged));
  return text;
}

}  // namespace

std::string clicks_text(const ClicksReport& report) {
  std::string text = click_line("log", click_log_summary(report.counts, report.log)) + weights_text(report);
  return report.joined ? text + joined_text(*report.joined) : text;
}

Json clicks_json(const ClicksReport& report) {
  const ClickGains& gains = report.gains;
  Json json = {{"rows", report.log.rows},
               {"pruned", report.log.pruned},
               {"queries", report.counts.queries.size()},
               {"documents", report.counts.documents.size()},
               {"positions", report.counts.num_positions()},
               {"impressions", gains.impressions},
               {"clicks", gains.clicks},
               {"weighted", report.weighted},
               {"effective_clicks", gains.effective_clicks},
               {"clip", report.options.clip},
               {"clipped_clicks", gains.clipped_clicks},
               {"clipped_share", gains.clipped_share},
               {"shifted_queries", gains.shifted_queries}};
  if (!report.joined) return json;
  json["judged"] = {{"queries", report.joined->data.num_queries()},
                    {"documents", report.joined->data.num_documents()},
                    {"never_shown", report.joined->never_shown},
                    {"without_features", report.joined->without_features},
                    {"queries_without_features", report.joined->queries_without_features},
                    {"queries_not_logged", report.joined->queries_not_logged}};
  return json;
}

}  // namespace dorm::cli
