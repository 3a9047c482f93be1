// SPDX-License-Identifier: Apache-2.0
#include "model/kernel_json.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "base/checksum_v1.h"
#include "dorm/error.h"

namespace dorm {
namespace {

using Json = nlohmann::ordered_json;

static_assert(std::endian::native == std::endian::little, "the block is written as it lies in memory");

constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::string to_base64(std::span<const unsigned char> bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t word = 0;
    for (std::size_t k = 0; k < 3; ++k) word = word << 8 | (i + k < bytes.size() ? bytes[i + k] : 0u);
    for (std::size_t k = 0; k < 4; ++k) text += i + k <= bytes.size() ? kDigits[word >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

/// Empty when it is no base64.
std::vector<unsigned char> from_base64(std::string_view text) {
  std::vector<unsigned char> bytes;
  bytes.reserve(text.size() / 4 * 3);
  if (text.size() % 4 != 0) return {};
  while (text.ends_with('=')) text.remove_suffix(1);
  std::array<std::uint8_t, 256> value;
  value.fill(64);
  for (std::size_t i = 0; i < kDigits.size(); ++i)
    value[static_cast<unsigned char>(kDigits[i])] = static_cast<std::uint8_t>(i);
  std::uint32_t word = 0;
  unsigned bits = 0;
  for (const char c : text) {
    const std::uint8_t digit = value[static_cast<unsigned char>(c)];
    if (digit == 64) return {};
    word = word << 6 | digit;
    if ((bits += 6) < 8) continue;
    bits -= 8;
    bytes.push_back(static_cast<unsigned char>(word >> bits & 255));
  }
  return bytes;
}

std::string hash_text(std::uint64_t sum) { return fmt::format("{:016x}", sum); }

std::vector<float> dense_values(const Documents& documents) {
  const std::size_t width = documents.num_features();
  std::vector<float> values(documents.size() * width);
  for (std::size_t i = 0; i < documents.size(); ++i) documents.load(i, std::span(values).subspan(i * width, width));
  return values;
}

Json names_json(const Documents& documents, IdKind kind) {
  Json names = Json::array();
  for (std::size_t i = 0; i < documents.size(); ++i) names.push_back(documents.id(kind, i));
  return names;
}

class Reader {
 public:
  Reader(const Json& json, const std::string& name, std::uint64_t version)
      : json_(json), name_(name), version_(version) {
    if (!json.is_object()) fail("should be an object");
  }

  std::uint64_t version() const { return version_; }

  template <class T>
  T get(const char* key, const char* expected) const {
    try {
      return json_.at(key).get<T>();
    } catch (const nlohmann::json::exception&) {
      fail(fmt::format("\"{}\" should be {}", key, expected));
    }
  }

  /// One name per support document, or none at all.
  std::vector<std::string> names(const char* key, std::size_t size) const {
    if (!json_.contains(key)) return std::vector<std::string>(size);
    auto names = get<std::vector<std::string>>(key, "a list of names");
    if (names.size() != size) fail(fmt::format("\"{}\" has {} names; expected {}", key, names.size(), size));
    return names;
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ErrorCode::bad_input, {name_}, "not a usable model: kernel: " + what);
  }

 private:
  const Json& json_;
  const std::string& name_;
  std::uint64_t version_;
};

std::vector<float> read_values(const Reader& reader, std::size_t rows, std::size_t columns) {
  const std::vector<unsigned char> bytes = from_base64(reader.get<std::string>("values", "base64 text"));
  if (bytes.size() % sizeof(float) != 0 || bytes.size() / sizeof(float) / columns != rows ||
      bytes.size() / sizeof(float) % columns != 0)
    reader.fail(fmt::format("support documents are missing: {} with {} features need {} bytes, the block has {}", rows,
                            columns, rows * columns * sizeof(float), bytes.size()));
  std::vector<float> values(rows * columns);
  std::memcpy(values.data(), bytes.data(), bytes.size());
  if (hash_text(checksum_of_version(reader.version(), std::as_bytes(std::span(values)))) !=
      reader.get<std::string>("checksum", "16 hexadecimal digits"))
    reader.fail("the support documents are damaged: their checksum differs");
  return values;
}

Dataset read_support(const Reader& reader, const std::vector<std::string>& features) {
  const auto rows = reader.get<std::uint64_t>("support", "the number of support documents");
  if (rows == 0 || rows > UINT32_MAX || features.empty()) reader.fail("has no support documents");
  const std::vector<float> values = read_values(reader, rows, features.size());
  const std::vector<std::string> queries = reader.names("queries", rows), ids = reader.names("documents", rows),
                                 groups = reader.names("groups", rows);
  DatasetBuilder builder;
  for (std::size_t i = 0; i < rows; ++i)
    builder.add({0.0f, queries[i].empty() ? "support" : std::string_view(queries[i]), ids[i], groups[i]},
                std::span(values).subspan(i * features.size(), features.size()));
  builder.set_feature_names(features);
  return builder.finish();
}

}  // namespace

Json kernel_json(const KernelExpansion& expansion) {
  const Documents support(expansion.support);
  const std::vector<float> values = dense_values(support);
  const std::span<const unsigned char> bytes(reinterpret_cast<const unsigned char*>(values.data()),
                                             values.size() * sizeof(float));
  Json out;
  out["spec"] = expansion.kernel;
  out["approximation"] = expansion.approximation;
  out["form"] = expansion.fourier ? "fourier" : "expansion";
  out["support"] = support.size();
  out["of"] = expansion.documents;
  out["pruned"] = expansion.pruned;
  if (expansion.support.num_queries() > 1) out["queries"] = names_json(support, IdKind::query);
  if (expansion.support.has_document_ids()) out["documents"] = names_json(support, IdKind::document);
  if (expansion.support.has_groups()) out["groups"] = names_json(support, IdKind::group);
  out["coefficients"] = expansion.coefficients;
  out["encoding"] = "float32 little-endian, row by row, base64";
  out["checksum"] = hash_text(checksum(std::as_bytes(std::span(values))));
  out["values"] = to_base64(bytes);
  return out;
}

KernelExpansion kernel_from_json(const Json& json, const std::vector<std::string>& features, const std::string& name,
                                 std::uint64_t version) {
  const Reader reader(json, name, version);
  KernelExpansion expansion;
  expansion.kernel = reader.get<std::string>("spec", "the text of a kernel");
  expansion.approximation = reader.get<std::string>("approximation", "a name");
  const auto form = reader.get<std::string>("form", "expansion or fourier");
  if (form != "expansion" && form != "fourier") reader.fail("\"form\" should be expansion or fourier");
  expansion.fourier = form == "fourier";
  expansion.documents = reader.get<std::uint64_t>("of", "a number");
  expansion.pruned = reader.get<double>("pruned", "a number");
  expansion.coefficients = reader.get<std::vector<double>>("coefficients", "a list of numbers");
  for (const double x : expansion.coefficients)
    if (!std::isfinite(x)) reader.fail("\"coefficients\" should be finite numbers");
  expansion.support = read_support(reader, features);
  const std::size_t expected = expansion.support.num_documents() * (expansion.fourier ? 2 : 1);
  if (expansion.coefficients.size() != expected)
    reader.fail(fmt::format("{} coefficients for {} support documents; expected {}", expansion.coefficients.size(),
                            expansion.support.num_documents(), expected));
  return expansion;
}

}  // namespace dorm
