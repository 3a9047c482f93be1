// SPDX-License-Identifier: Apache-2.0
#include "serve/model_store.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <exception>

#include "base/quote.h"
#include "dorm/error.h"

namespace dorm::serve {
namespace {

void check_model_names(const std::vector<ModelFile>& files) {
  for (std::size_t k = 0; k < files.size(); ++k) {
    const std::string& name = files[k].name;
    const bool fine = !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), [](unsigned char c) {
      return std::isalnum(c) || c == '.' || c == '_' || c == '-';
    });
    if (!fine)
      throw Error(ErrorCode::bad_option,
                  fmt::format("the name of a model is {}; expected up to 64 letters, digits, '.', '_' and '-'",
                              in_quotes(name)));
    for (std::size_t before = 0; before < k; ++before)
      if (files[before].name == name)
        throw Error(ErrorCode::bad_option, fmt::format("two models are named {}; expected a name for each: {} and {}",
                                                       name, files[before].path, files[k].path));
  }
}

}  // namespace

ModelStore::Stamp ModelStore::stamp_of(const std::string& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) return {};
  return {found.st_mtim.tv_sec, found.st_mtim.tv_nsec, static_cast<std::uint64_t>(found.st_size), found.st_ino};
}

ModelStore::ModelStore(const std::vector<ModelFile>& files, Say say) : say_(std::move(say)) {
  check_model_names(files);
  auto models = std::make_shared<Models>();
  for (const ModelFile& file : files) {
    stamps_.push_back(stamp_of(file.path));
    models->push_back(std::make_shared<const LoadedModel>(file));
  }
  models_ = std::move(models);
}

std::shared_ptr<const ModelStore::Models> ModelStore::models() const {
  const std::lock_guard lock(mutex_);
  return models_;
}

std::uint64_t ModelStore::reloads() const {
  const std::lock_guard lock(mutex_);
  return reloads_;
}

std::uint64_t ModelStore::failures() const {
  const std::lock_guard lock(mutex_);
  return failures_;
}

void ModelStore::tell(const std::string& line) {
  const std::lock_guard lock(say_mutex_);
  if (say_) say_(line);
}

void ModelStore::fall_silent() {
  const std::lock_guard lock(say_mutex_);
  say_ = {};
}

void ModelStore::note_failure(std::string_view reason) noexcept {
  {
    const std::lock_guard lock(mutex_);
    ++failures_;
  }
  try {
    tell(std::string(reason));
  } catch (const std::exception&) {  // it stays counted
  }
}

void ModelStore::reload_one(std::size_t index, bool whatever) {
  const std::shared_ptr<const LoadedModel> old = models()->at(index);
  const Stamp stamp = stamp_of(old->path());
  if (!whatever && stamp == stamps_[index]) return;
  stamps_[index] = stamp;
  try {
    const auto fresh = std::make_shared<const LoadedModel>(ModelFile{old->name(), old->path()});
    if (fresh->version() == old->version()) return;
    auto changed = std::make_shared<Models>(*models());
    (*changed)[index] = fresh;
    {
      const std::lock_guard lock(mutex_);
      models_ = std::move(changed);
      ++reloads_;
    }
    tell(fmt::format("{}: version {} of {} is served now", old->path(), fresh->version(), old->name()));
  } catch (const std::exception& error) {
    note_failure(fmt::format("{}; {} stays at version {}", error.what(), old->name(), old->version()));
  }
}

void ModelStore::reload(bool all) noexcept {
  for (std::size_t k = 0; k < stamps_.size(); ++k) try {
      reload_one(k, all);
    } catch (const std::exception& error) {
      note_failure(error.what());
    }
}

}  // namespace dorm::serve
