// SPDX-License-Identifier: Apache-2.0
// Vectors as files: a zip archive of numpy arrays, SQL for pgvector, bulk requests for Elasticsearch.
#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <cstring>
#include <limits>

#include "base/json.h"
#include "base/quote.h"
#include "dorm/error.h"
#include "dorm/recommend/vectors.h"

namespace dorm {
namespace {

static_assert(std::endian::native == std::endian::little, "arrays are written as they lie in memory");

constexpr std::array<CatalogEntry, 3> kVectorTargets = {{
    {.name = "npz", .usage = "npz", .help = "numpy.load: user_ids, user_vectors, item_ids, item_vectors"},
    {.name = "pgvector", .usage = "pgvector", .help = "SQL with two tables for PostgreSQL with pgvector; run by psql"},
    {.name = "elasticsearch",
     .usage = "elasticsearch",
     .help = "bodies of _bulk for two indices with a dense_vector (also OpenSearch: knn_vector)"},
}};
constexpr std::size_t kPgvectorWidth = 16'000, kElasticsearchWidth = 4'096;  // limits of their types

std::span<const float> row_of(const std::vector<float>& rows, std::size_t r, std::size_t width) {
  return std::span(rows).subspan(r * width, width);
}

std::string list_of(std::span<const float> row) { return fmt::format("[{}]", fmt::join(row, ",")); }

/// A zip archive whose entries are not compressed.
class ZipWriter {
 public:
  explicit ZipWriter(std::ostream& out) : out_(out) {}

  void add(const std::string& name, const std::string& bytes) {
    if (offset_ + bytes.size() + 1000 > std::numeric_limits<std::uint32_t>::max())
      throw Error(ErrorCode::unsupported, "npz: the vectors take more than 4 GB; expected pgvector or elasticsearch");
    std::string entry;  // what both headers have
    put(entry, 20, 2), put(entry, 0, 2), put(entry, 0, 2), put(entry, 0, 2), put(entry, 33, 2);  // 1 January 1980
    put(entry, crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()), 4);
    put(entry, bytes.size(), 4), put(entry, bytes.size(), 4), put(entry, name.size(), 2), put(entry, 0, 2);
    put(directory_, 0x02014b50, 4), put(directory_, 20, 2);
    directory_ += entry;
    put(directory_, 0, 2), put(directory_, 0, 2), put(directory_, 0, 2), put(directory_, 0, 4);
    put(directory_, offset_, 4);
    directory_ += name;
    std::string head;
    put(head, 0x04034b50, 4);
    head += entry + name;
    out_ << head << bytes;
    offset_ += head.size() + bytes.size();
    ++entries_;
  }

  void finish() {
    std::string end;
    put(end, 0x06054b50, 4), put(end, 0, 4), put(end, entries_, 2), put(end, entries_, 2);
    put(end, directory_.size(), 4), put(end, offset_, 4), put(end, 0, 2);
    out_ << directory_ << end;
  }

 private:
  static void put(std::string& to, std::uint64_t value, int bytes) {
    for (int k = 0; k < bytes; ++k) to += static_cast<char>(value >> (8 * k) & 0xff);
  }

  std::ostream& out_;
  std::string directory_;
  std::uint64_t offset_ = 0;
  std::size_t entries_ = 0;
};

/// The format of numpy arrays, version 1: a header that is padded to 64 bytes, then the numbers.
std::string npy(const std::string& type, const std::string& shape, std::string_view bytes) {
  std::string head = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", type, shape);
  head.resize((10 + head.size() + 1 + 63) / 64 * 64 - 11, ' ');
  head += '\n';
  std::string out("\x93NUMPY\x01\x00", 8);
  out += static_cast<char>(head.size() & 0xff);
  out += static_cast<char>(head.size() >> 8);
  return out + head + std::string(bytes);
}

std::string npy_of_ids(const IdTable& ids) {
  std::size_t longest = 1;
  for (const std::string& id : ids.names()) longest = std::max(longest, id.size());
  std::string bytes;
  for (const std::string& id : ids.names()) bytes += id + std::string(longest - id.size(), '\0');
  return npy(fmt::format("|S{}", longest), fmt::format("{},", ids.size()), bytes);
}

std::string npy_of_rows(const std::vector<float>& rows, std::size_t width) {
  const std::size_t count = width > 0 ? rows.size() / width : 0;
  return npy("<f4", fmt::format("{}, {}", count, width),
             {reinterpret_cast<const char*>(rows.data()), rows.size() * sizeof(float)});
}

void write_npz(const Recommending& model, const RecommenderVectors& vectors, std::ostream& out) {
  ZipWriter zip(out);
  zip.add("user_ids.npy", npy_of_ids(model.users()));
  zip.add("user_vectors.npy", npy_of_rows(vectors.users, vectors.width));
  zip.add("item_ids.npy", npy_of_ids(model.items()));
  zip.add("item_vectors.npy", npy_of_rows(vectors.items, vectors.width));
  zip.finish();
}

/// A cell of COPY: backslash, tab and the ends of lines are escaped.
std::string copied(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || c == '\t' || c == '\n' || c == '\r') {
      out += '\\';
      out += c == '\\' ? '\\' : c == '\t' ? 't' : c == '\n' ? 'n' : 'r';
    } else if (c == '\0') {
      throw Error(ErrorCode::unsupported, fmt::format("pgvector: the id {} has a zero byte", in_quotes(text)));
    } else {
      out += c;
    }
  }
  return out;
}

