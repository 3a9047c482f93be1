// SPDX-License-Identifier: Apache-2.0
// Which format a file of judged documents has.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <span>
#include <string_view>
#include <system_error>

#include "data/io/binary/binary.h"
#include "data/io/files/decompress.h"
#include "data/io/files/file.h"
#include "data/io/files/peek.h"
#include "data/io/files/peeked_text.h"
#include "data/io/files/side_files.h"
#include "data/io/files/text_formats.h"
#include "data/io/records/judged_labels.h"
#include "dorm/error.h"
#include "dorm/read.h"
#include "dorm/write.h"

namespace dorm {
namespace {

/// detect: the name does not say.
DataFormat format_of_name(std::string_view path) {
  const std::string_view name = uncompressed_name(path);
  if (name.ends_with(".dorm")) return DataFormat::binary;
  if (name.ends_with(".csv")) return DataFormat::csv;
  if (name.ends_with(".tsv")) return DataFormat::tsv;
  if (name.ends_with(".jsonl") || name.ends_with(".ndjson")) return DataFormat::jsonl;
  return DataFormat::detect;
}

Dataset with_needed_labels(Dataset data, const std::string& path, const ReadOptions& options) {
  if (options.need_labels && !data.has_labels())
    throw Error(ErrorCode::bad_input, {path, 0, 0}, "has no labels; expected judged documents");
  return data;
}

Dataset read_any_binary(const std::string& path, const ReadOptions& options, ReadReport* report) {
  std::error_code ignored;
  if (path == "-" || !std::filesystem::is_regular_file(path, ignored)) {  // a pipe cannot be mapped
    const std::string content = read_whole_file(path);
    if (report != nullptr) report->bytes = content.size();
    return with_needed_labels(parse_binary(std::as_bytes(std::span(content)), path, true, options.threads), path,
                              options);
  }
  if (report != nullptr) report->bytes = InputFile(path).size();
  return with_needed_labels(read_binary(path, true, options.mapped, options.threads), path, options);
}

/// Python reads these, which writes a form that is read here.
void refuse_parquet(const std::string& path) {
  std::error_code ignored;
  if (path == "-" || !std::filesystem::is_regular_file(path, ignored)) return;
  const std::string first = first_bytes(path, 6);
  const bool parquet = first.starts_with("PAR1"), arrow = first.starts_with("ARROW1");
  if (parquet || arrow)
    throw Error(ErrorCode::unsupported, {path},
                fmt::format("found a file of {}; expected text or the binary form: in Python, with pyarrow, "
                            "dorm.read_table(\"{}\").save(\"{}.dorm\") writes it",
                            parquet ? "Parquet" : "Arrow", path, std::filesystem::path(path).stem().string()));
}

}  // namespace

std::unique_ptr<TextSource> open_dataset(const std::string& path, ReadOptions& options) {
  refuse_parquet(path);
  const bool said = options.format != DataFormat::detect;
  if (!said) options.format = is_binary(first_bytes(path, 64)) ? DataFormat::binary : format_of_name(path);
  if (options.format == DataFormat::binary) return nullptr;
  auto source = std::make_unique<PeekedText>(open_text(path));
  const DataFormat seen = said ? options.format : format_of_text(source->first());
  if (options.format == DataFormat::detect || (options.format == DataFormat::jsonl && seen == DataFormat::log))
    options.format = seen;  // both kinds of JSON are called .jsonl
  return source;
}

Dataset read_opened(TextSource* source, const std::string& path, const ReadOptions& options, ReadReport* report) {
  if (!options.judgments.empty()) {
    ReadOptions without = options;
    without.judgments.clear();
    without.need_labels = false;
    return with_judgments(read_opened(source, path, without, report), path, options, report);
  }
  if (report != nullptr) report->format = options.format;
  if (source == nullptr) return read_any_binary(path, options, report);
  if (options.format == DataFormat::log) return feature_log_from(*source, path, options, report);
  if (options.format == DataFormat::jsonl) return jsonl_from(*source, path, options, report);
  if (options.format != DataFormat::letor) return csv_from(*source, path, options, report);
  return letor_from(*source, path, options.side_files ? find_side_files(path) : SideFiles(), options, report);
}

Dataset read_dataset(const std::string& path, const ReadOptions& options, ReadReport* report) {
  ReadOptions settled = options;
  const std::unique_ptr<TextSource> source = open_dataset(path, settled);
  return read_opened(source.get(), path, settled, report);
}

void write_dataset(const Dataset& data, const std::string& path, const FileWriter& writer, DataFormat asked) {
  const DataFormat format = asked == DataFormat::detect ? format_of_name(path) : asked;
  if (format == DataFormat::binary && compression_of_name(path) != Compression::none)
    throw Error(ErrorCode::unsupported, {path, 0, 0},
                "the binary form is not written compressed; expected a name ending in .dorm");
  if (format == DataFormat::jsonl || format == DataFormat::log)
    throw Error(ErrorCode::unsupported, {path, 0, 0}, "JSON is read, but not written; expected another format");
  writer(path, [&](std::ostream& out) {
    if (format == DataFormat::binary)
      write_binary(data, out);
    else if (format == DataFormat::csv || format == DataFormat::tsv)
      write_csv(data, out, format == DataFormat::tsv ? '\t' : ',');
    else
      write_letor(data, out);
    data.require_intact();
  });
}

}  // namespace dorm
