// SPDX-License-Identifier: Apache-2.0
// Reads the binary form in place. Every count, offset and index is checked before it is used, so that a damaged or
// hostile file is refused and never followed. A mapped file must not be changed while it is in use; one that becomes
// shorter is noticed: features behind its end read as zeros and lead nowhere, everything else was copied.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <optional>
#include <vector>

#include "base/checksum.h"
#include "base/page_buffer.h"
#include "base/parallel.h"
#include "data/column_numbers.h"
#include "data/io/binary/binary.h"
#include "data/io/binary/binary_layout.h"
#include "data/io/binary/input_json.h"
#include "data/io/files/file.h"
#include "data/storage.h"
#include "dorm/error.h"
#include "dorm/read.h"

namespace dorm {
namespace {

using Bytes = std::span<const std::byte>;

// Without leaving early: several at a time.
bool all_finite(std::span<const float> values) {
  constexpr std::uint32_t kExponent = 0x7f800000u;
  std::uint32_t found = 0;
  for (const float value : values) found |= (std::bit_cast<std::uint32_t>(value) & kExponent) == kExponent ? 1u : 0u;
  return found == 0;
}

/// What there is to know of all values.
struct ValuesSeen {
  std::uint64_t checksum = 0;
  bool finite = true;
};

// Blocks are looked through side by side; their checksum is taken in order, while they are in the cache.
ValuesSeen look_through(std::span<const float> values, std::size_t threads) {
  constexpr std::size_t kBlock = std::size_t{1} << 17;
  const std::size_t blocks = (values.size() + kBlock - 1) / kBlock;
  Checksum checksum;
  std::atomic<std::size_t> turn = 0;
  std::atomic<bool> finite = true;
  parallel_for(blocks, threads_worth(threads, values.size()), [&](std::size_t k, std::size_t) {
    const auto block = values.subspan(k * kBlock, std::min(kBlock, values.size() - k * kBlock));
    if (!all_finite(block)) finite = false;
    for (std::size_t now; (now = turn) != k;) turn.wait(now);
    checksum.update(std::as_bytes(block));
    turn = k + 1;
    turn.notify_all();
  });
  return {checksum.value(), finite};
}

// Ends of consecutive pieces of [0, total): increasing (strictly, where no piece may be empty) up to total.
void check_ends(const Layout& layout, const char* what, std::span<const std::uint64_t> end, std::uint64_t total,
                bool may_be_empty) {
  std::uint64_t before = 0;
  for (const std::uint64_t e : end) {
    if (e < before || e > total || (e == before && !may_be_empty))
      layout.refuse_damaged(fmt::format("the ends of the {} are not increasing", what));
    before = e;
  }
  if (before != total) layout.refuse_damaged(fmt::format("the {} do not cover their block", what));
}

TextColumn text_column(const Layout& layout, const char* what, std::span<const std::uint64_t> end, SectionId text_id) {
  const TextColumn column{end, layout.whole_array<char>(text_id)};
  check_ends(layout, what, end, column.text.size(), true);
  return column;
}

void read_features(const Layout& layout, Storage& out, const std::optional<ValuesSeen>& seen) {
  const BinaryHeader& h = layout.header();
  out.dense = h.dense == 1;
  out.num_features = h.num_features;
  out.stride = h.stride;
  out.values = layout.array<float>(SectionId::values, h.num_values);
  if (seen && !seen->finite) layout.refuse_damaged("a feature value is not finite");
  if (out.dense) {
    for (std::uint64_t row = 0; seen && row < h.num_documents; ++row)
      for (std::uint64_t j = h.num_features; j < h.stride; ++j)
        if (out.values[row * h.stride + j] != 0) layout.refuse_damaged("the padding of a row is not zero");
    return;
  }
  out.columns = layout.array<std::uint32_t>(SectionId::columns, h.num_values);
  out.row_end = layout.array<std::uint64_t>(SectionId::row_end, h.num_documents);
  check_ends(layout, "rows", out.row_end, h.num_values, true);
  std::uint64_t begin = 0;
  for (const std::uint64_t end : out.row_end) {
    for (std::uint64_t k = begin; k < end; ++k)
      if (out.columns[k] >= h.num_features || (k > begin && out.columns[k] <= out.columns[k - 1]))
        layout.refuse_damaged("the columns of a row are not increasing or out of range");
    begin = end;
  }
}

// A permutation of the documents.
void check_source_rows(const Layout& layout, std::span<const std::uint64_t> rows) {
  std::vector<bool> seen(rows.size(), false);
  for (const std::uint64_t row : rows) {
    if (row >= rows.size() || seen[row]) layout.refuse_damaged("the source rows are not a permutation");
    seen[row] = true;
  }
}

void read_documents(const Layout& layout, Storage& out) {
  const std::uint64_t documents = layout.header().num_documents;
  out.labels = layout.array<float>(SectionId::labels, documents);
  if (!all_finite(out.labels)) layout.refuse_damaged("a label is not finite");
  out.source_rows = layout.optional_array<std::uint64_t>(SectionId::source_rows, documents);
  check_source_rows(layout, out.source_rows);
  out.document_ids =
      text_column(layout, "document ids", layout.optional_array<std::uint64_t>(SectionId::document_id_end, documents),
                  SectionId::document_id_text);
  out.group_names = text_column(layout, "group names", layout.whole_array<std::uint64_t>(SectionId::group_name_end),
                                SectionId::group_name_text);
  out.group_of = layout.optional_array<std::uint32_t>(SectionId::group_of, documents);
  for (const std::uint32_t group : out.group_of)
    if (group > out.group_names.size()) layout.refuse_damaged("a document's group has no name");
}

void read_queries(const Layout& layout, Storage& out) {
  const BinaryHeader& h = layout.header();
  out.query_end = layout.array<std::uint64_t>(SectionId::query_end, h.num_queries);
  check_ends(layout, "queries", out.query_end, h.num_documents, false);
  out.query_ids = text_column(layout, "query ids", layout.array<std::uint64_t>(SectionId::query_id_end, h.num_queries),
                              SectionId::query_id_text);
  out.query_weights = layout.optional_array<double>(SectionId::query_weights, h.num_queries);
  for (const double weight : out.query_weights)
    if (!std::isfinite(weight) || weight < 0) layout.refuse_damaged("a query weight is negative or not finite");
  out.feature_names = text_column(layout, "feature names",
                                  layout.optional_array<std::uint64_t>(SectionId::feature_name_end, h.num_features),
                                  SectionId::feature_name_text);
  out.first_feature_id = h.first_feature_id;
}

/// After the features are known by name.
void read_input(const Layout& layout, Storage& storage) {
  const std::span<const char> text = layout.whole_array<char>(SectionId::input);
  if (text.empty()) return;
  const Json json = parse_json({text.data(), text.size()}, layout.name(), "the binary form");
  const JsonFields fields(json, layout.name(), "the binary form");
  storage.labelled = fields.optional<bool>("labels", "true or false", true);
  if (!storage.labelled && std::any_of(storage.labels.begin(), storage.labels.end(), [](float x) { return x != 0; }))
    layout.refuse_damaged("there are labels, which it should not have");
  std::vector<std::string> names;
  if (fields.has("means")) {
    const std::shared_ptr<const Storage> view(std::shared_ptr<const Storage>(), &storage);
    const Dataset data(view);
    for (std::size_t j = 0; j < data.num_features(); ++j) names.push_back(data.feature_name(j));
  }
  InputDescription input = input_from_json(fields, names);
  if (input != InputDescription()) storage.input = std::make_shared<const InputDescription>(std::move(input));
}

/// Beside the file: the columns of data of which few numbers occur.
struct Renumbered {
  std::shared_ptr<const void> file;
  std::vector<std::uint32_t> columns, numbers;
};

void leave_out_numbers(Storage& storage) {
  if (storage.dense || !storage.feature_names.empty()) return;
  auto renumbered = std::make_shared<Renumbered>();
  renumbered->numbers = occurring_numbers(storage.columns, storage.num_features);
  if (renumbered->numbers.empty()) return;
  renumbered->columns.resize(storage.columns.size());
  to_places(storage.columns, renumbered->numbers, renumbered->columns);
  storage.columns = renumbered->columns;
  storage.feature_numbers = renumbered->numbers;
  storage.feature_range = storage.num_features;
  storage.num_features = renumbered->numbers.size();
  renumbered->file = std::move(storage.owner);
  storage.owner = std::move(renumbered);
}

// Throws where a checksum is not that of the file.
ValuesSeen verify_sections(const Layout& layout, std::size_t threads) {
  ValuesSeen seen;
  for (std::size_t section = 0; section < layout.table().size(); ++section) {
    const SectionEntry& entry = layout.table()[section];
    const Bytes content = layout.content(section);
    const bool values = entry.id == static_cast<std::uint32_t>(SectionId::values);
    if (values)
      seen = look_through({reinterpret_cast<const float*>(content.data()), content.size() / sizeof(float)}, threads);
    const bool summed = values && content.size() % sizeof(float) == 0;
    if ((summed ? seen.checksum : checksum(content)) != entry.checksum)
      layout.refuse_damaged(fmt::format("section {} does not match its checksum", entry.id));
  }
  return seen;
}

/// Whether the checksums and the features of a file are looked at, and by how many threads.
struct Verification {
  bool wanted = true;
  std::size_t threads = 1;
};

// The content of the layout must be aligned, and is kept alive by `owner`.
std::shared_ptr<Storage> interpret(const Layout& layout, std::shared_ptr<const void> owner,
                                   const Verification& verify) {
  std::optional<ValuesSeen> seen;
  if (verify.wanted) seen = verify_sections(layout, verify.threads);
  auto storage = std::make_shared<Storage>();
  read_features(layout, *storage, seen);
  read_documents(layout, *storage);
  read_queries(layout, *storage);
  storage->owner = std::move(owner);
  leave_out_numbers(*storage);
  read_input(layout, *storage);
  return storage;
}

// A mapped file, and copies of its sections.
struct MappedSections {
  explicit MappedSections(const InputFile& file) : mapping(file) {}
  FileMapping mapping;
  std::vector<PageBuffer<std::byte>> copies;

