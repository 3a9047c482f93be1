// SPDX-License-Identifier: Apache-2.0
#include "input/rankers.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <sstream>

#include "data/io/files/archive.h"
#include "data/io/files/decompress.h"
#include "data/io/files/file.h"
#include "data/io/files/peek.h"
#include "data/io/records/nested_numbers.h"
#include "dorm/error.h"
#include "dorm/fusion/fused_model.h"
#include "dorm/read.h"
#include "input/document_scores.h"
#include "input/input.h"
#include "input/runs_input.h"
#include "model/trained_on.h"
#include "options/list_options.h"

namespace dorm::cli {
namespace {

constexpr std::string_view kFeature = "feature:";
constexpr std::size_t kLookedAt = 4096;  // bytes, to find out what a file is
constexpr std::size_t kRunWords = 6;

/// With features and a scaling, whether it ranks by sorting or by position.
const Model* model_of(const Ranker& ranker) {
  if (const auto* by_position = std::get_if<PositionModel>(&ranker.what)) return &by_position->shared;
  return std::get_if<Model>(&ranker.what);
}

/// The words of the first line that is neither blank nor a comment.
std::vector<std::string> words_of_first_line(const std::string& path, const std::string& beginning) {
  const bool compressed = compression_of_content(beginning) != Compression::none;
  std::istringstream lines(compressed ? fmt::format("{}", fmt::join(read_lines(path), "\n")) : beginning);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream stream(line);
    std::vector<std::string> words{std::istream_iterator<std::string>(stream), {}};
    if (!words.empty() && !words.front().starts_with('#')) return words;
  }
  return {};
}

std::string stem_of(const std::string& path) {
  const std::filesystem::path name = std::filesystem::path(uncompressed_name(path)).filename();
  const std::string stem = name.stem().string();
  return stem.empty() ? path : stem;
}

enum class Runs { read, left };

Ranker file_ranker(std::string name, const std::string& path, Runs runs) {
  const std::string beginning = first_bytes(path, kLookedAt);
  Ranker ranker{std::move(name), path, ScoreFile{}};
  if (is_recommender_file(path))
    throw Error(ErrorCode::unsupported, {path},
                "a recommender ranks items for users; expected dorm recommend evaluate RATINGS MODEL");
  const auto take_run = [&] {
    if (runs == Runs::read)
      ranker.what = read_run(path);
    else
      ranker.what = UnreadRun{};
    return ranker;
  };
  if (is_nested_numbers_file(path)) return take_run();
  if (beginning.starts_with("{") || is_tree_file(beginning)) {
    std::visit([&](auto&& model) { ranker.what = std::forward<decltype(model)>(model); }, load_any_model(path));
    return ranker;
  }
  const std::vector<std::string> words = words_of_first_line(path, beginning);
  if (words.empty())
    throw Error(ErrorCode::bad_input, {path},
                "the file is empty; expected a model, a TREC run (qid Q0 docid rank score tag) or scores");
  const bool judged = words.size() > 1 && words[1].starts_with("qid:");
  if (words.size() >= kRunWords && !judged) return take_run();
  if (words.size() > 1)
    throw Error(
        ErrorCode::bad_input, {path},
        fmt::format("the first line {}; expected a model, a TREC run (qid Q0 docid rank score tag) or scores, "
                    "one number per line",
                    judged ? std::string("is that of judged documents") : fmt::format("has {} words", words.size())));
  return ranker;
}

// Documents of the data that a run lacks, or the other way round.
void refuse_partial(const Ranker& ranker, const RunOnData& run, const Dataset& data) {
  if (run.lacking_documents > 0)
    throw Error(ErrorCode::bad_input, {ranker.file},
                fmt::format("the run lacks {} of {} documents, in {} of {} queries (the first: query {}, document {}); "
                            "expected all, or --complete, which takes them for not retrieved",
                            run.lacking_documents, data.num_documents(), run.lacking_queries, data.num_queries(),
                            run.lacking_query, run.lacking_document));
  if (run.unknown_documents > 0)
    throw Error(ErrorCode::bad_input, {ranker.file},
                fmt::format("{} documents of the run are not in the data; expected only documents of the data, or "
                            "--complete, which takes them for label 0",
                            run.unknown_documents));
}

std::vector<double> scores_of_run(const Ranker& ranker, const std::vector<RunEntry>& entries, const Dataset& data,
                                  bool partial, const Settings& settings) {
  RunOnData run = about_file(ranker.file, [&] { return match_run(data, entries); });
  if (!partial) refuse_partial(ranker, run, data);
  if (run.unknown_queries > 0)
    warn(settings, fmt::format("{}: {} queries of the run are not in the data and are ignored", ranker.file,
                               run.unknown_queries));
  return std::move(run.scores);
}

}  // namespace

