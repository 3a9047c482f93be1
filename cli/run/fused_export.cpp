// SPDX-License-Identifier: Apache-2.0
#include "run/fused_export.h"

#include <fmt/format.h>

#include "base/json.h"
#include "dorm/export.h"
#include "dorm/fusion/export_fused.h"
#include "dorm/fusion/fuse.h"
#include "input/runs_input.h"
#include "run/output.h"

namespace dorm::cli {
namespace {

constexpr std::size_t kComparedTop = 10;

std::string fused_check_text(const FusedModel& model, const ExportedFusion& exported, const FusedExport& arguments,
                             const Settings& settings) {
  const std::vector<NamedRun> runs = in_order_of(model.input, load_runs(listed_runs(arguments.check), settings));
  const JoinedRuns ours = join_runs(runs, {}, model.input, {.threads = settings.threads});
  const JoinedRuns theirs = join_runs(runs, {}, model.input, {.threads = settings.threads, .rule = exported.rule});
  const ServedDifference difference = served_difference(ours.data, fused_scores(ours.data, model.model.weights),
                                                        fused_scores(theirs.data, exported.weights), 0, kComparedTop);
  if (settings.json)
    return printable_json({{"target", arguments.target},
                           {"data", arguments.check},
                           {"queries", difference.queries},
                           {"changed_queries", difference.changed_queries},
                           {"top", kComparedTop}},
                          2) +
           "\n";
  return fmt::format("check        {} as {} fuses them\ntop {}       changes in {} of {} queries\n", arguments.check,
                     arguments.target, kComparedTop, difference.changed_queries, difference.queries);
}

}  // namespace

void write_fused_export(const FusedModel& model, const FusedExport& arguments, const Settings& settings) {
  const ExportedFusion exported = export_fused(model, arguments.target);
  const std::string text = arguments.check.empty() ? "" : fused_check_text(model, exported, arguments, settings);
  write_text(arguments.output, exported.text);
  for (const std::string& note : exported.notes)
    if (!settings.quiet) say(fmt::format("dorm: {}\n", note));
  if (text.empty()) return;
  if (arguments.output == "-")
    say(text);
  else
    print(text);
}

}  // namespace dorm::cli
