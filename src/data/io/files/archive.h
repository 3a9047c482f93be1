// SPDX-License-Identifier: Apache-2.0
// Numbers in one file: a line that names format and version, a JSON header, arrays one after the other, and a checksum
// over all of it.
//
//   FORMAT VERSION \n   u64 bytes of JSON   JSON   arrays, each at a multiple of 8 bytes   u64 checksum
//
// The header lists the arrays: name, type (f64, u64, u32, text) and count. Numbers are little-endian. Version 1 of
// every format had another checksum.
#pragma once

#include <cstdint>
#include <map>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace dorm {

inline constexpr std::string_view kFactorFormat = "dorm-factors", kJointFormat = "dorm-joint",
                                  kImplicitFormat = "dorm-implicit";
/// Whether a file is a recommender in one of these formats.
bool is_recommender_file(const std::string& path);

/// Collects views of arrays, which must live until write().
class ArchiveWriter {
 public:
  void add(const std::string& name, std::span<const double> values) { add(name, "f64", values); }
  void add(const std::string& name, std::span<const std::uint64_t> values) { add(name, "u64", values); }
  void add(const std::string& name, std::span<const std::uint32_t> values) { add(name, "u32", values); }
  void add(const std::string& name, std::span<const char> values) { add(name, "text", values); }
  /// Names of any bytes: two arrays, `name` with their text and `name_end` with where each ends. Copied.
  void add_names(const std::string& name, std::span<const std::string> names);

  void write(std::ostream& out, std::string_view format, int version, Json header) const;

 private:
  struct Array {
    std::string name, type;
    std::size_t count;
    std::span<const std::byte> bytes;
  };
  template <class T>
  void add(const std::string& name, const char* type, std::span<const T> values) {
    arrays_.push_back({name, type, values.size(), std::as_bytes(values)});
  }

  std::vector<Array> arrays_;
  std::vector<std::vector<char>> texts_;
  std::vector<std::vector<std::uint64_t>> ends_;
};

/// Throws Error(bad_input) for a file of another format or version, a wrong checksum or size, and for an array
/// that is missing, of another type or of another length than expected.
class ArchiveReader {
 public:
  ArchiveReader(const std::string& path, std::string_view format, int version);
  /// The same from memory; `name` is for messages.
  ArchiveReader(std::string content, const std::string& name, std::string_view format, int version);

  /// What stands beside the arrays.
  JsonFields header() const { return JsonFields(header_, path_, "a usable file"); }
  std::vector<double> doubles(const std::string& name, std::size_t count) const;
  std::vector<std::uint64_t> integers(const std::string& name, std::size_t count) const;
  std::vector<std::uint32_t> indices(const std::string& name) const;
  std::vector<std::string> names(const std::string& name) const;
  bool has(const std::string& name) const { return places_.contains(name); }
  [[noreturn]] void refuse(const std::string& why) const;

 private:
  struct Place {
    std::string type;
    std::size_t count, offset;
  };
  const Place& find(const std::string& name, const char* type) const;
  template <class T>
  std::vector<T> copy(const Place& place) const;

  std::string path_, content_;
  Json header_;
  std::map<std::string, Place> places_;
};

}  // namespace dorm
