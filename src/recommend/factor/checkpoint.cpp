// SPDX-License-Identifier: Apache-2.0
#include "recommend/factor/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <system_error>

#include "base/checksum.h"
#include "data/io/files/file.h"
#include "dorm/error.h"
#include "dorm/write.h"
#include "recommend/factor/choose.h"
#include "recommend/factor/factor_file.h"
#include "recommend/factor/factor_start.h"

namespace dorm {
namespace {

constexpr std::string_view kCheckpointFormat = "dorm-factor-checkpoint";
constexpr int kCheckpointVersion = 3;

std::uint64_t fingerprint(const Ratings& ratings) {
  Checksum sum;
  for (std::size_t u = 0; u < ratings.num_users(); ++u) {
    const RatingRow row = ratings.of_user(u);
    const std::uint64_t size = row.size();
    sum.update(std::as_bytes(std::span(&size, 1)));
    sum.update(std::as_bytes(row.index));
    sum.update(std::as_bytes(row.value));
  }
  for (const IdTable* ids : {&ratings.users(), &ratings.items()})
    for (const std::string& name : ids->names()) sum.update(std::as_bytes(std::span(name)));
  return sum.value();
}

std::uint64_t fingerprint(const SideFeatures* features) {
  Checksum sum;
  if (features != nullptr) sum.update(std::as_bytes(std::span(features->values)));
  return sum.value();
}

FactorMatrix like(const FactorMatrix& shape, const ArchiveReader& archive, const char* name) {
  FactorMatrix matrix;
  matrix.rows = shape.rows;
  matrix.width = shape.width;
  matrix.values = archive.doubles(name, shape.values.size());
  if (!std::all_of(matrix.values.begin(), matrix.values.end(), [](double x) { return std::isfinite(x); }))
    archive.refuse(fmt::format("array \"{}\" has a number that is not finite", name));
  return matrix;
}

bool same_names(const IdTable& a, const IdTable& b) {
  return std::equal(a.names().begin(), a.names().end(), b.names().begin(), b.names().end());
}

std::size_t width_of(const SideFeatures* features) { return features == nullptr ? 0 : features->names.size(); }

bool fits(const FactorModel& model, const Ratings& train, const FactorizeOptions& options,
          const FactorizeInputs& inputs) {
  return same_names(model.users, train.users()) && same_names(model.items, train.items()) &&
         model.options.rank == options.rank &&
         model.item_features.size() == width_of(inputs.item_features) + options.neighbours &&
         model.user_features.size() == width_of(inputs.user_features) &&
         (model.implicit.rows > 0) == (options.implicit > 0);
}

// One entry per round made, beginning with the start.
bool history_fits(const FactorState& state) {
  for (std::size_t k = 0; k < state.rounds.size(); ++k)
    if (state.rounds[k].round != k || !std::isfinite(state.rounds[k].objective)) return false;
  return !state.rounds.empty() && state.rounds.size() - 1 == state.round && state.best_round <= state.round;
}

void read_history(const JsonFields& header, FactorState& state) {
  header.read("round", state.round);
  header.read("best_round", state.best_round);
  for (const JsonFields& row : header.objects("history", "a list of rounds")) {
    FactorRound round;
    row.read("round", round.round);
    row.read("objective", round.objective);
    round.validation = row.optional<double>("validation", "a number or null", round.validation);
    row.read("seconds", round.seconds);
    state.rounds.push_back(round);
  }
}

}  // namespace

std::string checkpoint_identity(const Ratings& train, const FactorizeOptions& o, const FactorizeInputs& inputs) {
  return fmt::format(
      "ratings={:016x} validation={:016x} item_features={:016x} user_features={:016x} warm={} rank={} "
      "measure={} convention={} decay={} bound={} lambda={} margin={} centred={} start_lambda={} "
      "start_sweeps={} implicit={} neighbours={} item_damping={} item_prior={} search={}{}{}{}{}{} tolerance={} "
      "seed={}",
      fingerprint(train), inputs.validation == nullptr ? 0 : fingerprint(*inputs.validation),
      fingerprint(inputs.item_features), fingerprint(inputs.user_features), inputs.warm != nullptr, o.rank, o.measure,
      o.convention, o.decay, o.bound, o.lambda, o.margin, o.centred, o.start_lambda, o.start_sweeps, o.implicit,
      o.neighbours, o.item_damping, o.item_prior, int{o.search.start_lambda}, int{o.search.lambda},
      int{o.search.rounds}, int{o.search.implicit}, int{o.search.neighbours}, int{o.search.item_prior}, o.tolerance,
      o.seed);
}

void save_checkpoint(const FactorState& state, const std::string& identity, const std::string& path) {
  ArchiveWriter archive;
  add_factor_arrays(state.model, archive);
  const auto add = [&](const char* name, const FactorMatrix& matrix) {
    archive.add(name, std::span<const double>(matrix.values));
  };
  add("user_centre", state.user_centre);
  add("item_centre", state.item_centre);
  add("best_users", state.best_users);
  add("best_items", state.best_items);
  Json header = factor_header(state.model);
  header["identity"] = identity;
  header["round"] = state.round;
  header["best_round"] = state.best_round;
  header["history"] = Json::array();
  for (const FactorRound& round : state.rounds)
    header["history"].push_back({{"round", round.round},
                                 {"objective", round.objective},
                                 {"validation", std::isnan(round.validation) ? Json() : Json(round.validation)},
                                 {"seconds", round.seconds}});
  write_atomically(path, [&](std::ostream& out) { archive.write(out, kCheckpointFormat, kCheckpointVersion, header); });
}

bool load_checkpoint(FactorState& state, const Ratings& train, const FactorizeOptions& options,
                     const FactorizeInputs& inputs) {
  const std::string& path = options.checkpoint;
  require_writable(path);
  if (!file_exists(path)) return false;
  const ArchiveReader archive(path, kCheckpointFormat, kCheckpointVersion);
  state.model = factors_from(archive);
  if (archive.header().required<std::string>("identity", "text") != checkpoint_identity(train, options, inputs))
    archive.refuse("this checkpoint was written for other ratings or options; delete it to start afresh");
  read_history(archive.header(), state);
  const FactorizeOptions settled = with_choice(options, state.model.options);
  if (!fits(state.model, train, settled, inputs) || !history_fits(state))
    archive.refuse("this checkpoint does not fit the ratings; delete it to start afresh");
  state.model.options = deciding_options(settled);
  state.user_centre = like(state.model.user_factors, archive, "user_centre");
  state.item_centre = like(state.model.item_factors, archive, "item_centre");
  state.best_users = like(state.model.user_factors, archive, "best_users");
  state.best_items = like(state.model.item_factors, archive, "best_items");
  return true;
}

void remove_checkpoint(const std::string& path) {
  std::error_code ignored;  // a file that cannot be removed is refused or resumed like any other
  std::filesystem::remove(path, ignored);
}

}  // namespace dorm
