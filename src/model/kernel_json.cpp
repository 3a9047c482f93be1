// SPDX-License-Identifier: Apache-2.0
#include "model/kernel_json.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "base/checksum.h"
#include "dorm/error.h"

namespace dorm {
namespace {

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

/// One name per support document, or none at all.
std::vector<std::string> names_from(const JsonFields& kernel, const char* key, std::size_t size) {
  auto names = kernel.optional<std::vector<std::string>>(key, "a list of names", std::vector<std::string>(size));
  if (names.size() != size)
    kernel.refuse(fmt::format("kernel: \"{}\" has {} names; expected {}", key, names.size(), size));
  return names;
}

std::vector<float> values_from(const JsonFields& kernel, std::size_t rows, std::size_t columns) {
  const std::vector<unsigned char> bytes = from_base64(kernel.required<std::string>("values", "base64 text"));
  if (bytes.size() % sizeof(float) != 0 || bytes.size() / sizeof(float) / columns != rows ||
      bytes.size() / sizeof(float) % columns != 0)
    kernel.refuse(
        fmt::format("kernel: support documents are missing: {} with {} features need {} bytes, the block has {}", rows,
                    columns, rows * columns * sizeof(float), bytes.size()));
  std::vector<float> values(rows * columns);
  std::memcpy(values.data(), bytes.data(), bytes.size());
  if (hash_text(checksum(std::as_bytes(std::span(values)))) !=
      kernel.required<std::string>("checksum", "16 hexadecimal digits"))
    kernel.refuse("kernel: the support documents are damaged: their checksum differs");
  return values;
}

Dataset support_from(const JsonFields& kernel, const std::vector<std::string>& features) {
  const auto rows = kernel.required<std::uint64_t>("support", "the number of support documents");
  if (rows == 0 || rows > UINT32_MAX || features.empty()) kernel.refuse("kernel: it has no support documents");
  const std::vector<float> values = values_from(kernel, rows, features.size());
  const std::vector<std::string> queries = names_from(kernel, "queries", rows),
                                 ids = names_from(kernel, "documents", rows),
                                 groups = names_from(kernel, "groups", rows);
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

KernelExpansion kernel_from_json(const JsonFields& kernel, const std::vector<std::string>& features) {
  KernelExpansion expansion;
  expansion.kernel = kernel.required<std::string>("spec", "the text of a kernel");
  expansion.approximation = kernel.required<std::string>("approximation", "a name");
  const auto form = kernel.required<std::string>("form", "expansion or fourier");
  if (form != "expansion" && form != "fourier") kernel.fail("form", "expansion or fourier");
  expansion.fourier = form == "fourier";
  expansion.documents = kernel.required<std::uint64_t>("of", "a whole number");
  expansion.pruned = kernel.required<double>("pruned", "a number");
  expansion.coefficients = kernel.required<std::vector<double>>("coefficients", "a list of finite numbers");
  expansion.support = support_from(kernel, features);
  const std::size_t expected = expansion.support.num_documents() * (expansion.fourier ? 2 : 1);
  if (expansion.coefficients.size() != expected)
    kernel.refuse(fmt::format("kernel: {} coefficients for {} support documents; expected {}",
                              expansion.coefficients.size(), expansion.support.num_documents(), expected));
  return expansion;
}

}  // namespace dorm
