// SPDX-License-Identifier: Apache-2.0
// Writes the binary form to a stream that need not seek. The checksums stand before what they cover, so each section is
// produced twice, once into its checksum and once into the file; features are never copied.
#include <algorithm>
#include <array>
#include <functional>
#include <ostream>
#include <vector>

#include "base/checksum.h"
#include "base/json.h"
#include "data/io/binary/binary.h"
#include "data/io/binary/input_json.h"
#include "data/owned_columns.h"
#include "dorm/error.h"
#include "dorm/write.h"

namespace dorm {
namespace {

using Bytes = std::span<const std::byte>;
using Sink = std::function<void(Bytes)>;

struct Section {
  SectionId id;
  std::function<void(const Sink&)> produce;
};

class SectionList {
 public:
  /// Empty arrays have no section.
  template <class Items>
  void add_array(SectionId id, const Items& items) {
    if (items.empty()) return;
    add(id, [&items](const Sink& sink) { sink(std::as_bytes(std::span(items))); });
  }
  void add(SectionId id, std::function<void(const Sink&)> produce) { sections_.push_back({id, std::move(produce)}); }
  const std::vector<Section>& sections() const { return sections_; }

 private:
  std::vector<Section> sections_;
};

template <class Visit>
void for_each_sparse_row(const Dataset& data, Visit&& visit) {
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    const Query query = data.query(q);
    for (std::size_t i = 0; i < query.size(); ++i) visit(query.rows.sparse_row(i));
  }
}

void add_dense_features(SectionList& list, const Dataset& data) {
  if (data.num_documents() == 0) return;
  list.add(SectionId::values, [&data](const Sink& sink) {
    const std::size_t stride = dense_stride(data.num_features());
    constexpr std::array<float, 8> padding{};
    for (std::size_t q = 0; q < data.num_queries(); ++q) {
      const Query query = data.query(q);
      if (query.rows.stride() == stride) {
        sink(std::as_bytes(std::span(query.rows.dense_row(0), query.size() * stride)));
        continue;
      }
      for (std::size_t i = 0; i < query.size(); ++i) {
        sink(std::as_bytes(std::span(query.rows.dense_row(i), data.num_features())));
        sink(std::as_bytes(std::span(padding).first(stride - data.num_features())));
      }
    }
  });
}

void add_sparse_features(SectionList& list, const Dataset& data, const std::vector<std::uint64_t>& row_end) {
  if (!row_end.empty() && row_end.back() > 0) {
    list.add(SectionId::values, [&data](const Sink& sink) {
      for_each_sparse_row(data, [&](const SparseRow& row) { sink(std::as_bytes(row.values)); });
    });
    list.add(SectionId::columns, [&data](const Sink& sink) {
      std::vector<std::uint32_t> numbers;
      for_each_sparse_row(data, [&](const SparseRow& row) {
        numbers.clear();
        for (const std::uint32_t column : row.columns) numbers.push_back(data.feature_number(column));
        sink(std::as_bytes(std::span(numbers)));
      });
    });
  }
  list.add_array(SectionId::row_end, row_end);
}

void add_columns(SectionList& list, const OwnedColumns& columns) {
  list.add_array(SectionId::labels, columns.labels);
  list.add_array(SectionId::source_rows, columns.source_rows);
  list.add_array(SectionId::document_id_end, columns.document_ids.end);
  list.add_array(SectionId::document_id_text, columns.document_ids.text);
  list.add_array(SectionId::group_of, columns.group_of);
  list.add_array(SectionId::group_name_end, columns.group_names.end);
  list.add_array(SectionId::group_name_text, columns.group_names.text);
  list.add_array(SectionId::query_end, columns.query_end);
  list.add_array(SectionId::query_id_end, columns.query_ids.end);
  list.add_array(SectionId::query_id_text, columns.query_ids.text);
  list.add_array(SectionId::query_weights, columns.query_weights);
  list.add_array(SectionId::feature_name_end, columns.feature_names.end);
  list.add_array(SectionId::feature_name_text, columns.feature_names.text);
}

/// Empty where there is nothing to say.
std::string input_text(const Dataset& data) {
  std::vector<std::string> names;
  for (std::size_t j = 0; data.input().fills() && j < data.num_features(); ++j) names.push_back(data.feature_name(j));
  Json input = input_json(data.input(), names);
  if (!data.has_labels()) input["labels"] = false;
  return input.empty() ? "" : json_text(input);
}

std::vector<SectionEntry> make_table(const std::vector<Section>& sections) {
  std::vector<SectionEntry> table;
  std::uint64_t offset = sizeof(BinaryHeader) + sections.size() * sizeof(SectionEntry);
  for (const Section& section : sections) {
    Checksum sum;
    SectionEntry entry{.id = static_cast<std::uint32_t>(section.id), .offset = align_section(offset)};
    section.produce([&](Bytes bytes) {
      sum.update(bytes);
      entry.bytes += bytes.size();
    });
    entry.checksum = sum.value();
    offset = entry.offset + entry.bytes;
    table.push_back(entry);
  }
  return table;
}

BinaryHeader make_header(const Dataset& data, std::uint64_t stored, const std::vector<SectionEntry>& table) {
  BinaryHeader header;
  std::copy(kBinaryMagic.begin(), kBinaryMagic.end(), header.magic.begin());
  if (table.empty() || table.back().id != static_cast<std::uint32_t>(SectionId::input)) header.minor = 0;
  header.num_documents = data.num_documents();
  header.num_queries = data.num_queries();
  header.num_features = data.feature_range();
  header.dense = data.dense() ? 1 : 0;
  header.stride = data.dense() ? dense_stride(data.num_features()) : 0;
  header.num_values = data.dense() ? header.num_documents * header.stride : stored;
  header.first_feature_id = data.first_feature_id();
  header.num_sections = static_cast<std::uint32_t>(table.size());
  header.file_bytes = table.empty() ? sizeof header : table.back().offset + table.back().bytes;
  Checksum sum;
  sum.update(std::as_bytes(std::span(&header, 1)));
  sum.update(std::as_bytes(std::span(table)));
  header.checksum = sum.value();
  return header;
}

class CountingStream {
 public:
  explicit CountingStream(std::ostream& out) : out_(out) {}

