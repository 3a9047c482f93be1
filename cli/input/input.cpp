// SPDX-License-Identifier: Apache-2.0
#include "input/input.h"

#include <fmt/format.h>

#include <array>
#include <memory>

#include "dorm/base/catalog.h"
#include "dorm/data/prepare.h"
#include "dorm/error.h"
#include "input/remedies.h"
#include "options/option_group.h"
#include "report/pages/words.h"
#include "run/output.h"
#include "run/progress.h"
#include "text/messages.h"
#include "text/style.h"

namespace dorm::cli {
namespace {

constexpr std::array<CatalogEntry, 7> kInputFormats = {{
    {.name = "detect", .usage = "detect", .help = "by content, then by extension"},
    {.name = "letor", .usage = "letor", .help = "LETOR or SVMlight text"},
    {.name = "csv", .usage = "csv", .help = "comma-separated, with a header"},
    {.name = "tsv", .usage = "tsv", .help = "tab-separated, with a header"},
    {.name = "binary", .usage = "binary", .help = "the binary form"},
    {.name = "jsonl", .usage = "jsonl", .help = "JSON lines: an object per document or query"},
    {.name = "log", .usage = "log", .help = "answers of a search engine with logged features, as JSON"},
}};
constexpr std::array<CatalogEntry, 4> kMissing = {{
    {.name = "error", .usage = "error", .help = "refuse them"},
    {.name = "zero", .usage = "zero", .help = "become 0"},
    {.name = "mean", .usage = "mean", .help = "become the mean of the column"},
    {.name = "keep", .usage = "keep", .help = "stay missing, for models of trees"},
}};

// The position of `name` in a table whose order is that of the enumeration.
template <class Enum>
Enum parse(std::string_view kind, std::string_view name, std::span<const CatalogEntry> known) {
  for (std::size_t i = 0; i < known.size(); ++i)
    if (known[i].name == name) return static_cast<Enum>(i);
  throw_unknown_name(kind, name, known);
}

// What the command line says, and what it leaves to the data or the model that the file goes with.
ReadOptions read_options(const std::string& path, const InputArguments& arguments, const Expected& expected) {
  ReadOptions options;
  options.format = parse<DataFormat>("format", arguments.format, kInputFormats);
  options.need_groups = arguments.need_groups;
  options.side_files = arguments.side_files;
  options.need_labels = expected.labels;
  options.judgments = arguments.qrels;
  if (!arguments.query_ids.empty()) options.query_ids = read_lines(arguments.query_ids);
  if (expected.like) {
    options.missing = expected.like->missing;
    options.columns = expected.like->columns;
  }
  if (expected.features) {
    options.features = *expected.features;
    options.columns.ignored.clear();  // others are not looked at, whether they are there or not
  }
  for (const auto role :
       {&ColumnRoles::label, &ColumnRoles::query, &ColumnRoles::document, &ColumnRoles::group, &ColumnRoles::weight})
    if (!(arguments.columns.*role).empty()) options.columns.*role = arguments.columns.*role;
  if (!arguments.columns.ignored.empty()) options.columns.ignored = arguments.columns.ignored;
  if (!arguments.missing.empty())
    options.missing = parse<Missing>("treatment of missing values", arguments.missing, kMissing);
  if (options.missing == Missing::mean && expected.like) {
    options.means = expected.like->means;
    if (options.means.empty())
      throw Error(ErrorCode::bad_option,
                  fmt::format("--missing mean for {}: the model has no means of its training data, and those of "
                              "another file would change its scores; expected a model trained with --missing mean, or "
                              "--missing zero",
                              path));
  }
  return options;
}

/// Shows how far the reading is, and turns remedies into options.
template <class Read>
auto read_shown(const std::string& path, const Settings& settings, const Expected& expected, ReadOptions& options,
                const Read& read) {
  ReadProgress progress(path);
  if (!settings.quiet)
    options.progress = [&progress](std::uint64_t done, std::uint64_t total) { progress.update(done, total); };
  try {
    return read();
  } catch (const Error& error) {
    if (error.remedies().empty()) throw;
    throw with_options(error, expected.features != nullptr);
  }
}

Dataset read_joined(const std::string& pattern, const std::vector<std::string>& files, const ReadOptions& options,
                    ReadReport& report) {
  if (files.size() == 1) return read_dataset(files.front(), options, &report);
  std::vector<Dataset> parts;
  for (const std::string& file : files) {
    ReadReport of_part;
    parts.push_back(read_dataset(file, options, &of_part));
    report.bytes += of_part.bytes;
    report.format = of_part.format;
    report.warnings.insert(report.warnings.end(), of_part.warnings.begin(), of_part.warnings.end());
  }
  return about_file(pattern, [&] { return join(std::move(parts)); });
}

void warn_of_unjudged(const std::string& path, Unjudged rule, std::uint64_t changed, const Settings& settings) {
  if (rule == Unjudged::automatic && changed > 0)
    warn(settings, fmt::format("{}: {} documents have label -1, which counts as label 0; --unjudged grade "
                               "takes them for worse than 0",
                               path, changed));
}

}  // namespace

std::span<const CatalogEntry> input_formats() { return kInputFormats; }

void add_input_options(CLI::App& app, InputArguments& arguments) {
  ColumnRoles& columns = arguments.columns;
  const OptionGroup reading(app, "Reading");
  reading.add("--input-format", arguments.format, "NAME",
              "letor, csv, tsv, jsonl, binary or log (of a search engine)\n(by content and extension)");
  reading.add("--missing", arguments.missing, "NAME",
              "NaN and infinite features: error, zero, mean of the training data,\nor keep, for trees (that of the "
              "model, else error)");
  reading.add("--unjudged", arguments.unjudged, "NAME",
              fmt::format("documents with a negative label: grade, as a grade; bad, as label 0;\ndrop; auto: bad where "
                          "labels are integers from -1 on, else\ngrade ({})",
                          arguments.unjudged));
  reading.add("--label-column", columns.label, "NAME", "CSV: column of the labels (label, or that of the model)");
  reading.add("--query-column", columns.query, "NAME", "CSV: column of the query ids (qid, or that of the model)");
  reading.add("--document-column", columns.document, "NAME", "CSV: column of the document ids, if any (docid)");
  reading.add("--group-column", columns.group, "NAME", "CSV: column of the groups, if any (group)");
  reading.add("--weight-column", columns.weight, "NAME", "CSV: column of the query weights, if any (weight)");
  reading.add("--ignore-column", columns.ignored, "NAMES", "CSV: columns to ignore, as a,b; may be repeated")
      ->expected(1)
      ->take_all();
  reading.add("--query-ids", arguments.query_ids, "FILE",
              "log of a search engine: query ids, a line for each response");
  reading.flag("!--no-side-files", arguments.side_files, "do not look for FILE.query, FILE.group and FILE.weight");
}

DataFormat parse_output_format(const std::string& name) {
  const std::span<const CatalogEntry> known = std::span(kInputFormats).first(5);  // JSON is not written
  return name.empty() ? DataFormat::detect : parse<DataFormat>("format", name, known);
}

void add_one_per_option(CLI::App& app, std::string& rule, InputArguments& arguments, const char* group,
                        const std::string& help) {
  const auto resolve = [&rule, &arguments](const std::string& asked) {
    rule = asked;
    const std::size_t colon = std::min(asked.find(':'), asked.size());
    const std::string name = asked.substr(0, colon);
    if (name.empty() || name == "host" || name == "domain" || name == "none") return;
    arguments.need_groups = true;
    if (name == "group") return;
    arguments.groups_from = name;
    arguments.columns.group = name;
    rule = "group" + asked.substr(colon);
  };
  app.add_option_function<std::string>("--one-per", resolve, help)->option_text("GROUP[:k]")->group(group);
}

std::vector<std::string> data_files(const std::string& pattern) {
  return names_many_files(pattern) ? files_named_by(pattern) : std::vector{pattern};
}

Loaded load(const std::string& path, const InputArguments& arguments, const Settings& settings,
            const Expected& expected) {
  return load(path, data_files(path), arguments, settings, expected);
}

Loaded load(const std::string& path, const std::vector<std::string>& files, const InputArguments& arguments,
            const Settings& settings, const Expected& expected) {
  ReadOptions options = read_options(path, arguments, expected);
  const Unjudged unjudged = parse_unjudged(arguments.unjudged);
  options.threads = settings.threads;
  Loaded loaded;
  loaded.data =
      read_shown(path, settings, expected, options, [&] { return read_joined(path, files, options, loaded.report); });
  const DataFormat format = loaded.report.format;
  loaded.format = kInputFormats[static_cast<std::size_t>(format)].name;
  if (!arguments.groups_from.empty() && (format == DataFormat::letor || format == DataFormat::binary))
    throw Error(ErrorCode::bad_option,
                fmt::format("--one-per {}: only CSV, TSV and JSON have named columns, and {} has none; expected "
                            "group, host or domain",
                            arguments.groups_from, path));
  for (const std::string& warning : loaded.report.warnings) warn(settings, warning);
  std::size_t changed = 0;
  about_file(path, [&] { loaded.data = with_unjudged(loaded.data, unjudged, &changed); });
  warn_of_unjudged(path, unjudged, changed, settings);
  return loaded;
}

ShardsWritten load_into_shards(const std::string& path, const std::string& folder, std::size_t num_shards,
                               const InputArguments& arguments, const Settings& settings) {
  const Expected expected{.labels = false};
  ReadOptions options = read_options(path, arguments, expected);
  const Unjudged unjudged = parse_unjudged(arguments.unjudged);
  options.threads = settings.threads;
  ReadReport report;
  const ShardsWritten written = read_shown(path, settings, expected, options, [&] {
    return write_stoppable([&](const FileWriter& writer) {
      return about_file(
          path, [&] { return convert_to_shards(path, folder, num_shards, options, unjudged, writer, &report); });
    });
  });
  for (const std::string& warning : report.warnings) warn(settings, warning);
  warn_of_unjudged(path, unjudged, written.unjudged, settings);
  return written;
}

void warn_of_leaks(const Dataset& data, const std::string& path, const Settings& settings) {
  if (settings.quiet) return;
  for (const LabelLeak& leak : find_label_leaks(data)) {
    if (!data.has_labels()) {
      warn(settings, fmt::format("{}: there are no labels, and feature \"{}\" is named like one; did you mean {}?",
                                 path, leak.feature, option_text({Remedy::Kind::label_column, {leak.feature}})));
      continue;
    }
    const bool sure = leak.kind != LabelLeak::Kind::name;
    const std::string out = data.has_feature_names()
                                ? "; " + option_text({Remedy::Kind::ignore_columns, {leak.feature}}) + " leaves it out"
                                : "";
    warn(settings,
         fmt::format("{}: feature \"{}\" {}: {}a ranker that learns from it is of no use where labels are not "
                     "known{}",
                     path, leak.feature, pages::leak_words(leak.kind), sure ? "" : "if it is one, ", out));
  }
}

void warn(const Settings& settings, const std::string& message) {
  if (!settings.quiet) say(fmt::format("dorm: {} {}\n", styled(Style::yellow, "warning:"), message));
}

}  // namespace dorm::cli
