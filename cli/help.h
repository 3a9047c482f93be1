// SPDX-License-Identifier: Apache-2.0
// Help pages: what a command does, its options by group, examples, names from the catalog, exit status.
#pragma once

#include <CLI/CLI.hpp>
#include <span>
#include <string>
#include <vector>

#include "dorm/catalog.h"

namespace dorm::cli {

inline constexpr const char* kCommonGroup = "Common options";  // shown last

class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter();
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
  std::string make_option_name(const CLI::Option* option, bool is_positional) const override;
  std::string make_subcommand(const CLI::App* verb) const override;

 private:
  std::string option_groups(const CLI::App* app) const;
};

/// " usage help" lines of a catalog, folded to the width of a page.
std::string catalog_text(const std::string& title, std::span<const CatalogEntry> entries);

std::string exit_status_text();

}  // namespace dorm::cli
