// SPDX-License-Identifier: Apache-2.0
// `dorm convert`: one format of judged documents into another.
#include <memory>

#include "command.h"
#include "input.h"
#include "output.h"
#include "usage.h"
#include "written_files.h"

namespace dorm::cli {
namespace {

constexpr const char* kConvertDescription =
    "Change the format of a file of judged documents.\n"
    "\n"
    "The binary form .dorm is mapped into memory, so that large data is used at once and shared between\n"
    "processes. It keeps everything: ids, groups, weights, feature names and the order of the rows. LETOR\n"
    "text has no place for query weights and feature names.";

constexpr const char* kConvertFooter =
    "Examples:\n"
    "  dorm convert train.txt train.dorm\n"
    "  dorm convert judgments.csv --label-column grade --query-column query judgments.dorm\n"
    "  dorm convert train.dorm train.txt.zst\n"
    "  dorm convert web.csv - | head\n"
    "  zcat web.csv.gz | dorm convert - - --to csv --ignore-column title | head\n";

}  // namespace

Action declare_convert(CLI::App& app, const Settings& settings) {
  struct Arguments {
    std::string in, out, format;
    InputArguments input;
  };
  auto arguments = std::make_shared<Arguments>();
  app.add_option("IN", arguments->in,
                 "file to read: LETOR, CSV, TSV, JSON lines or .dorm; text may be .gz\nor .zst; - is standard input");
  written(app.add_option("OUT", arguments->out,
                         "file to write; format by extension: .dorm, .csv, .tsv, else LETOR;\n.gz and .zst compress; "
                         "- is standard output"));
  app.add_option("--to", arguments->format, "format to write, whatever OUT is called: letor, csv, tsv or binary")
      ->option_text("NAME")
      ->group("Output");
  add_input_options(app, arguments->input);
  app.description(kConvertDescription);
  app.footer(kConvertFooter);
  return [arguments, &settings] {
    require_option(!arguments->in.empty(), "IN", "expected the file to read");
    require_option(!arguments->out.empty(), "OUT", "expected the file to write, or - for standard output");
    const DataFormat format = parse_output_format(arguments->format);
    write_data(load(arguments->in, arguments->input, settings, {.labels = false}).data, arguments->out, format);
  };
}

}  // namespace dorm::cli