const char* Ranker::kind() const {
  constexpr const char* kKinds[] = {"model",   "position model", "run",         "scores",
                                    "feature", "order",          "recommender", "run"};
  return kKinds[what.index()];
}

Ranker feature_ranker(const std::string& name) {
  return {fmt::format("{}{}", kFeature, name), fmt::format("{}{}", kFeature, name), Feature{name}};
}

Ranker recommender_ranker(const std::string& argument) {
  const std::size_t equals = argument.find('=');
  if (equals == std::string::npos || equals == 0 || file_exists(argument))
    return {stem_of(argument), argument, ByRatings{}};
  return {argument.substr(0, equals), argument.substr(equals + 1), ByRatings{}};
}

namespace {

Ranker ranker_of(const std::string& argument, Runs runs) {
  if (argument == "given" && !file_exists(argument)) return {argument, argument, GivenOrder{}};
  if (argument.starts_with(kFeature)) return feature_ranker(argument.substr(kFeature.size()));
  const std::size_t equals = argument.find('=');
  if (equals == std::string::npos || equals == 0 || file_exists(argument))
    return file_ranker(stem_of(argument), argument, runs);
  Ranker ranker = ranker_of(argument.substr(equals + 1), runs);
  ranker.name = argument.substr(0, equals);
  return ranker;
}

}  // namespace

Ranker load_ranker(const std::string& argument) { return ranker_of(argument, Runs::read); }
Ranker load_ranker_of_qrels(const std::string& argument) { return ranker_of(argument, Runs::left); }

std::vector<Ranker> all_feature_rankers(const Dataset& data) {
  std::vector<Ranker> rankers;
  for (std::size_t j = 0; j < data.num_features(); ++j) rankers.push_back(feature_ranker(data.feature_name(j)));
  return rankers;
}

RankedData::RankedData(std::string path, const InputArguments& input, const Settings& settings,
                       const std::vector<Ranker>& rankers, bool labels)
    : path_(std::move(path)), input_(input), settings_(settings), labels_(labels) {
  std::vector<std::string> features;
  bool all = false;
  for (const Ranker& ranker : rankers) {
    if (const auto* feature = std::get_if<Feature>(&ranker.what)) {
      features.push_back(feature->name);
      all = all || feature->name == kAllFeatures;
    }
    const Model* model = model_of(ranker);
    if (!model) continue;
    all = all || model->by_number();
    if (!like_) like_ = model->data.input;
    if (model->data.input == *like_) features.insert(features.end(), model->features.begin(), model->features.end());
  }
  if (names_runs(path_))
    for (const Ranker& ranker : rankers)
      if (std::holds_alternative<Model>(ranker.what) && !fusion_)
        if (std::optional<FusedModel> fused = load_fused_model(ranker.file)) fusion_ = std::move(fused->input);
  if (names_runs(path_) && !fusion_) {  // each run is a column
    fusion_.emplace();
    for (const RunFile& file : listed_runs(path_)) fusion_->runs.push_back(file.name);
  }
  Expected expected{.labels = labels_};
  if (like_) expected = {&*like_, all ? nullptr : &features, labels_};
  if (fusion_) expected.fusion = &*fusion_;
  data_ = load(path_, input_, settings_, expected).data;
}

