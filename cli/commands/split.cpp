// SPDX-License-Identifier: Apache-2.0
// `dorm split`: training, validation and test parts of judged documents.
#include "dorm/data/split.h"

#include <fmt/format.h>

#include <memory>

#include "base/json.h"
#include "command.h"
#include "command_line.h"
#include "dorm/error.h"
#include "input/input.h"
#include "options/option_group.h"
#include "run/output.h"

namespace dorm::cli {
namespace {

constexpr const char* kSplitDescription =
    "Divide judged documents into files for training, validation and test.\n"
    "\n"
    "A query is never divided. Queries are drawn at random within layers of queries that have about as many\n"
    "relevant documents (label above 0), so that the parts are alike. The same --seed draws the same queries,\n"
    "whatever their order in the file.\n"
    "\n"
    "judged.csv becomes judged.train.csv, judged.test.csv and, with --valid, judged.valid.csv. LETOR, CSV, TSV\n"
    "and JSON lines keep every line and every column as they are, also text that is not a feature, and .gz and\n"
    ".zst stay compressed; .dorm stays .dorm. All parts appear, or none.\n"
    "\n"
    "For one figure on queries that training has not seen, dorm tune --test does it in one go.";

constexpr const char* kSplitFooter =
    "Examples:\n"
    "  dorm split judged.csv --test 0.2 --query-column query_id --label-column grade\n"
    "  dorm split judged.txt --test 0.2 --valid 0.2 --seed 7 -o parts/judged\n";

struct DivideArguments {
  std::string in, stem;
  SplitOptions options;
  InputArguments input;
};

std::string parts_text(const std::vector<SplitPart>& parts) {
  std::vector<std::vector<std::string>> rows = {{"part", "queries", "documents", "relevant per query", "  file"}};
  for (const SplitPart& part : parts)
    rows.push_back({part.name, fmt::format("{}", part.queries), fmt::format("{}", part.documents),
                    fmt::format("{:.2f}", static_cast<double>(part.relevant) / static_cast<double>(part.queries)),
                    "  " + part.file});
  std::size_t width = 0;
  for (const auto& row : rows) width = std::max(width, row.back().size());
  for (auto& row : rows) row.back().resize(width, ' ');  // names of files stand at the left
  return without_trailing_blanks(aligned(rows));
}

Json parts_json(const std::vector<SplitPart>& parts, const SplitOptions& options) {
  Json list = Json::array();
  for (const SplitPart& part : parts)
    list.push_back({{"part", part.name},
                    {"file", part.file},
                    {"queries", part.queries},
                    {"documents", part.documents},
                    {"relevant", part.relevant}});
  return {{"seed", options.seed}, {"parts", std::move(list)}};
}

}  // namespace

Action declare_split(CLI::App& app, const Settings& settings) {
  auto arguments = std::make_shared<DivideArguments>();
  SplitOptions& options = arguments->options;
  app.add_option("DATA", arguments->in, "judged documents: LETOR, CSV, TSV, JSON lines or .dorm");
  const OptionGroup parts(app, "Parts");
  parts.number("--test", options.test, number_within(0, 1), "SHARE",
               fmt::format("share of the queries for the test ({:g})", options.test));
  parts.number("--valid", options.valid, number_within(0, 1), "SHARE",
               "share of the queries for the validation (none)");
  parts.number("--seed", options.seed, whole_from(0), "N", fmt::format("of the random numbers ({})", options.seed));
  OptionGroup(app, "Output")
      .add("-o,--output", arguments->stem, "STEM", "beginning of the names of the parts (the name of DATA)");
  add_input_options(app, arguments->input);
  app.description(kSplitDescription);
  app.footer(kSplitFooter);
  return [arguments, &settings] {
    require_option(!arguments->in.empty(), "DATA", "expected judged documents to divide");
    if (names_many_files(arguments->in))
      throw Error(ErrorCode::unsupported,
                  fmt::format("{} names several files; expected one, as dorm convert joins them", arguments->in));
    const std::vector<SplitPart> written =
        load_into_parts(arguments->in, arguments->stem, arguments->options, arguments->input, settings);
    print(settings.json ? printable_json(parts_json(written, arguments->options), 2) + "\n" : parts_text(written));
  };
}

}  // namespace dorm::cli
