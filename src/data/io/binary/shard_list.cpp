// SPDX-License-Identifier: Apache-2.0
#include "data/io/binary/shard_list.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <system_error>

#include "base/json.h"
#include "data/io/binary/binary.h"
#include "dorm/data/shard_files.h"
#include "dorm/error.h"
#include "dorm/read.h"

namespace dorm {
namespace {

constexpr const char* kListFormat = "dorm-shards";
constexpr std::uint64_t kListVersion = 1;

std::uint64_t number_from_hex(const std::string& text, const JsonFields& fields) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, 16);
  if (error != std::errc() || end != text.data() + text.size()) fields.fail("checksum", "a hexadecimal number");
  return number;
}

std::string name_in(const std::string& path) { return path.substr(path.rfind('/') + 1); }
std::string folder_of(const std::string& path) {
  return path.find('/') == std::string::npos ? "." : path.substr(0, path.rfind('/'));
}

std::string beside(const std::string& file, const std::string& name) {
  return file.substr(0, file.size() - name_in(file).size()) + name;
}

/// The files of one folder among those that words mean.
class ShardsOfFolder {
 public:
  ShardsOfFolder(const std::string& words, std::vector<std::string> files, ShardChoice choice)
      : words_(words), files_(std::move(files)), choice_(choice) {
    for (const std::string& file : files_) present_.emplace(name_in(file), &file);
  }

  void check() const {
    const std::string path = beside(files_.front(), kShardListName);
    std::error_code ignored;
    if (std::filesystem::is_regular_file(path, ignored)) return check_list(path);
    check_names(path);
  }

 private:
  // A file that stands elsewhere in the words' sense, such as one that a pattern leaves out, is nothing to miss.
  bool meant(const std::string& name) const {
    if (const std::optional<ShardName> shard = parse_shard_file_name(name);
        choice_.divisor > 1 && shard && shard->number % choice_.divisor != choice_.remainder)
      return false;
    std::error_code ignored;
    return std::filesystem::is_directory(words_, ignored) ||
           ::fnmatch(words_.c_str(), beside(files_.front(), name).c_str(), FNM_PATHNAME) == 0;
  }

  void check_list(const std::string& path) const {
    std::ifstream in(path, std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    if (!in) throw Error(ErrorCode::io, {path, 0, 0}, "cannot be read");
    const ShardList list = parse_shard_list(text.str(), path);
    std::map<std::string_view, const ListedShard*> listed;
    for (const ListedShard& shard : list.files) listed.emplace(shard.name, &shard);
    for (const ListedShard& shard : list.files)
      if (meant(shard.name) && !present_.contains(shard.name))
        throw Error(ErrorCode::bad_input, {beside(files_.front(), shard.name), 0, 0},
                    fmt::format("is missing: {} lists {} files, and this one has {} queries and {} documents; copy it "
                                "there, or convert the data again",
                                path, list.files.size(), shard.queries, shard.documents));
    for (const auto& [name, file] : present_) {
      if (!meant(name)) continue;
      const auto entry = listed.find(name);
      if (entry == listed.end())
        throw Error(ErrorCode::bad_input, {*file, 0, 0},
                    fmt::format("is no shard of its folder: {} does not list it; remove one of them", path));
      if (header_checksum(*file) != entry->second->checksum)
        throw Error(ErrorCode::bad_input, {*file, 0, 0},
                    fmt::format("is not the file that {} lists: it is damaged, or of another conversion", path));
    }
  }

  // Without a list, shards that are there by name: all of them, since one that is not there may be empty or lost.
  void check_names(const std::string& path) const {
    std::size_t num_shards = 0;
    for (const auto& [name, file] : present_)
      if (const std::optional<ShardName> shard = parse_shard_file_name(name)) num_shards = shard->num_shards;
    for (std::size_t k = choice_.remainder; k < num_shards; k += choice_.divisor) {
      const std::string name = shard_file_name(static_cast<std::uint32_t>(k), num_shards);
      if (!present_.contains(name) && meant(name))
        throw Error(ErrorCode::bad_input, {beside(files_.front(), name), 0, 0},
                    fmt::format("is missing, or has no queries, which {} would say, but it is missing, too; copy it "
                                "there, or convert the data again",
                                path));
    }
  }

  const std::string& words_;
  std::vector<std::string> files_;
  ShardChoice choice_;
  std::map<std::string, const std::string*, std::less<>> present_;
};

}  // namespace

std::string to_json(const ShardList& list) {
  Json files = Json::array();
  for (const ListedShard& shard : list.files)
    files.push_back({{"name", shard.name},
                     {"queries", shard.queries},
                     {"documents", shard.documents},
                     {"checksum", fmt::format("{:016x}", shard.checksum)}});
  return json_text({{"format", kListFormat}, {"version", kListVersion}, {"shards", list.num_shards}, {"files", files}},
                   1) +
         "\n";
}

ShardList parse_shard_list(std::string_view text, const std::string& name) {
  const Json json = parse_json(text, name, "a list of shards");
  const JsonFields fields(json, name, "a list of shards");
  if (fields.required<std::string>("format", kListFormat) != kListFormat) fields.fail("format", kListFormat);
  if (fields.required<std::uint64_t>("version", "1") != kListVersion) fields.fail("version", "1");
  ShardList list{.num_shards = fields.required<std::uint64_t>("shards", "a number of shards")};
  for (const JsonFields& shard : fields.objects("files", "a list of files")) {
    ListedShard entry;
    shard.read("name", entry.name);
    shard.read("queries", entry.queries);
    shard.read("documents", entry.documents);
    entry.checksum = number_from_hex(shard.required<std::string>("checksum", "a hexadecimal number"), shard);
    const std::optional<ShardName> number = parse_shard_file_name(entry.name);
    if (!number || number->num_shards != list.num_shards || entry.name.find('/') != std::string::npos)
      shard.fail("name", fmt::format("the name of one of {} shards", list.num_shards));
    list.files.push_back(std::move(entry));
  }
  return list;
}

std::uint64_t header_checksum(const std::string& path) {
  BinaryHeader header;
  std::ifstream in(path, std::ios::binary);
  in.read(reinterpret_cast<char*>(&header), sizeof header);
  if (!in || !is_binary({header.magic.data(), header.magic.size()})) return 0;
  return header.checksum;
}

std::vector<std::string> files_named_by(const std::string& words) { return chosen_files(words, {}); }

std::vector<std::string> chosen_files(const std::string& words, ShardChoice choice) {
  std::vector<std::string> files = files_present(words);
  std::map<std::string, std::vector<std::string>> by_folder;
  for (const std::string& file : files) by_folder[folder_of(file)].push_back(file);
  for (const auto& [folder, of_folder] : by_folder) ShardsOfFolder(words, of_folder, choice).check();
  if (choice.divisor > 1)
    std::erase_if(files, [&](const std::string& file) {
      const std::optional<ShardName> name = parse_shard_file_name(file);
      return !name || name->number % choice.divisor != choice.remainder;
    });
  return files;
}

}  // namespace dorm
