// SPDX-License-Identifier: Apache-2.0
#include "input/input.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>

#include "dorm/base/catalog.h"
#include "dorm/data/prepare.h"
#include "dorm/data/read_texts.h"
#include "dorm/error.h"
#include "input/remedies.h"
#include "input/runs_input.h"
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

// The position of `name` in a table whose order is that of the enumeration.
template <class Enum>
Enum parse(std::string_view kind, std::string_view name, std::span<const CatalogEntry> known) {
  for (std::size_t i = 0; i < known.size(); ++i)
    if (known[i].name == name) return static_cast<Enum>(i);
  throw_unknown_name(kind, name, known);
}

/// Texts are no features; one of them may have another role, as a query that is called by its text.
void ignore_texts(const TextColumns& texts, ColumnRoles& columns) {
  for (const std::string& name : texts.names())
    if (name != columns.query && name != columns.document && name != columns.group &&
        std::find(columns.ignored.begin(), columns.ignored.end(), name) == columns.ignored.end())
      columns.ignored.push_back(name);
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
    options.missing_by_column = expected.like->missing_by_column;
    options.means = expected.like->means;
    options.encodings = expected.like->encodings;
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
  if (!expected.features) ignore_texts(arguments.texts, options.columns);
  if (!arguments.missing.empty()) {
    const MissingRules rules = parse_missing(arguments.missing);
    options.missing = rules.missing;
    options.missing_by_column = rules.by_column;
    const InputDescription asked{{}, rules.missing, {}, rules.by_column};
    if (expected.like && asked.fills() && options.means.empty())
      throw Error(ErrorCode::bad_option,
                  fmt::format("--missing {} for {}: the model has no means of its training data, and those of "
                              "another file would change its scores; expected a model trained with --missing mean, or "
                              "--missing zero",
                              arguments.missing, path));
  }
  if (!arguments.encode.empty()) {
    const std::vector<ColumnEncoding> asked = parse_encodings(arguments.encode);
    if (!expected.like)
      options.encodings = asked;
    else if (expected.like->encodings.empty())
      throw Error(ErrorCode::bad_option,
                  fmt::format("--encode {} for {}: the encoding of columns is that of the training data, which had "
                              "none; expected none",
                              arguments.encode, path));
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

/// The gaps of binary data were filled when it was written.
void require_missing_rule(const MissingRules& asked, const InputDescription& stored, const std::string& path) {
  if (asked.missing == stored.missing && asked.by_column == stored.missing_by_column) return;
  throw Error(
      ErrorCode::bad_option,
      fmt::format("--missing {} for {}: missing values of the binary form are treated when it is written, here by "
                  "{}; expected dorm convert of the table with --missing {}, or no --missing",
                  missing_text(asked.missing, asked.by_column), path,
                  missing_text(stored.missing, stored.missing_by_column),
                  missing_text(asked.missing, asked.by_column)));
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
  reading.add(
      "--missing", arguments.missing, "NAME",
      "NaN and infinite features: error, zero, mean of the training data,\nquery-min, indicator (mean, and a "
      "feature that says so) or keep, for\ntrees; by column: mean,bm25=query-min (that of the model, else error)");
  reading.add(
      "--encode", arguments.encode, "RULES",
      "CSV, JSON: columns that are no plain numbers, as in\ncategory=onehot,published=age+month,discount=percent "
      "(that of the\nmodel); onehot, age, weekday, month, percent, thousands,\ndecimal-comma, bool");
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
  reading.add("--query-text-column", arguments.texts.query_text, "NAME",
              "CSV: text of the query, for people: on pages, and no feature");
  reading.add("--title-column", arguments.texts.title, "NAME", "CSV: title of the document, likewise");
  reading.add("--url-column", arguments.texts.url, "NAME", "CSV: address of the document, likewise");
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
  if (expected.fusion && names_runs(path))
    return {load_joined(path, *expected.fusion, arguments, settings), "runs", {}};
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
  if (!arguments.encode.empty() && (format == DataFormat::letor || format == DataFormat::binary))
    throw Error(ErrorCode::bad_option,
                fmt::format("--encode {}: only CSV, TSV and JSON have columns of text, and {} is {}; expected none",
                            arguments.encode, path, loaded.format));
  if (!arguments.missing.empty() && format == DataFormat::binary)
    require_missing_rule(parse_missing(arguments.missing), loaded.data.input(), path);
  for (const std::string& warning : loaded.report.warnings) warn(settings, warning);
  std::size_t changed = 0;
  about_file(path, [&] { loaded.data = with_unjudged(loaded.data, unjudged, &changed); });
  warn_of_unjudged(path, unjudged, changed, settings);
  return loaded;
}

ReadableTexts load_texts(const std::string& path, const InputArguments& arguments, const Dataset& data) {
  if (!arguments.texts.any()) return {};
  if (names_many_files(path))
    throw Error(ErrorCode::unsupported,
                fmt::format("{} names several files; texts of columns are those of one file", path));
  ReadOptions options;
  options.format = parse<DataFormat>("format", arguments.format, kInputFormats);
  return read_texts(path, arguments.texts, data, options);
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

std::vector<SplitPart> load_into_parts(const std::string& path, const std::string& stem, const SplitOptions& options,
                                       const InputArguments& arguments, const Settings& settings) {
  const Expected expected;
  ReadOptions reading = read_options(path, arguments, expected);
  reading.threads = settings.threads;
  std::vector<SplitPart> parts;
  read_shown(path, settings, expected, reading, [&] {
    return write_stoppable([&](const FileWriter& writer) {
      parts = split_file(path, stem, options, reading, writer);
      return ShardsWritten();
    });
  });
  return parts;
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
