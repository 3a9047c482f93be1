// SPDX-License-Identifier: Apache-2.0
// The names of shard files, and the files that a folder or a pattern means; shard_list.cpp asks whether they are all.
#include "dorm/data/shard_files.h"

#include <fmt/format.h>
#include <glob.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <system_error>

#include "dorm/error.h"
#include "dorm/read.h"

namespace dorm {
namespace {

// The number between two texts; nothing unless it is there with at least five digits, as it is written.
std::optional<std::uint64_t> number_between(std::string_view& text, std::string_view before, std::string_view after) {
  if (!text.starts_with(before)) return std::nullopt;
  text.remove_prefix(before.size());
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const auto digits = static_cast<std::size_t>(end - text.data());
  if (error != std::errc() || digits < 5 || !text.substr(digits).starts_with(after)) return std::nullopt;
  text.remove_prefix(digits);
  return number;
}

std::vector<std::string> files_matching(const std::string& pattern) {
  std::vector<std::string> files;
  glob_t found{};
  if (::glob(pattern.c_str(), GLOB_NOSORT, nullptr, &found) == 0)
    for (std::size_t i = 0; i < found.gl_pathc; ++i) files.emplace_back(found.gl_pathv[i]);
  ::globfree(&found);
  return files;
}

std::vector<std::string> binary_files_in(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    if (entry.path().extension() == ".dorm") files.push_back(entry.path().string());
  if (error) throw Error(ErrorCode::io, {folder, 0, 0}, fmt::format("cannot be read: {}", error.message()));
  return files;
}

}  // namespace

std::string shard_file_name(std::uint32_t number, std::size_t num_shards) {
  return fmt::format("part-{:05}-of-{:05}.dorm", number, num_shards);
}

std::optional<ShardName> parse_shard_file_name(std::string_view path) {
  std::string_view name = path.substr(path.rfind('/') + 1);
  const std::optional<std::uint64_t> number = number_between(name, "part-", "-of-");
  const std::optional<std::uint64_t> of = number ? number_between(name, "-of-", ".dorm") : std::nullopt;
  if (!of || name != ".dorm" || *number >= *of || *of > UINT32_MAX) return std::nullopt;
  return ShardName{static_cast<std::uint32_t>(*number), static_cast<std::size_t>(*of)};
}

bool names_many_files(const std::string& words) {
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(words, ignored);
  if (std::filesystem::exists(status)) return std::filesystem::is_directory(status);
  return words.find_first_of("*?[") != std::string::npos;
}

std::vector<std::string> files_present(const std::string& words) {
  std::error_code ignored;
  const bool folder = std::filesystem::is_directory(words, ignored);
  std::vector<std::string> files = folder ? binary_files_in(words) : files_matching(words);
  if (files.empty())
    throw Error(ErrorCode::io, {words, 0, 0},
                folder ? "holds no .dorm file; expected some" : "no file has such a name");
  for (const std::string& file : files)
    if (std::filesystem::is_other(std::filesystem::status(file, ignored)))
      throw Error(ErrorCode::bad_input, {file, 0, 0}, "no regular file; expected a shard");
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace dorm
