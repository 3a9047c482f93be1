// SPDX-License-Identifier: Apache-2.0
#include "learning/train/checkpoint_file.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <system_error>
#include <utility>

#include "base/checksum.h"
#include "data/io/files/file.h"
#include "dorm/error.h"
#include "dorm/write.h"

namespace dorm {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are written in memory order");

constexpr int kVersion = 3;
constexpr std::string_view kBeginning = "dorm-checkpoint ";

std::uint64_t hash_of_bytes(std::string_view text) { return checksum(std::as_bytes(std::span(text))); }

std::string_view bytes_of(std::span<const double> numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(double)};
}

/// The line of JSON, checked, and where it ends.
struct Opened {
  Json json;
  std::size_t end;
};

template <class Refuse>
Opened open_checkpoint(const std::string& content, const std::string& path, const Refuse& refuse) {
  const std::size_t header_end = content.find('\n');
  const std::size_t json_end = header_end == std::string::npos ? header_end : content.find('\n', header_end + 1);
  if (json_end == std::string::npos) refuse("it is cut short");
  const std::string_view line = std::string_view(content).substr(header_end + 1, json_end - header_end - 1);
  if (content.substr(0, header_end) != fmt::format("{}{} {:016x}", kBeginning, kVersion, hash_of_bytes(line)))
    refuse("it is damaged or of another version");
  return {parse_json(line, path, "a checkpoint"), json_end + 1};
}

}  // namespace

std::string checkpoint_identity(TrainOptions options, const std::string& problem) {
  if (options.kernel_function) options.kernel = options.kernel_function->spec();
  std::string text = problem;
  for (const TrainOption& option : train_option_catalog())
    if (option.decides)
      text += std::visit(
          [&](const auto& value) { return fmt::format("{}{}={}", text.empty() ? "" : " ", option.name, value); },
          option.get(options));
  return text;
}

CheckpointFile::CheckpointFile(std::string path, double interval, std::string verb, std::uint64_t data,
                               std::string identity)
    : path_(std::move(path)), interval_(interval), verb_(std::move(verb)), data_(data), identity_(std::move(identity)) {
  if (path_.empty()) return;
  // Reading a device may never end, and remove() would delete it.
  if (std::filesystem::exists(path_) && !std::filesystem::is_regular_file(path_))
    throw Error(ErrorCode::io, {path_}, "not a regular file; expected a place to save progress to");
  require_writable(path_);
}

void CheckpointFile::refuse(std::string_view why) const {
  throw Error(ErrorCode::bad_input, {path_},
              fmt::format("cannot resume from this checkpoint: {}; delete it to start afresh", why));
}

std::optional<SavedProgress> CheckpointFile::load() const {
  if (path_.empty() || !std::filesystem::exists(path_)) return std::nullopt;
  try {
    return read();
  } catch (const Error& error) {
    if (error.position().file == path_) throw;
    refuse(error.what());
  }
}

SavedProgress CheckpointFile::read() const {
  const std::string content = read_whole_file(path_);
  Opened opened = open_checkpoint(content, path_, [this](const char* why) { refuse(why); });
  SavedProgress saved{std::move(opened.json), {}, {}};
  const JsonFields json(saved.json, path_, "a usable checkpoint");
  if (const std::string verb = json.required<std::string>("verb", "a name"); verb != verb_)
    refuse(fmt::format("it was written by {}", verb));
  if (json.required<std::string>("data", "a fingerprint") != fmt::format("{:016x}", data_))
    refuse("the data has changed since it was written");
  if (const auto options = json.required<std::string>("options", "text"); options != identity_)
    refuse(fmt::format("it was written with other options ({})", options));
  const auto count = json.optional<std::uint64_t>("numbers", "a count", 0);
  if (count > (content.size() - opened.end) / sizeof(double)) refuse("it is cut short");
  saved.numbers.resize(count);
  if (count > 0) {
    std::memcpy(saved.numbers.data(), content.data() + opened.end, count * sizeof(double));
    if (json.required<std::string>("numbers_checksum", "a checksum") !=
        fmt::format("{:016x}", hash_of_bytes(bytes_of(saved.numbers))))
      refuse("it is damaged");
  }
  const auto states = json.optional<std::uint64_t>("states", "a count", 0);
  std::istringstream stream(content.substr(opened.end + count * sizeof(double)));
  for (std::uint64_t k = 0; k < states; ++k) saved.states.push_back(SolverState::load(stream));
  return saved;
}

void CheckpointFile::save(Json json, std::span<const double> numbers, std::span<const SolverState* const> states) {
  json["verb"] = verb_;
  json["data"] = fmt::format("{:016x}", data_);
  json["options"] = identity_;
  json["numbers"] = numbers.size();
  if (!numbers.empty()) json["numbers_checksum"] = fmt::format("{:016x}", hash_of_bytes(bytes_of(numbers)));
  json["states"] = states.size();
  const std::string text = json_text(json);
  write_atomically(path_, [&](std::ostream& out) {
    out << fmt::format("{}{} {:016x}\n", kBeginning, kVersion, hash_of_bytes(text)) << text << '\n'
        << bytes_of(numbers);
    try {
      for (const SolverState* state : states) state->save(out);
    } catch (const Error&) {
      if (out) throw;  // else the stream failed, and write_atomically names the file and the reason
    }
  });
  since_saved_ = Stopwatch();
}

void CheckpointFile::remove() const {
  std::error_code ignored;  // a file that stays is refused or resumed like any other
  if (!path_.empty()) std::filesystem::remove(path_, ignored);
}

std::optional<CheckpointSummary> summarize_checkpoint(const std::string& path) {
  if (!std::filesystem::is_regular_file(path)) return std::nullopt;  // what can be read once is left to readers
  InputFile file(path);
  std::string beginning(kBeginning.size(), '\0');
  beginning.resize(file.read(beginning.data(), beginning.size()));
  if (beginning != kBeginning) return std::nullopt;
  const auto refuse = [&](const char* why) {
    throw Error(ErrorCode::bad_input, {path}, fmt::format("this checkpoint cannot be used: {}", why));
  };
  const Opened opened = open_checkpoint(read_whole_file(path), path, refuse);
  const JsonFields json(opened.json, path, "a usable checkpoint");
  CheckpointSummary summary{json.required<std::string>("verb", "a name"), json.required<std::string>("options", "text"),
                            json.required<std::string>("data", "a fingerprint"), ""};
  if (summary.verb == "tune") {
    summary.progress =
        fmt::format("{} of {} grid points validated", json.required<std::uint64_t>("evaluated", "a count"),
                    json.required<std::uint64_t>("points", "a count"));
    return summary;
  }
  const auto finished = json.list("finished", "a list").size();
  summary.progress = fmt::format("{} candidate{} finished", finished, finished == 1 ? "" : "s");
  if (const auto round = json.required<std::uint64_t>("round", "a number"); round > 0)
    summary.progress += fmt::format(", the next in round {}", round);
  return summary;
}

}  // namespace dorm
