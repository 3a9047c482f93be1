// SPDX-License-Identifier: Apache-2.0
// `dorm convert`: one format of judged documents into another.
#include <fmt/format.h>

#include <memory>

#include "base/json.h"
#include "command.h"
#include "command_line.h"
#include "dorm/error.h"
#include "input/added_columns.h"
#include "input/input.h"
#include "options/option_group.h"
#include "options/written_files.h"
#include "run/output.h"

namespace dorm::cli {
namespace {

constexpr const char* kConvertDescription =
    "Change the format of a file of judged documents.\n"
    "\n"
    "The binary form .dorm is mapped into memory, so that large data loads at once and processes share it. It\n"
    "keeps ids, groups, weights, feature names and the order of the rows. LETOR text has no query weights and no\n"
    "feature names.\n"
    "\n"
    "Responses of Elasticsearch, OpenSearch (ltr_log) and Solr ([features]) are read, too, with labels from\n"
    "--qrels; documents without a judgment get label -1, or the label of --unjudged. The query id of a response\n"
    "is its field \"qid\", a line of --query-ids, or Solr's parameter qid or q; --query-column names another.\n"
    "\n"
    "--shards N writes a folder of .dorm files, part-00000-of-0000N.dorm and so on. Each has whole queries,\n"
    "assigned by a hash of their ids and in an order that does not depend on the rows. The data may be larger\n"
    "than memory. train, eval, rank and info read the folder, or a quoted pattern of files.\n"
    "\n"
    "--sets adds columns that compare each document with the documents of its query in another file;\n"
    "--user-features adds the features of the user, who is the query, as columns user:NAME.";

constexpr const char* kConvertFooter =
    "Examples:\n"
    "  dorm convert train.txt train.dorm\n"
    "  dorm convert judgments.csv --label-column grade --query-column query judgments.dorm\n"
    "  dorm convert train.dorm train.txt.zst\n"
    "  dorm convert web.csv - | head\n"
    "  dorm convert big.txt big/ --shards 256\n"
    "  dorm convert log.json train.csv --qrels judgments.qrels\n"
    "  dorm convert candidates.txt train.csv --sets authors.txt --similarity mean:attribute --only-added\n"
    "  dorm convert judged.csv train.csv --user-features users.csv\n"
    "  zcat web.csv.gz | dorm convert - - --to csv --ignore-column title | head\n";

constexpr double kMostShards = 65536;

struct ConvertArguments {
  std::string in, out, format;
  std::size_t shards = 0;  // 0: one file
  InputArguments input;
  AddedColumns added;
};

void convert_into_shards(const ConvertArguments& arguments, const Settings& settings) {
  require_option(!names_many_files(arguments.in), "IN", "expected one file to make shards of");
  const ShardsWritten written =
      load_into_shards(arguments.in, arguments.out, arguments.shards, arguments.input, settings);
  const Json json = {{"folder", arguments.out},
                     {"shards", arguments.shards},
                     {"files", written.files},
                     {"queries", written.queries},
                     {"documents", written.documents}};
  if (settings.json)
    print(printable_json(json, 2) + "\n");
  else if (!settings.quiet)
    print(fmt::format("{} shards in {}, {} of them with documents: {} queries, {} documents\n", arguments.shards,
                      arguments.out, written.files, written.queries, written.documents));
}

}  // namespace

Action declare_convert(CLI::App& app, const Settings& settings) {
  auto arguments = std::make_shared<ConvertArguments>();
  app.add_option(
      "IN", arguments->in,
      "file to read: LETOR, CSV, TSV, JSON lines, .dorm, or responses of a\nsearch engine; text may be .gz or "
      ".zst; - is standard input");
  CLI::Option* const out = written(
      app.add_option("OUT", arguments->out,
                     "file to write; format by extension: .dorm, .csv, .tsv, else LETOR;\n.gz and .zst compress; "
                     "- is standard output; with --shards a\nnew folder"));
  const OptionGroup output(app, "Output");
  output.add("--to", arguments->format, "NAME", "format to write, for any name of OUT: letor, csv, tsv or binary");
  output.number_function<std::size_t>(
      "--shards",
      [arguments, out](std::size_t shards) {
        arguments->shards = shards;
        out->type_name(kNewFolder);
      },
      whole_from(1, kMostShards), "N", "write N shards, as .dorm files, into the new folder OUT");
  add_input_options(app, arguments->input);
  const OptionGroup reading(app, "Reading");
  reading.add("--qrels", arguments->input.qrels, "FILE",
              "labels, by query and document id: TREC judgments, or a table with\ncolumns qid, docid and label");
  add_column_options(app, arguments->added);
  app.description(kConvertDescription);
  app.footer(kConvertFooter);
  return [arguments, &settings] {
    require_option(!arguments->in.empty(), "IN", "expected the file to read");
    require_option(!arguments->out.empty(), "OUT", "expected the file to write, or - for standard output");
    const DataFormat format = parse_output_format(arguments->format);
    if (arguments->shards > 0 && format != DataFormat::detect && format != DataFormat::binary)
      throw Error(ErrorCode::bad_option, fmt::format("--to {} with --shards; expected binary", arguments->format));
    check_added_columns(arguments->added);
    if (arguments->shards > 0 && arguments->added.given())
      throw Error(ErrorCode::unsupported,
                  "--sets and --user-features exclude --shards; expected one file first, then its shards");
    if (arguments->shards > 0) return convert_into_shards(*arguments, settings);
    const Dataset data = load(arguments->in, arguments->input, settings, {.labels = false}).data;
    write_data(add_columns(data, arguments->added, arguments->input, settings), arguments->out, format);
  };
}

}  // namespace dorm::cli