  void write(Bytes bytes) {
    out_.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    written_ += bytes.size();
  }
  void pad_to(std::uint64_t offset) {
    static constexpr std::array<std::byte, kSectionAlignment> kZeros = {};
    write(Bytes(kZeros).first(offset - written_));
  }

 private:
  std::ostream& out_;
  std::uint64_t written_ = 0;
};

}  // namespace

void write_binary(const Dataset& data, std::ostream& out) {
  if (!data.storage().background_end.empty())
    throw Error(ErrorCode::unsupported, "scaled data cannot be written in compressed binary form; write it unscaled");
  const OwnedColumns columns = gather_columns(data);
  std::vector<std::uint64_t> row_end;
  SectionList list;
  if (data.dense()) {
    add_dense_features(list, data);
  } else {
    std::uint64_t end = 0;
    for_each_sparse_row(data, [&](const SparseRow& row) { row_end.push_back(end += row.values.size()); });
    add_sparse_features(list, data, row_end);
  }
  add_columns(list, columns);
  const std::string input = input_text(data);
  list.add_array(SectionId::input, input);

  const std::vector<SectionEntry> table = make_table(list.sections());
  const BinaryHeader header = make_header(data, row_end.empty() ? 0 : row_end.back(), table);
  CountingStream stream(out);
  stream.write(std::as_bytes(std::span(&header, 1)));
  stream.write(std::as_bytes(std::span(table)));
  for (std::size_t s = 0; s < table.size() && out; ++s) {
    stream.pad_to(table[s].offset);
    list.sections()[s].produce([&](Bytes bytes) { stream.write(bytes); });
  }
}

}  // namespace dorm
