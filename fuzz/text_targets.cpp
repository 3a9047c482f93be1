// SPDX-License-Identifier: Apache-2.0
// What people type: measures, kernels, decays, options, grids.
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "cli/options/grid.h"
#include "dorm/data/one_per.h"
#include "dorm/learning/kernel.h"
#include "dorm/measure.h"
#include "dorm/oracle.h"
#include "dorm/train.h"
#include "dorm/tune.h"
#include "target.h"

namespace dorm::fuzz {
namespace {

// A name is read back as itself, and has a value on lists of no, one and several documents.
void measure(Bytes input) {
  const std::uint8_t choice = take_choice(input);
  const auto conventions = convention_catalog();
  const Convention convention = make_convention(conventions[choice % conventions.size()].name);
  for (const std::string& spelling : split_measures(as_text(input))) {
    const auto measure = make_measure(spelling, convention);
    require(make_measure(measure->name(), convention)->name() == measure->name());
    constexpr std::array<float, 5> kLabels = {0, 2, 1, 0, 1};
    std::array<std::uint32_t, 5> ranking;
    std::iota(ranking.begin(), ranking.end(), 0u);
    for (const std::size_t size : {1u, 5u})
      if (const auto value = measure->evaluate(std::span(kLabels).first(size), std::span(ranking).first(size)))
        require(!measure->normalised() || !(*value > 1 + 1e-9));
  }
}

// A kernel can write itself down and be read back.
void kernel(Bytes input) {
  check_kernel_spec(as_text(input));
  static const Documents documents(small_data());
  const auto kernel = make_kernel(as_text(input), documents);
  require(make_kernel(kernel->spec(), documents)->spec() == kernel->spec());
  std::vector<float> diagonal(documents.size());
  kernel->diagonal(documents, diagonal);
}

OptionValue value_of(const OptionValue& old, std::string_view text) {
  if (std::holds_alternative<std::string>(old)) return std::string(text);
  if (std::holds_alternative<bool>(old)) return text == "true";
  const double number = std::strtod(std::string(text).c_str(), nullptr);
  if (std::holds_alternative<double>(old)) return number;
  const bool fits = number >= 0 && number < 1.8e19;
  return fits ? static_cast<std::uint64_t>(number) : std::numeric_limits<std::uint64_t>::max();
}

// Lines NAME=VALUE over the catalog of training options; then the checks that training makes of them.
void options(Bytes input) {
  TrainOptions options;
  std::string_view text = as_text(input);
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    for (const TrainOption& option : train_option_catalog())
      if (line.substr(0, equals) == option.name)
        option.set(options, value_of(option.get(options), line.substr(equals + 1)));
  }
  options.validate();
  const OnePer rule = parse_one_per(options.one_per);
  require(parse_one_per(rule.spelling()).spelling() == rule.spelling());
}

void grid(Bytes input) {
  TuneOptions options;
  cli::parse_grid(std::string(as_text(input)), options);
  for (const double C : options.C) require(std::isfinite(C) && C > 0);
}

void decay(Bytes input) {
  const Decay decay(as_text(input));
  require(Decay(decay.name()).name() == decay.name());
  for (const double c : decay.values(std::vector<double>{1, 0.5, 0.25, 0})) require(std::isfinite(c));
}

// Hosts of document ids: a domain is an end of its host.
void url(Bytes input) {
  const std::string host = host_of(as_text(input));
  require(host.ends_with(registered_domain(host)));
}

}  // namespace

std::span<const Target> text_targets() {
  static constexpr Target kTargets[] = {{"measure", measure}, {"kernel", kernel}, {"options", options},
                                        {"grid", grid},       {"decay", decay},   {"url", url}};
  return kTargets;
}

}  // namespace dorm::fuzz
