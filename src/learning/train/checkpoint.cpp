// SPDX-License-Identifier: Apache-2.0
// The file: a line "dorm-checkpoint VERSION CHECKSUM", a line of JSON with that checksum, then the solver's state,
// which carries its own checksum. Version 1 had another checksum and is refused: a checkpoint lives as long as a run.
#include "learning/train/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <sstream>
#include <system_error>
#include <utility>

#include "base/checksum.h"
#include "base/json.h"
#include "base/stopwatch.h"
#include "data/io/file.h"
#include "dorm/error.h"
#include "dorm/write.h"

namespace dorm {
namespace {

constexpr int kVersion = 2;

std::uint64_t hash(std::string_view text) { return checksum(std::as_bytes(std::span(text))); }

Json to_json(const Fitted& fitted) {
  return {{"w", fitted.w},
          {"primal", fitted.report.primal},
          {"dual", fitted.report.dual},
          {"gap", fitted.report.gap},
          {"status", fitted.status()},
          {"objectives", fitted.objectives},
          {"zero_risk", fitted.zero_risk}};
}

Fitted fitted_from(const JsonFields& json) {
  Fitted fitted;
  json.read("w", fitted.w);
  json.read("primal", fitted.report.primal);
  json.read("dual", fitted.report.dual);
  json.read("gap", fitted.report.gap);
  fitted.report.status = parse_status(json.required<std::string>("status", "a name"));
  json.read("objectives", fitted.objectives);
  json.read("zero_risk", fitted.zero_risk);
  return fitted;
}

bool all_finite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

bool fits(const Fitted& fitted, std::size_t dimension) {
  return fitted.w.size() == dimension && all_finite(fitted.w) && !fitted.objectives.empty() &&
         all_finite(fitted.objectives) &&
         all_finite({fitted.report.primal, fitted.report.dual, fitted.report.gap, fitted.zero_risk});
}

// Rounds are counted from 1; all but the one begun have left an objective.
bool fits(const RoundsState& state, std::size_t dimension) {
  if (state.round == 0) return state.reference_w.empty() && state.objectives.empty();
  return state.reference_w.size() == dimension && all_finite(state.reference_w) &&
         state.objectives.size() == state.round - 1 && all_finite(state.objectives);
}

std::string identity_of(TrainOptions options, const std::string& problem) {
  if (options.kernel_function) options.kernel = options.kernel_function->spec();
  std::string text = problem;
  for (const TrainOption& option : train_option_catalog())
    if (option.decides)
      text += std::visit(
          [&](const auto& value) { return fmt::format("{}{}={}", text.empty() ? "" : " ", option.name, value); },
          option.get(options));
  return text;
}

}  // namespace

Checkpoint::Checkpoint(const TrainOptions& options, std::uint64_t data_fingerprint, std::size_t dimension,
                       const std::string& problem)
    : options_(options),
      data_fingerprint_(data_fingerprint),
      dimension_(dimension),
      identity_(identity_of(options, problem)) {
  const std::string& path = options_.checkpoint;
  if (path.empty()) return;
  const bool exists = std::filesystem::exists(path);
  // Reading a device may never end, and remove() would delete it.
  if (exists && !std::filesystem::is_regular_file(path))
    throw Error(ErrorCode::io, {path}, "not a regular file; expected a place to save progress to");
  require_writable(path);
  if (exists) load();
}

void Checkpoint::refuse(std::string_view why) const {
  throw Error(ErrorCode::bad_input, {options_.checkpoint},
              fmt::format("cannot resume from this checkpoint: {}; delete it to start afresh", why));
}

void Checkpoint::load() {
  const std::string content = read_whole_file(options_.checkpoint);
  const std::size_t header_end = content.find('\n');
  const std::size_t json_end = header_end == std::string::npos ? header_end : content.find('\n', header_end + 1);
  if (json_end == std::string::npos) refuse("it is cut short");
  const std::string_view line = std::string_view(content).substr(header_end + 1, json_end - header_end - 1);
  if (content.starts_with("dorm-checkpoint 1 ")) refuse("it was written by an older dorm");
  if (content.substr(0, header_end) != fmt::format("dorm-checkpoint {} {:016x}", kVersion, hash(line)))
    refuse("it is damaged or of another version");
  try {
    const Json parsed = parse_json(line, options_.checkpoint, "a checkpoint");
    const JsonFields json(parsed, options_.checkpoint, "a usable checkpoint");
    read_progress(json);
    if (!json.required<bool>("has_solver", "true or false")) return;
    std::istringstream stream(content.substr(json_end + 1));
    current_.solver = SolverState::load(stream);
  } catch (const Error& error) {
    if (error.position().file == options_.checkpoint) throw;
    refuse(error.what());
  }
}

void Checkpoint::read_progress(const JsonFields& json) {
  if (json.required<std::string>("data", "a fingerprint") != fmt::format("{:016x}", data_fingerprint_))
    refuse("the data has changed since it was written");
  if (const auto options = json.required<std::string>("options", "text"); options != identity_)
    refuse(fmt::format("it was written with other options ({})", options));
  for (const JsonFields& fitted : json.objects("finished", "a list")) finished_.push_back(fitted_from(fitted));
  json.read("round", current_.round);
  json.read("reference_w", current_.reference_w);
  json.read("objectives", current_.objectives);
  const auto fit = [this](const auto& part) { return fits(part, dimension_); };
  if (!std::all_of(finished_.begin(), finished_.end(), fit) || !fit(current_))
    refuse(fmt::format("its weights are not those of a problem with {} weights", dimension_));
}

RoundsState Checkpoint::resume(std::size_t index) {
  return index == finished_.size() ? std::exchange(current_, {}) : RoundsState{};
}

void Checkpoint::save_if_due(std::size_t index, const RoundsState& state, const Progress& progress, bool last) {
  if (options_.checkpoint.empty() || index != finished_.size() || closed_) return;
  const bool due = progress.evaluated && since_saved_.seconds() >= options_.checkpoint_seconds;
  if (!due && !(last && (progress.evaluated || progress.state))) return;
  save(state, progress.state);
  since_saved_ = Stopwatch();
  closed_ = last;
}

void Checkpoint::finish(Fitted fitted) {
  if (options_.checkpoint.empty()) return;
  fitted.first_round = {};
  finished_.push_back(std::move(fitted));
  save({}, nullptr);
  since_saved_ = Stopwatch();
}

void Checkpoint::save(const RoundsState& state, const SolverState* solver) {
  Json finished = Json::array();
  for (const Fitted& fitted : finished_) finished.push_back(to_json(fitted));
  const Json json = {{"data", fmt::format("{:016x}", data_fingerprint_)},
                     {"options", identity_},
                     {"finished", std::move(finished)},
                     {"round", state.round},
                     {"reference_w", state.reference_w},
                     {"objectives", state.objectives},
                     {"has_solver", solver != nullptr}};
  const std::string text = json_text(json);
  write_atomically(options_.checkpoint, [&](std::ostream& out) {
    out << fmt::format("dorm-checkpoint {} {:016x}\n", kVersion, hash(text)) << text << '\n';
    try {
      if (solver) solver->save(out);
    } catch (const Error&) {
      if (out) throw;  // else the stream failed, and write_atomically names the file and the reason
    }
  });
}

void Checkpoint::remove() {
  std::error_code ignored;  // a file that stays is refused or resumed like any other
  if (!options_.checkpoint.empty()) std::filesystem::remove(options_.checkpoint, ignored);
}

}  // namespace dorm
