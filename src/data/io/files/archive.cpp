// SPDX-License-Identifier: Apache-2.0
#include "data/io/files/archive.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cstring>

#include "base/checksum.h"
#include "base/quote.h"
#include "data/io/files/file.h"
#include "data/io/files/peek.h"
#include "dorm/error.h"

namespace dorm {
namespace {

static_assert(std::endian::native == std::endian::little, "archives are written as the numbers lie in memory");

std::size_t size_of(std::string_view type) {
  if (type == "f64" || type == "u64") return 8;
  if (type == "u32") return 4;
  return type == "text" ? 1 : 0;
}

std::size_t padding(std::size_t bytes) { return (8 - bytes % 8) % 8; }

// Writes bytes and adds them to the checksum.
class SummingStream {
 public:
  explicit SummingStream(std::ostream& out) : out_(out) {}
  void write(std::span<const std::byte> bytes) {
    sum_.update(bytes);
    out_.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    written_ += bytes.size();
  }
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }
  void align() { write(std::string_view("\0\0\0\0\0\0\0", padding(written_))); }
  std::uint64_t sum() const { return sum_.value(); }

 private:
  std::ostream& out_;
  Checksum sum_;
  std::size_t written_ = 0;
};

template <class T>
std::span<const std::byte> bytes_of(const T& value) {
  return std::as_bytes(std::span(&value, 1));
}

}  // namespace

bool is_recommender_file(const std::string& path) {
  if (path != "-" && !file_exists(path)) return false;
  const std::string head = first_bytes(path, kImplicitFormat.size());
  return head.starts_with(kFactorFormat) || head.starts_with(kJointFormat) || head.starts_with(kImplicitFormat);
}

void ArchiveWriter::add_names(const std::string& name, std::span<const std::string> names) {
  std::vector<char> text;
  std::vector<std::uint64_t> end;
  for (const std::string& each : names) {
    text.insert(text.end(), each.begin(), each.end());
    end.push_back(text.size());
  }
  texts_.push_back(std::move(text));
  ends_.push_back(std::move(end));
  add(name, std::span<const char>(texts_.back()));
  add(name + "_end", std::span<const std::uint64_t>(ends_.back()));
}

void ArchiveWriter::write(std::ostream& out, std::string_view format, int version, Json header) const {
  header["arrays"] = Json::array();
  for (const Array& array : arrays_)
    header["arrays"].push_back({{"name", array.name}, {"type", array.type}, {"count", array.count}});
  const std::string text = json_text(header);
  const std::uint64_t length = text.size();
  SummingStream stream(out);
  stream.write(fmt::format("{} {}\n", format, version));
  stream.write(bytes_of(length));
  stream.write(text);
  for (const Array& array : arrays_) {
    stream.align();
    stream.write(array.bytes);
  }
  const std::uint64_t sum = stream.sum();
  out.write(reinterpret_cast<const char*>(&sum), sizeof sum);
}

ArchiveReader::ArchiveReader(const std::string& path, std::string_view format, int expected)
    : ArchiveReader(read_whole_file(path), path, format, expected) {}

ArchiveReader::ArchiveReader(std::string content, const std::string& name, std::string_view format, int expected)
    : path_(name), content_(std::move(content)) {
  const std::size_t line = content_.find('\n');
  const std::string_view first = std::string_view(content_).substr(0, std::min<std::size_t>(line, 80));
  if (!first.starts_with(format) || line == std::string::npos)
    refuse(fmt::format("found {}; expected a file that begins with \"{}\"", in_quotes(first), format));
  int version = 0;
  std::from_chars(first.data() + std::min(first.size(), format.size() + 1), first.data() + first.size(), version);
  if (version != expected)
    refuse(
        fmt::format("found format version {}; expected version {}: make the file again, or use the dorm that wrote it",
                    version, expected));
  std::uint64_t length = 0, sum = 0;
  const std::size_t json = line + 1 + sizeof length;
  if (content_.size() < json + sizeof sum) refuse("the file is cut short");
  const std::size_t end = content_.size() - sizeof sum;
  std::memcpy(&sum, content_.data() + end, sizeof sum);
  if (checksum(std::as_bytes(std::span(content_)).first(end)) != sum)
    refuse("the checksum does not fit; the file is damaged or cut short");
  std::memcpy(&length, content_.data() + line + 1, sizeof length);
  if (length > end - json) refuse("the header is longer than the file");
  header_ = parse_json(std::string_view(content_).substr(json, length), path_, "the header of an archive");
  std::size_t at = json + length;
  for (const JsonFields& array : header().objects("arrays", "a list of arrays")) {
    const auto type = array.required<std::string>("type", "f64, u64, u32 or text");
    const auto count = array.required<std::uint64_t>("count", "a whole number");
    at += padding(at);
    if (size_of(type) == 0 || at > end || count > (end - at) / size_of(type))
      refuse("an array reaches past the end of the file");
    places_[array.required<std::string>("name", "a name")] = {type, count, at};
    at += count * size_of(type);
  }
  if (at != end) refuse("bytes are left over behind the arrays");
}

void ArchiveReader::refuse(const std::string& why) const { throw Error(ErrorCode::bad_input, {path_, 0, 0}, why); }

const ArchiveReader::Place& ArchiveReader::find(const std::string& name, const char* type) const {
  const auto place = places_.find(name);
  if (place == places_.end() || place->second.type != type)
    refuse(fmt::format("no array \"{}\" of type {}", name, type));
  return place->second;
}

template <class T>
std::vector<T> ArchiveReader::copy(const Place& place) const {
  std::vector<T> values(place.count);
  if (place.count > 0) std::memcpy(values.data(), content_.data() + place.offset, place.count * sizeof(T));
  return values;
}

std::vector<double> ArchiveReader::doubles(const std::string& name, std::size_t count) const {
  const Place& place = find(name, "f64");
  if (place.count != count) refuse(fmt::format("array \"{}\" has {} numbers; expected {}", name, place.count, count));
  return copy<double>(place);
}

std::vector<std::uint64_t> ArchiveReader::integers(const std::string& name, std::size_t count) const {
  const Place& place = find(name, "u64");
  if (place.count != count) refuse(fmt::format("array \"{}\" has {} numbers; expected {}", name, place.count, count));
  return copy<std::uint64_t>(place);
}

std::vector<std::uint32_t> ArchiveReader::indices(const std::string& name) const {
  return copy<std::uint32_t>(find(name, "u32"));
}

std::vector<std::string> ArchiveReader::names(const std::string& name) const {
  const Place& text = find(name, "text");
  std::vector<std::string> names;
  std::uint64_t begin = 0;
  for (const std::uint64_t end : copy<std::uint64_t>(find(name + "_end", "u64"))) {
    if (end < begin || end > text.count) refuse(fmt::format("the ends of \"{}\" do not increase", name));
    names.push_back(content_.substr(text.offset + begin, end - begin));
    begin = end;
  }
  return names;
}

}  // namespace dorm
