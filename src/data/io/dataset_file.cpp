// SPDX-License-Identifier: Apache-2.0
// Which format a file of judged documents has.
#include <fmt/format.h>

#include <filesystem>
#include <span>
#include <string_view>
#include <system_error>

#include "data/io/binary.h"
#include "data/io/decompress.h"
#include "data/io/file.h"
#include "data/io/peek.h"
#include "dorm/error.h"
#include "dorm/read.h"
#include "dorm/write.h"

namespace dorm {
namespace {

DataFormat format_of_name(std::string_view path) {
  const std::string_view name = uncompressed_name(path);
  if (name.ends_with(".dorm")) return DataFormat::binary;
  if (name.ends_with(".csv")) return DataFormat::csv;
  if (name.ends_with(".tsv")) return DataFormat::tsv;
  return DataFormat::letor;
}

Dataset with_needed_labels(Dataset data, const std::string& path, const ReadOptions& options) {
  if (options.need_labels && !data.has_labels())
    throw Error(ErrorCode::bad_input, {path, 0, 0}, "has no labels; expected judged documents");
  return data;
}

}  // namespace

DataFormat detect_format(const std::string& path) {
  return is_binary(first_bytes(path, 64)) ? DataFormat::binary : format_of_name(path);
}

Dataset read_dataset(const std::string& path, const ReadOptions& options, ReadReport* report) {
  const DataFormat format = options.format == DataFormat::detect ? detect_format(path) : options.format;
  if (format == DataFormat::csv || format == DataFormat::tsv) {
    ReadOptions with_format = options;
    with_format.format = format;
    return read_csv(path, with_format, report);
  }
  if (format == DataFormat::letor) return read_letor(path, options, report);
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) {  // a pipe cannot be mapped
    const std::string content = read_whole_file(path);
    if (report != nullptr) report->bytes = content.size();
    return with_needed_labels(parse_binary(std::as_bytes(std::span(content)), path), path, options);
  }
  if (report != nullptr) report->bytes = InputFile(path).size();
  return with_needed_labels(read_binary(path, true, options.mapped), path, options);
}

void write_dataset(const Dataset& data, const std::string& path, const FileWriter& writer) {
  const DataFormat format = format_of_name(path);
  if (format == DataFormat::binary && compression_of_name(path) != Compression::none)
    throw Error(ErrorCode::unsupported, {path, 0, 0},
                "the binary form is not written compressed; expected a name ending in .dorm");
  writer(path, [&](std::ostream& out) {
    if (format == DataFormat::binary)
      write_binary(data, out);
    else if (format == DataFormat::letor)
      write_letor(data, out);
    else
      write_csv(data, out, format == DataFormat::tsv ? '\t' : ',');
    data.require_intact();
  });
}

}  // namespace dorm