Dataset RankedData::as_expected_by(const Ranker& ranker) const {
  const Model* model = model_of(ranker);
  if (!model || model->data.input == *like_) return data_;
  Settings quietly = settings_;
  quietly.quiet = true;  // warnings have been given
  Dataset data = load(path_, input_, quietly, expected_by(*model, labels_)).data;
  if (data.num_documents() != data_.num_documents())
    throw Error(ErrorCode::bad_input, {path_},
                fmt::format("{} documents as {} reads it, and {} as the first model does; expected models of data that "
                            "was read alike",
                            data.num_documents(), ranker.name, data_.num_documents()));
  return data;
}

void make_names_distinct(std::vector<Ranker>& rankers) {
  const auto rename = [&rankers](const auto& longer) {
    std::map<std::string, std::size_t> count;
    for (const Ranker& ranker : rankers) ++count[ranker.name];
    for (Ranker& ranker : rankers)
      if (count[ranker.name] > 1) ranker.name = longer(ranker);
  };
  rename([](const Ranker& ranker) {
    const bool plain = ranker.name == stem_of(ranker.file);
    return plain ? std::filesystem::path(ranker.file).filename().string() : ranker.name;
  });
  rename([](const Ranker& ranker) {
    const std::filesystem::path path(ranker.file);
    if (ranker.name != path.filename().string() || !path.has_parent_path()) return ranker.name;
    return fmt::format("{}/{}", path.parent_path().filename().string(), ranker.name);
  });
  std::map<std::string, std::size_t> seen;
  rename([&seen](const Ranker& ranker) {
    const std::size_t number = ++seen[ranker.name];
    return number == 1 ? ranker.name : fmt::format("{} ({})", ranker.name, number);
  });
}

std::vector<double> scores_of(const Ranker& ranker, const Dataset& data, bool partial, const Settings& settings,
                              const DeviceArguments& device) {
  if (const auto* model = std::get_if<Model>(&ranker.what)) {
    if (const double share = share_trained_on(*model, data, settings.threads); share > 0)
      warn(settings, fmt::format("{}: trained on {} documents, so that the measures are too high; dorm tune and "
                                 "dorm compare evaluate on held-out queries",
                                 ranker.file, share < 1 ? fmt::format("{:.0f} % of these", 100 * share) : "these"));
    return about_file(ranker.file, [&] { return score(*model, data, device.with(settings)); });
  }
  if (const auto* model = std::get_if<PositionModel>(&ranker.what)) {
    device.require_cpu("models by position are");
    return scores_of_rankings(data, rank(*model, data, settings.threads));
  }
  if (const auto* run = std::get_if<std::vector<RunEntry>>(&ranker.what))
    return scores_of_run(ranker, *run, data, partial, settings);
  if (const auto* feature = std::get_if<Feature>(&ranker.what)) return scores_of_feature(data, feature->name);
  if (std::holds_alternative<ScoreFile>(ranker.what)) return scores_of_file(data, ranker.file);
  std::vector<double> scores;
  for (std::size_t d = 0; d < data.num_documents(); ++d) scores.push_back(-static_cast<double>(data.source_row(d)));
  return scores;
}

std::vector<double> scores_of(const Ranker& ranker, const RankedData& data, bool partial, const Settings& settings,
                              const DeviceArguments& device) {
  return scores_of(ranker, data.as_expected_by(ranker), partial, settings, device);
}

EvaluationTable evaluate_ranker(const Ranker& ranker, const Dataset& data, std::span<const double> scores,
                                std::span<const std::string> measures, const EvaluateOptions& options) {
  const auto* run = std::get_if<std::vector<RunEntry>>(&ranker.what);
  if (run && options.complete)
    return about_file(ranker.file, [&] { return evaluate_run(data, *run, measures, options); });
  return evaluate(data, scores, measures, options);
}

std::string common_limits(const std::vector<Ranker>& rankers) {
  const Ranker* first = nullptr;
  std::string limits;
  for (const Ranker& ranker : rankers) {
    const auto* model = std::get_if<Model>(&ranker.what);
    if (!model) continue;
    if (first && model->one_per != limits)
      throw Error(ErrorCode::bad_option,
                  fmt::format("{} and {} were trained under different limits on groups; expected --one-per RULE or "
                              "none for all of them",
                              first->name, ranker.name));
    first = &ranker;
    limits = model->one_per;
  }
  return limits;
}

}  // namespace dorm::cli
