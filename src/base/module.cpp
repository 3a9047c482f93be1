// SPDX-License-Identifier: Apache-2.0
#include "base/module.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <vector>

namespace dorm {
namespace {

std::vector<std::filesystem::path> places_of(const Module& module) {
  if (const char* named = std::getenv(module.variable)) return {named};
  Dl_info here;
  if (dladdr(reinterpret_cast<const void*>(&load_module), &here) == 0) return {};
  std::error_code ignored;
  std::filesystem::path file = std::filesystem::canonical(here.dli_fname, ignored);
  if (ignored) file = std::filesystem::read_symlink("/proc/self/exe", ignored);
  const std::filesystem::path folder = file.parent_path();
  std::vector<std::filesystem::path> out;
  for (const char* from : {".", "lib", "..", "../..", "../lib/dorm"}) out.push_back(folder / from / module.file);
  out.push_back(folder / ".." / DORM_LIBDIR / "dorm" / module.file);
  return out;
}

}  // namespace

LoadedModule load_module(const Module& module) {
  for (const std::filesystem::path& path : places_of(module)) {
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored)) continue;
    void* const loaded = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (loaded == nullptr) return {nullptr, fmt::format("its module cannot be loaded ({})", dlerror())};
    using Get = const void* (*)();
    const auto get = reinterpret_cast<Get>(dlsym(loaded, module.symbol));
    if (get == nullptr) return {nullptr, fmt::format("{} is not a module of this program", path.string())};
    return {get(), {}};
  }
  return {nullptr, "this dorm was built without one"};
}

}  // namespace dorm
