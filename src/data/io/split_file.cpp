// SPDX-License-Identifier: Apache-2.0
// Parts of judged queries: which query goes where, and the file of each part.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <ostream>
#include <span>
#include <sstream>
#include <tuple>
#include <utility>

#include "base/checksum.h"
#include "base/rng.h"
#include "data/io/files/decompress.h"
#include "data/io/files/line_reader.h"
#include "data/io/files/side_files.h"
#include "data/io/files/text_formats.h"
#include "data/io/query_lines.h"
#include "dorm/data/split.h"
#include "dorm/error.h"

namespace dorm {
namespace {

constexpr std::array<const char*, 3> kPartNames = {"train", "valid", "test"};
constexpr std::size_t kNoPart = kPartNames.size();

std::size_t size_of_part(const char* name, double share, std::size_t queries) {
  const auto size = static_cast<std::size_t>(share * static_cast<double>(queries) + 0.5);
  if (share > 0 && size == 0)
    throw Error(ErrorCode::bad_option,
                fmt::format("the {} part is {:g} of {} queries, which is none; expected a larger "
                            "share, or more queries",
                            name, share, queries));
  return size;
}

/// One of each of `count` layers of the same size, which leave `queries`.
std::vector<std::size_t> drawn(std::vector<std::size_t>& queries, std::size_t count, Rng& rng) {
  std::vector<std::size_t> taken, left;
  for (std::size_t layer = 0; layer < count; ++layer) {
    const std::size_t begin = layer * queries.size() / count, end = (layer + 1) * queries.size() / count;
    const std::size_t chosen = begin + rng.below(end - begin);
    for (std::size_t i = begin; i < end; ++i) (i == chosen ? taken : left).push_back(queries[i]);
  }
  if (count > 0) queries = std::move(left);
  std::sort(taken.begin(), taken.end());
  return taken;
}

std::uint64_t key_of(const std::string& id, std::uint64_t seed) {
  Checksum sum;
  sum.update(std::as_bytes(std::span(&seed, 1)));
  sum.update(std::as_bytes(std::span(id)));
  return sum.value();
}

/// By query: which of kPartNames.
std::vector<std::size_t> part_of_query(const QuerySplit& split, std::size_t queries) {
  std::vector<std::size_t> part(queries, 0);
  for (const std::size_t query : split.valid) part[query] = 1;
  for (const std::size_t query : split.test) part[query] = 2;
  return part;
}

struct Ending {
  std::string stem, ending;  // "judged", ".csv.gz"
};

Ending ending_of(const std::string& path) {
  const std::string_view plain = uncompressed_name(path);
  const std::size_t folder = std::min(plain.rfind('/') + 1, plain.size());
  const std::size_t dot = plain.rfind('.');
  const std::size_t cut = dot == std::string_view::npos || dot <= folder ? plain.size() : dot;
  return {path.substr(0, cut), path.substr(cut)};
}

std::vector<SplitPart> named_parts(const std::string& path, const std::string& stem, const SplitOptions& options) {
  const Ending from = ending_of(path);
  std::vector<SplitPart> parts;
  for (const char* name : kPartNames)
    parts.push_back({name, fmt::format("{}.{}{}", stem.empty() ? from.stem : stem, name, from.ending)});
  if (options.valid == 0) parts[1].file.clear();
  if (options.test == 0) parts[2].file.clear();
  return parts;
}

void copy_lines(TextSource& source, const std::string& name, const QueryLines& lines,
                const std::vector<std::size_t>& part_of, const std::array<std::ostream*, 3>& out) {
  LineReader reader(source, name);
  std::string_view line;
  while (reader.next(line)) {
    if (reader.line_number() > lines.query_of.size())
      throw Error(ErrorCode::io, {name, reader.line_number(), 0}, "the file has changed while it was read");
    const std::uint32_t query = lines.query_of[reader.line_number() - 1];
    if (query == QueryLines::kOfNone) continue;
    const std::size_t part = query == QueryLines::kOfAll ? kNoPart : part_of[query];
    for (std::size_t p = 0; p < out.size(); ++p)
      if (out[p] != nullptr && (part == kNoPart || part == p)) *out[p] << line << reader.line_end();
  }
}

bool has_side_files(const std::string& path) {
  const SideFiles sides = find_side_files(path);
  return !sides.sizes.empty() || !sides.weights.empty();
}

/// Opens the files of the parts, one within the other, so that all appear or none.
void write_parts(const std::vector<SplitPart>& parts, const FileWriter& writer, std::array<std::ostream*, 3>& out,
                 std::size_t next, const std::function<void()>& body) {
  if (next == parts.size()) return body();
  if (parts[next].file.empty()) return write_parts(parts, writer, out, next + 1, body);
  writer(parts[next].file, [&](std::ostream& stream) {
    out[next] = &stream;
    write_parts(parts, writer, out, next + 1, body);
  });
}

std::vector<SplitPart> without_absent(std::vector<SplitPart> parts) {
  std::erase_if(parts, [](const SplitPart& part) { return part.file.empty(); });
  return parts;
}

std::vector<SplitPart> split_binary(const std::string& path, std::vector<SplitPart> parts, const SplitOptions& options,
                                    const ReadOptions& reading, const FileWriter& writer) {
  const Dataset data = read_binary(path, true, true, reading.threads);
  const QuerySplit split = split_queries(data, options);
  const std::array<const std::vector<std::size_t>*, 3> queries = {&split.train, &split.valid, &split.test};
  std::array<std::ostream*, 3> out{};
  write_parts(parts, writer, out, 0, [&] {
    for (std::size_t p = 0; p < parts.size(); ++p) {
      if (out[p] == nullptr) continue;
      const Dataset selected = data.select(*queries[p]);
      write_binary(selected, *out[p]);
      parts[p].queries = selected.num_queries();
      parts[p].documents = selected.num_documents();
      for (std::size_t q = 0; q < selected.num_queries(); ++q)
        for (const float label : selected.query(q).labels) parts[p].relevant += label > 0 ? 1 : 0;
    }
    data.require_intact();
  });
  return without_absent(std::move(parts));
}

std::vector<std::size_t> parts_of_lines(const QueryLines& lines, const SplitOptions& options,
                                        std::vector<SplitPart>* parts) {
  std::vector<std::size_t> part = part_of_query(split_queries(lines.ids, lines.relevant, options), lines.ids.size());
  for (std::size_t q = 0; parts != nullptr && q < part.size(); ++q) {
    SplitPart& of = (*parts)[part[q]];
    ++of.queries;
    of.documents += lines.documents[q];
    of.relevant += lines.relevant[q];
  }
  return part;
}

}  // namespace

void SplitOptions::validate() const {
  for (const auto& [name, share] : {std::pair("test", test), std::pair("valid", valid)})
    if (!(share >= 0 && share < 1))
      throw Error(ErrorCode::bad_option, fmt::format("{} is {:g}; expected a share from 0 to below 1", name, share));
  if (!(test + valid < 1 && test + valid > 0))
    throw Error(ErrorCode::bad_option,
                fmt::format("test and valid are {:g} together; expected more than 0 and less than 1", test + valid));
}

QuerySplit split_queries(std::span<const std::string> ids, std::span<const std::uint64_t> relevant,
                         const SplitOptions& options) {
  options.validate();
  const std::size_t n = ids.size();
  const std::size_t tests = size_of_part("test", options.test, n), valids = size_of_part("valid", options.valid, n);
  if (tests + valids >= n)
    throw Error(ErrorCode::bad_option, fmt::format("the test and valid parts take {} of {} queries; expected some left "
                                                   "for training",
                                                   tests + valids, n));
  std::vector<std::uint64_t> key(n);
  for (std::size_t q = 0; q < n; ++q) key[q] = key_of(ids[q], options.seed);
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::tie(relevant[a], key[a], ids[a]) < std::tie(relevant[b], key[b], ids[b]);
  });
  Rng rng(options.seed);
  QuerySplit split;
  split.test = drawn(order, tests, rng);
  split.valid = drawn(order, valids, rng);
  split.train = std::move(order);
  std::sort(split.train.begin(), split.train.end());
  return split;
}