  void copy(Layout& layout, std::size_t section) {
    const Bytes content = layout.content(section);
    std::copy(content.begin(), content.end(), copies.emplace_back(content.size()).data());
    layout.move(section, copies.back().span());
  }
};

bool holds_features(const SectionEntry& entry) {
  return entry.id == static_cast<std::uint32_t>(SectionId::values) ||
         entry.id == static_cast<std::uint32_t>(SectionId::columns);
}

Dataset read_mapped(const InputFile& file, const Verification& verify) {
  auto mapped = std::make_shared<MappedSections>(file);
  try {
    Layout layout(std::as_bytes(std::span(mapped->mapping.bytes())), file.path());
    for (std::size_t section = 0; section < layout.table().size(); ++section)
      if (!holds_features(layout.table()[section])) mapped->copy(layout, section);
    const std::shared_ptr<Storage> storage = interpret(layout, mapped, verify);
    storage->file = file.path();
    storage->lost = &mapped->mapping.lost();
    storage->mapping = mapped->mapping.bytes();
    Dataset data(storage);
    data.require_intact();
    return data;
  } catch (const Error&) {
    if (mapped->mapping.lost()) throw lost_features(file.path());
    throw;
  }
}

Dataset read_into_memory(InputFile& file, const Verification& verify) {
  auto bytes = std::make_shared<PageBuffer<std::byte>>(file.size());
  for (std::size_t done = 0; done < bytes->size();)
    done += file.read(reinterpret_cast<char*>(bytes->data()) + done, bytes->size() - done);
  const Layout layout(bytes->span(), file.path());
  return Dataset(interpret(layout, std::move(bytes), verify));
}

}  // namespace

Dataset parse_binary(std::span<const std::byte> bytes, const std::string& name, bool verify, std::size_t threads) {
  auto copy = std::make_shared<PageBuffer<std::byte>>(bytes.size());
  std::copy(bytes.begin(), bytes.end(), copy->data());
  const Layout layout(copy->span(), name);
  return Dataset(interpret(layout, std::move(copy), {verify, threads}));
}

Dataset read_binary(const std::string& path, bool verify, bool mapped, std::size_t threads) {
  InputFile file(path);
  if (!file.regular())
    throw Error(ErrorCode::io, SourcePosition{.file = path},
                "cannot be mapped; the binary form is read from regular files only");
  const Verification verification = {verify, threads};
  return mapped ? read_mapped(file, verification) : read_into_memory(file, verification);
}

}  // namespace dorm