void write_pgvector(const Recommending& model, const RecommenderVectors& vectors, const std::string& name,
                    std::ostream& out) {
  out << fmt::format(
      "-- The best items of a user:\n--   SELECT i.id, i.vector <#> u.vector AS minus_score FROM "
      "{0}_items i, {0}_users u WHERE u.id = 'ID'\n--   ORDER BY minus_score LIMIT 10;\n"
      "CREATE EXTENSION IF NOT EXISTS vector;\nBEGIN;\n",
      name);
  const auto table = [&](const char* what, const IdTable& ids, const std::vector<float>& rows, bool titles) {
    out << fmt::format("CREATE TABLE {}_{} (id text PRIMARY KEY, {}vector vector({}));\n", name, what,
                       titles ? "title text, " : "", vectors.width)
        << fmt::format("COPY {}_{} (id, {}vector) FROM stdin;\n", name, what, titles ? "title, " : "");
    for (std::size_t r = 0; r < ids.size(); ++r)
      out << copied(ids[r]) << '\t' << (titles ? copied(model.title(r)) + "\t" : "")
          << list_of(row_of(rows, r, vectors.width)) << '\n';
    out << "\\.\n";
  };
  table("items", model.items(), vectors.items, model.has_titles());
  table("users", model.users(), vectors.users, false);
  out << "COMMIT;\n";
}

void write_elasticsearch(const Recommending& model, const RecommenderVectors& vectors, const std::string& name,
                         std::ostream& out) {
  const auto index = [&](const char* what, const IdTable& ids, const std::vector<float>& rows, bool titles) {
    for (std::size_t r = 0; r < ids.size(); ++r) {
      const Json action = {{"index", {{"_index", fmt::format("{}_{}", name, what)}, {"_id", ids[r]}}}};
      const std::string title =
          titles ? fmt::format("\"title\":{},", printable_json(Json(std::string(model.title(r))))) : "";
      out << printable_json(action) << '\n'
          << fmt::format("{{{}\"vector\":{}}}\n", title, list_of(row_of(rows, r, vectors.width)));
    }
  };
  index("items", model.items(), vectors.items, model.has_titles());
  index("users", model.users(), vectors.users, false);
}

void require_width(const char* target, std::size_t width, std::size_t most) {
  if (width > most)
    throw Error(ErrorCode::unsupported,
                fmt::format("{} takes vectors of up to {} numbers; found {}", target, most, width));
}

}  // namespace

std::span<const CatalogEntry> vector_targets() { return kVectorTargets; }

void write_vectors(const Recommending& model, const RecommenderVectors& vectors, const std::string& target,
                   const std::string& name, std::ostream& out) {
  if (std::none_of(kVectorTargets.begin(), kVectorTargets.end(),
                   [&](const CatalogEntry& entry) { return entry.name == target; }))
    throw_unknown_name("target", target, kVectorTargets);
  const auto plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
  if (name.empty() || name.size() > 50 || name[0] == '_' || (name[0] >= '0' && name[0] <= '9') ||
      !std::all_of(name.begin(), name.end(), plain))
    throw Error(ErrorCode::bad_option,
                fmt::format("the name {}; expected up to 50 of a to z, 0 to 9 and _, a letter first", in_quotes(name)));
  if (target == "npz") return write_npz(model, vectors, out);
  if (target == "pgvector") {
    require_width("pgvector", vectors.width, kPgvectorWidth);
    return write_pgvector(model, vectors, name, out);
  }
  require_width("elasticsearch", vectors.width, kElasticsearchWidth);
  write_elasticsearch(model, vectors, name, out);
}

}  // namespace dorm