QuerySplit split_queries(const Dataset& data, const SplitOptions& options) {
  std::vector<std::string> ids;
  std::vector<std::uint64_t> relevant;
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    const Query query = data.query(q);
    ids.emplace_back(query.id);
    relevant.push_back(static_cast<std::uint64_t>(
        std::count_if(query.labels.begin(), query.labels.end(), [](float label) { return label > 0; })));
  }
  return split_queries(ids, relevant, options);
}

std::vector<double> values_of_queries(const Dataset& data, std::span<const double> values,
                                      std::span<const std::size_t> queries) {
  std::vector<double> out;
  for (const std::size_t q : queries) {
    const Query query = data.query(q);
    const std::span<const double> part = values.subspan(query.first_document, query.size());
    out.insert(out.end(), part.begin(), part.end());
  }
  return out;
}

std::vector<SplitPart> split_file(const std::string& path, const std::string& stem, const SplitOptions& options,
                                  const ReadOptions& reading, const FileWriter& writer) {
  options.validate();
  if (path == "-")
    throw Error(ErrorCode::unsupported, "standard input cannot be read twice; expected the name of a file to split");
  std::vector<SplitPart> parts = named_parts(path, stem, options);
  ReadOptions settled = reading;
  std::unique_ptr<TextSource> source = open_dataset(path, settled);
  if (source == nullptr) return split_binary(path, std::move(parts), options, settled, writer);
  if (settled.format == DataFormat::log)
    throw Error(ErrorCode::unsupported, {path, 0, 0},
                "responses of a search engine have no labels; convert them first");
  if (settled.format == DataFormat::letor && settled.side_files && has_side_files(path))
    throw Error(ErrorCode::unsupported, {path, 0, 0},
                "sizes or weights in a file beside it cannot be split; convert it to .dorm first");
  const QueryLines lines = query_lines(*source, path, settled);
  const std::vector<std::size_t> part_of = parts_of_lines(lines, options, &parts);
  std::array<std::ostream*, 3> out{};
  write_parts(parts, writer, out, 0, [&] { copy_lines(*open_text(path), path, lines, part_of, out); });
  return without_absent(std::move(parts));
}

std::vector<std::string> split_text(std::string_view text, const std::string& name, const SplitOptions& options,
                                    const ReadOptions& reading) {
  const QueryLines lines = query_lines(*text_in_memory(text), name, reading);
  const std::vector<std::size_t> part_of = parts_of_lines(lines, options, nullptr);
  std::array<std::ostringstream, 3> out;
  copy_lines(*text_in_memory(text), name, lines, part_of, {&out[0], &out[1], &out[2]});
  return {out[0].str(), out[1].str(), out[2].str()};
}

}  // namespace dorm
