// SPDX-License-Identifier: Apache-2.0
#include "base/module.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <vector>

namespace dorm {
namespace {

std::vector<std::string> places_of(const Module& module) {
  if (const char* named = std::getenv(module.variable)) return {named};
  const std::filesystem::path folder = own_folder();
  if (folder.empty()) return {};
  std::vector<std::string> out;
  for (const char* from : {".", "lib", "..", "../..", "../lib/dorm"})
    out.push_back((folder / from / module.file).string());
  out.push_back((folder / ".." / DORM_LIBDIR / "dorm" / module.file).string());
  return out;
}

}  // namespace

std::filesystem::path own_folder() {
  Dl_info here;
  if (dladdr(reinterpret_cast<const void*>(&load_module), &here) == 0) return {};
  std::error_code ignored;
  std::filesystem::path file = std::filesystem::canonical(here.dli_fname, ignored);
  if (ignored) file = std::filesystem::read_symlink("/proc/self/exe", ignored);
  return file.parent_path();
}

LoadedLibrary load_library(const std::vector<std::string>& places) {
  for (const std::string& path : places) {
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored)) continue;
    void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    return {handle, path, handle == nullptr ? dlerror() : ""};
  }
  return {};
}

LoadedModule load_module(const Module& module) {
  const LoadedLibrary library = load_library(places_of(module));
  if (library.file.empty()) return {nullptr, "this dorm was built without one"};
  if (library.handle == nullptr) return {nullptr, fmt::format("its module cannot be loaded ({})", library.why_not)};
  using Get = const void* (*)();
  const auto get = reinterpret_cast<Get>(dlsym(library.handle, module.symbol));
  if (get == nullptr) return {nullptr, fmt::format("{} is not a module of this program", library.file)};
  return {get(), {}};
}

}  // namespace dorm
