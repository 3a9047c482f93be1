// SPDX-License-Identifier: Apache-2.0
#include "report/pages/provenance.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <ctime>

#include "base/parallel.h"
#include "data/io/files/file.h"
#include "dorm/error.h"

namespace dorm::pages {
namespace {

/// The model name that Linux gives, or the architecture elsewhere.
std::string processor(const utsname& system) {
  try {
    InputFile file("/proc/cpuinfo");
    std::string text(16384, '\0');
    text.resize(file.read(text.data(), text.size()));
    constexpr std::string_view kKey = "model name";
    const std::size_t key = text.find(kKey);
    const std::size_t colon = key == std::string::npos ? key : text.find(": ", key);
    if (colon != std::string::npos) return text.substr(colon + 2, text.find('\n', colon) - colon - 2);
  } catch (const Error&) {  // no such file on this system
  }
  return system.machine;
}

std::string memory() {
  const long pages = ::sysconf(_SC_PHYS_PAGES), bytes = ::sysconf(_SC_PAGESIZE);
  if (pages <= 0 || bytes <= 0) return "unknown";
  return report::bytes_text(static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(bytes));
}

std::string compiler() {
#if defined(__clang__)
  return "clang " __clang_version__;
#else
  return "gcc " __VERSION__;
#endif
}

}  // namespace

report::Section provenance_section(const Origin& origin, std::optional<std::uint64_t> seed,
                                   std::vector<report::Fact> more) {
  utsname system{};
  ::uname(&system);
  const std::size_t cores = thread_count(0);
  report::Facts facts;
  facts.facts.push_back(
      {"version", origin.version.empty() ? "dorm " DORM_VERSION : origin.version, "built with " + compiler()});
  if (seed) facts.facts.push_back({"seed", std::to_string(*seed)});
  facts.facts.push_back({"threads", std::to_string(thread_count(origin.threads)), "results do not depend on it"});
  facts.facts.push_back({"processor", processor(system), fmt::format("{} cores", cores)});
  facts.facts.push_back({"memory", memory()});
  facts.facts.push_back({"system", fmt::format("{} {}", system.sysname, system.release)});
  for (report::Fact& fact : more) facts.facts.push_back(std::move(fact));
  report::Section section{"How it was made"};
  if (!origin.command.empty()) section.blocks.emplace_back(report::Code{origin.command});
  section.blocks.emplace_back(std::move(facts));
  return section;
}

std::string footer_text() {
  return fmt::format("dorm " DORM_VERSION ", {:%Y-%m-%d %H:%M} UTC", fmt::gmtime(std::time(nullptr)));
}

}  // namespace dorm::pages
