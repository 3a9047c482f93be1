// SPDX-License-Identifier: Apache-2.0
// Help pages: what a command does, its options by group, examples, names from the catalog, exit status. A short page of
// one screen (-h), the whole page (--help), or a part of it (--help=kernel, --help=expert).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "command.h"
#include "dorm/base/catalog.h"
#include "options/declared_options.h"

namespace dorm::cli {

inline constexpr const char* kCommonGroup = "Common options";  // shown last

/// Of one verb.
std::string short_page(const DeclaredVerb& verb, const Command& command);
std::string whole_page(const DeclaredVerb& verb, const Command& command);
/// The options of the groups, the option, or the names below the options that `part` names: kernel, --scale, solvers.
/// Throws Error(unknown_name).
std::string part_page(const DeclaredVerb& verb, const std::string& part);

/// Of the command itself.
std::string short_overview(const CLI::App& root, std::span<const Command> commands);
std::string whole_overview(const CLI::App& root, std::span<const Command> commands);

/// Whether there are commands "NAME SUBCOMMAND".
bool is_group(const std::string& name, std::span<const Command> commands);
std::string group_page(const CLI::App& root, const std::string& group);

/// The usage of a command: "dorm train DATA --model FILE [OPTIONS]".
std::string usage_form(const DeclaredVerb& verb, const Command& command);

/// " usage help" lines of a catalog, folded to the width of a page.
std::string catalog_text(const std::string& title, std::span<const CatalogEntry> entries);

std::string exit_status_text();
std::string environment_text();

}  // namespace dorm::cli
