// SPDX-License-Identifier: Apache-2.0
#include "input.h"

#include <fmt/format.h>

#include <array>
#include <memory>

#include "dorm/catalog.h"
#include "dorm/error.h"
#include "messages.h"
#include "option_group.h"
#include "progress.h"

namespace dorm::cli {
namespace {

constexpr std::array<CatalogEntry, 5> kInputFormats = {{
    {.name = "detect", .usage = "detect", .help = "by content, then by extension"},
    {.name = "letor", .usage = "letor", .help = "LETOR or SVMlight text"},
    {.name = "csv", .usage = "csv", .help = "comma-separated, with a header"},
    {.name = "tsv", .usage = "tsv", .help = "tab-separated, with a header"},
    {.name = "binary", .usage = "binary", .help = "the binary form"},
}};
constexpr std::array<CatalogEntry, 3> kMissing = {{
    {.name = "error", .usage = "error", .help = "refuse them"},
    {.name = "zero", .usage = "zero", .help = "become 0"},
    {.name = "mean", .usage = "mean", .help = "become the mean of the column"},
}};

// The position of `name` in a table whose order is that of the enumeration.
template <class Enum>
Enum parse(std::string_view kind, std::string_view name, std::span<const CatalogEntry> known) {
  for (std::size_t i = 0; i < known.size(); ++i)
    if (known[i].name == name) return static_cast<Enum>(i);
  throw_unknown_name(kind, name, known);
}

}  // namespace

void add_input_options(CLI::App& app, InputArguments& arguments) {
  ReadOptions& options = arguments.options;
  const OptionGroup reading(app, "Reading");
  reading.add("--input-format", arguments.format, "NAME",
              "letor, csv, tsv or binary; by default by content and extension");
  reading.add("--missing", arguments.missing, "NAME",
              "NaN and infinite features: error (default), zero, or mean of\nthe column");
  reading.add("--unjudged", arguments.unjudged, "NAME",
              fmt::format("documents with a negative label: grade, below 0; bad, as label 0;\ndrop; auto: bad where "
                          "labels are whole numbers and none is\nbelow -1, else grade ({})",
                          arguments.unjudged));
  reading.add("--label-column", options.label_column, "NAME", "CSV: column of the labels (label)");
  reading.add("--query-column", options.query_column, "NAME", "CSV: column of the query ids (qid)");
  reading.add("--document-column", options.document_column, "NAME", "CSV: column of the document ids, if any (docid)");
  reading.add("--group-column", options.group_column, "NAME", "CSV: column of the groups, if any (group)");
  reading.add("--weight-column", options.weight_column, "NAME", "CSV: column of the query weights, if any (weight)");
  reading.add("--ignore-column", options.ignore_columns, "NAME", "CSV: a column to leave out; may be repeated")
      ->expected(1)
      ->take_all();
  reading.flag("!--no-side-files", options.side_files, "do not look for FILE.query, FILE.group and FILE.weight");
}

void add_one_per_option(CLI::App& app, std::string& rule, InputArguments& arguments, const char* group,
                        const std::string& help) {
  const auto resolve = [&rule, &arguments](const std::string& asked) {
    rule = asked;
    const std::size_t colon = std::min(asked.find(':'), asked.size());
    const std::string name = asked.substr(0, colon);
    if (name.empty() || name == "host" || name == "domain" || name == "none") return;
    arguments.options.need_groups = true;
    if (name == "group") return;
    arguments.groups_from = name;
    arguments.options.group_column = name;
    rule = "group" + asked.substr(colon);
  };
  app.add_option_function<std::string>("--one-per", resolve, help)->option_text("GROUP[:k]")->group(group);
}

Loaded load(const std::string& path, const InputArguments& arguments, const Settings& settings) {
  ReadOptions options = arguments.options;
  options.format = parse<DataFormat>("format", arguments.format, kInputFormats);
  options.missing = parse<Missing>("treatment of missing values", arguments.missing, kMissing);
  const Unjudged unjudged = parse_unjudged(arguments.unjudged);
  options.threads = settings.threads;
  if (options.format == DataFormat::detect) options.format = detect_format(path);
  if (!arguments.groups_from.empty() && options.format != DataFormat::csv && options.format != DataFormat::tsv)
    throw Error(ErrorCode::bad_option,
                fmt::format("--one-per {}: only CSV and TSV have named columns, and {} has none; expected group, "
                            "host or domain",
                            arguments.groups_from, path));
  Loaded loaded;
  loaded.format = kInputFormats[static_cast<std::size_t>(options.format)].name;
  {
    ReadProgress progress(path);
    if (!settings.quiet)
      options.progress = [&progress](std::uint64_t done, std::uint64_t total) { progress.update(done, total); };
    loaded.data = read_dataset(path, options, &loaded.report);
  }
  for (const std::string& warning : loaded.report.warnings) warn(settings, warning);
  std::size_t changed = 0;
  about_file(path, [&] { loaded.data = with_unjudged(loaded.data, unjudged, &changed); });
  if (unjudged == Unjudged::automatic && changed > 0)
    warn(settings, fmt::format("{}: {} documents have label -1: not judged, and taken for label 0; --unjudged grade "
                               "takes them for worse than 0",
                               path, changed));
  return loaded;
}

void warn(const Settings& settings, const std::string& message) {
  if (!settings.quiet) say(fmt::format("dorm: warning: {}\n", message));
}

}  // namespace dorm::cli
