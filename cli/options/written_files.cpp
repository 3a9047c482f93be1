// SPDX-License-Identifier: Apache-2.0
#include "options/written_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <vector>

#include "data/io/files/side_files.h"
#include "dorm/data/shard_files.h"
#include "dorm/error.h"
#include "dorm/write.h"
#include "run/output.h"

namespace dorm::cli {
namespace {

constexpr const char* kStandardOutput = "/dev/stdout";

// Both exist and are one file.
bool same_file(const std::string& a, const std::string& b) {
  std::error_code not_comparable;
  return std::filesystem::equivalent(a, b, not_comparable);
}

bool is_file(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored);
}

// The name without links, as far as it exists.
std::filesystem::path place_of(const std::string& path) {
  std::error_code failed;
  return std::filesystem::weakly_canonical(std::filesystem::absolute(path, failed), failed);
}

// The same file, or the same place for one that is yet to be made. Devices may be written twice.
bool same_place(const std::string& a, const std::string& b) {
  std::error_code failed;
  if (a == "-" || (std::filesystem::exists(a, failed) && !is_file(a))) return false;
  return same_file(a, b) || place_of(a) == place_of(b);
}

// A word may be a list of names (a,b), and a name may follow its kind (scores:a).
std::vector<std::string> names_in(const std::string& word) {
  std::vector<std::string> names = {word};
  for (std::size_t begin = 0; begin <= word.size();) {
    const std::size_t end = std::min(word.find(',', begin), word.size());
    names.push_back(word.substr(begin, end - begin));
    if (const std::size_t colon = names.back().find(':'); colon != std::string::npos)
      names.push_back(names.back().substr(colon + 1));
    begin = end + 1;
  }
  return names;
}

void add_files(const std::string& word, std::vector<std::string>& files) {
  if (names_many_files(word)) {
    try {
      for (const std::string& file : files_present(word)) files.push_back(file);
    } catch (const Error&) {  // not a pattern of files, or the reader reports the error
    }
    return;
  }
  for (const std::string& name : names_in(word)) {
    if (!is_file(name)) continue;
    const SideFiles beside = find_side_files(name);
    for (const std::string& file : {name, beside.sizes, beside.weights})
      if (!file.empty()) files.push_back(file);
  }
}

struct WrittenAndRead {
  std::vector<std::string> read, named, folders;  // named: to be written, by a value of their own
  std::vector<std::string> written = {kStandardOutput};

  explicit WrittenAndRead(const CLI::App& verb) {
    for (const CLI::Option* option : verb.get_options())
      for (const std::string& word : option->results()) add(option->get_type_name(), word);
    written.insert(written.end(), named.begin(), named.end());
  }

 private:
  void add(const std::string& type, const std::string& word) {
    if (word.empty() || type == kNewFolder) return;
    if (type == kWrittenFile) return named.push_back(word);
    if (!type.starts_with(kWrittenFile)) return add_files(word, read);
    folders.push_back(word);
    std::istringstream names(type.substr(std::string_view(kWrittenFile).size()));
    for (std::string name; names >> name;) written.push_back(fmt::format("{}/{}", word, name));
  }
};

[[noreturn]] void refuse_same_file(const std::string& a, const std::string& b) {
  throw Error(ErrorCode::bad_option, fmt::format("{} and {} are the same file; expected another name to write",
                                                 a == kStandardOutput ? "standard output" : a, b));
}

}  // namespace

void check_written_files(const CLI::App& verb) {
  const WrittenAndRead files(verb);
  for (const std::string& to : files.written)
    for (const std::string& from : files.read)
      if (same_file(to, from)) refuse_same_file(to, from);
  for (const std::string& folder : files.folders) make_folder(folder);
  for (std::size_t k = 0; k < files.named.size(); ++k) {
    for (std::size_t earlier = 0; earlier < k; ++earlier)
      if (same_place(files.named[earlier], files.named[k])) refuse_same_file(files.named[earlier], files.named[k]);
    require_writable(files.named[k]);
  }
}

}  // namespace dorm::cli
