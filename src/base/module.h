// SPDX-License-Identifier: Apache-2.0
// Modules: parts that stand on large libraries of others, each in a file of its own that is loaded when it is first
// needed, so that a program that does not need them runs where those libraries are not.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace dorm {

struct Module {
  const char* file;      // e.g. "dorm_mip.so"
  const char* variable;  // of the environment: names the file in place of all places
  const char* symbol;    // a function without arguments that returns a pointer to what the module offers
};

struct LoadedModule {
  const void* offer = nullptr;
  std::string why_not;  // "this dorm was built without one"; empty where there is an offer
};

/// Looks beside the program or the extension that holds this code, in its folder lib (a wheel), in the folders above it
/// (a build tree), and where an installation puts modules. Never throws; what is loaded stays.
LoadedModule load_module(const Module& module);

struct LoadedLibrary {
  void* handle = nullptr;
  std::string file;     // that was opened, or that cannot be; empty: none of the places has one
  std::string why_not;  // the loader's reason
};

/// The first that exists of some shared libraries. Never throws; what is loaded stays.
LoadedLibrary load_library(const std::vector<std::string>& places);

/// The folder of the program or the extension that holds this code; empty where it is not known.
std::filesystem::path own_folder();

}  // namespace dorm
