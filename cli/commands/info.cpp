// SPDX-License-Identifier: Apache-2.0
// `dorm info`: what is in a file.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <vector>

#include "base/json.h"
#include "command.h"
#include "command_line.h"
#include "data/io/files/archive.h"
#include "dorm/fusion/fused_model.h"
#include "dorm/learning/checkpoint.h"
#include "input/input.h"
#include "run/output.h"
#include "run/recommender_text.h"
#include "text/model_text.h"

namespace dorm::cli {
namespace {

constexpr const char* kInfoDescription =
    "Describe a file of judged documents, a model, or a checkpoint of train or tune.\n"
    "\n"
    "Reading checks every line of a file, so that dorm info FILE also validates the file.\n"
    "The fingerprint is a hash of all features, labels, ids and weights: equal for the same data in\n"
    "every format that keeps all of them.";

constexpr const char* kInfoFooter =
    "Examples:\n"
    "  dorm info train.txt\n"
    "  dorm info m.json\n"
    "  dorm info m.factors\n"
    "  dorm info run.ck\n"
    "  dorm info --json train.dorm | jq .labels\n";

std::size_t count_nonzeros(const FeatureRows& rows) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::span<const float> values =
        rows.dense() ? std::span(rows.dense_row(i), rows.num_features()) : rows.sparse_row(i).values;
    count += static_cast<std::size_t>(std::count_if(values.begin(), values.end(), [](float x) { return x != 0; }));
  }
  return count;
}

struct Summary {
  std::map<float, std::size_t> labels;
  std::vector<std::size_t> lengths;  // sorted
  std::size_t nonzeros = 0, one_label = 0, nothing_relevant = 0;
  bool weighted = false;
};

Summary summarize(const Dataset& data) {
  Summary summary;
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    const Query query = data.query(q);
    for (const float label : query.labels) ++summary.labels[label];
    const auto [low, high] = std::minmax_element(query.labels.begin(), query.labels.end());
    summary.one_label += *low == *high;
    summary.nothing_relevant += *high <= 0;
    summary.weighted = summary.weighted || query.weight != 1;
    summary.lengths.push_back(query.size());
    summary.nonzeros += count_nonzeros(query.rows);
  }
  std::sort(summary.lengths.begin(), summary.lengths.end());
  return summary;
}

double median(const std::vector<std::size_t>& sorted) {
  const std::size_t half = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? static_cast<double>(sorted[half])
                                : static_cast<double>(sorted[half - 1] + sorted[half]) / 2;
}

// Of the arrays a Dataset views, whether in memory or in a mapped file; ids are not counted.
std::uint64_t feature_bytes(const Dataset& data) {
  if (!data.dense()) return data.num_nonzeros() * 8 + data.num_documents() * 8;
  return data.num_documents() * ((data.num_features() + 7) / 8 * 8) * sizeof(float);
}

Json describe(const std::string& path, const Loaded& loaded) {
  const Dataset& data = loaded.data;
  const Summary summary = summarize(data);
  const double cells = static_cast<double>(data.num_documents()) * static_cast<double>(data.feature_range());
  Json labels = Json::object();
  for (const auto& [label, count] : summary.labels)
    if (data.has_labels()) labels[fmt::format("{}", label)] = count;
  return {{"file", path},
          {"format", loaded.format},
          {"bytes", loaded.report.bytes},
          {"queries", data.num_queries()},
          {"documents", data.num_documents()},
          {"features", data.feature_range()},
          {"columns", data.num_features()},
          {"storage", data.dense() ? "dense" : "compressed"},
          {"density", cells > 0 ? static_cast<double>(summary.nonzeros) / cells : 0.0},
          {"labels", labels},
          {"documents_per_query",
           {{"min", summary.lengths.front()}, {"median", median(summary.lengths)}, {"max", summary.lengths.back()}}},
          {"queries_with_one_label", summary.one_label},
          {"queries_without_relevant", summary.nothing_relevant},
          {"document_ids", data.has_document_ids()},
          {"groups", data.has_groups()},
          {"query_weights", summary.weighted},
          {"feature_names", data.has_feature_names()},
          {"first_feature_id", data.first_feature_id()},
          {"feature_bytes", feature_bytes(data)},
          {"fingerprint", fmt::format("{:016x}", data.fingerprint())},
          {"warnings", loaded.report.warnings}};
}

std::string labels_text(const Json& info) {
  if (info["labels"].empty()) return "none";
  constexpr std::size_t kInfoShown = 12;
  const auto documents = info["documents"].get<double>();
  std::string text;
  std::size_t shown = 0;
  for (const auto& [label, count] : info["labels"].items()) {
    if (shown++ == kInfoShown) return text + fmt::format(", ... ({} different)", info["labels"].size());
    text += fmt::format("{}{}: {} ({:.1f} %)", text.empty() ? "" : ", ", label, count.get<std::size_t>(),
                        100 * count.get<double>() / documents);
  }
  return text;
}

std::string data_text(const Json& info) {
  const auto share = [&info](const char* key) {
    return fmt::format("{} ({:.1f} %)", info[key].get<std::size_t>(),
                       100 * info[key].get<double>() / info["queries"].get<double>());
  };
  std::string carried;
  for (const char* key : {"document_ids", "groups", "query_weights", "feature_names"}) {
    std::string name = key;
    std::replace(name.begin(), name.end(), '_', ' ');
    if (info[key].get<bool>()) carried += (carried.empty() ? "" : ", ") + name;
  }
  const Json& lengths = info["documents_per_query"];
  std::string text;
  const auto line = [&text](const char* name, const std::string& value) {
    text += fmt::format("{:<28}{}\n", name, value);
  };
  line("file", info["file"].get<std::string>());
  line("format",
       fmt::format("{}, {}", info["format"].get<std::string>(), bytes_text(info["bytes"].get<std::uint64_t>())));
  line("queries", std::to_string(info["queries"].get<std::size_t>()));
  line("documents", std::to_string(info["documents"].get<std::size_t>()));
  const auto features = info["features"].get<std::size_t>(), columns = info["columns"].get<std::size_t>();
  line("features", fmt::format("{}, numbered from {}{}", features, info["first_feature_id"].get<int>(),
                               columns < features ? fmt::format("; {} of them occur", columns) : ""));
  line("non-zero values", fmt::format("{:.1f} %", 100 * info["density"].get<double>()));
  line("labels", labels_text(info));
  line("documents per query", fmt::format("{} to {}, median {}", lengths["min"].get<std::size_t>(),
                                          lengths["max"].get<std::size_t>(), lengths["median"].get<double>()));
  const bool labelled = !info["labels"].empty();
  if (labelled) line("queries with one label", share("queries_with_one_label"));
  if (labelled) line("without relevant documents", share("queries_without_relevant"));
  line("carries", carried.empty() ? labelled ? "labels and features only" : "features only" : carried);
  line("features in memory", fmt::format("{}, {}", bytes_text(info["feature_bytes"].get<std::uint64_t>()),
                                         info["storage"].get<std::string>()));
  line("fingerprint", info["fingerprint"].get<std::string>());
  return text;
}

std::string text_of(const Model& model, const std::string& file, const Settings& settings) {
  return settings.json ? model_json(model, file) : model_text(model, file);
}

std::string text_of(const PositionModel& model, const std::string& file, const Settings& settings) {
  return settings.json ? model_json(model, file) : model_text(model, file);
}

std::string text_of(const CheckpointSummary& checkpoint, const std::string& file, const Settings& settings) {
  if (settings.json)
    return printable_json({{"file", file},
                           {"checkpoint_of", checkpoint.verb},
                           {"progress", checkpoint.progress},
                           {"options", checkpoint.options},
                           {"data", checkpoint.data}},
                          2) +
           "\n";
  return fmt::format(
      "file         {}\n"
      "what         a checkpoint of dorm {}: {}\n"
      "options      {}\n"
      "data         fingerprint {}\n"
      "to go on     run the same command again; the file goes when the model is written\n",
      file, checkpoint.verb, checkpoint.progress, checkpoint.options, checkpoint.data);
}

/// What a fused model needs beside runs.
std::string facts_of(const FusionInput& input) {
  std::vector<std::string> names;
  for (const QueryFeature& feature : input.query_features) names.push_back(feature.name);
  std::string text;
  if (!input.features.empty()) text += fmt::format("\nfeatures       {}", fmt::join(input.features, ", "));
  if (!names.empty()) text += fmt::format("\nquery features {}", fmt::join(names, ", "));
  return text;
}

/// Adds how runs become the columns of a fused model.
std::string with_fusion(const std::string& text, const FusionInput& input, const Settings& settings) {
  if (!settings.json)
    return text + fmt::format("fuses          {}; scale {}, absent documents: {}{}\n", fmt::join(input.runs, ", "),
                              name_of(input.scale), name_of(input.absent), facts_of(input));
  Json json = parse_json(text, "", "a model");
  json["fusion"] = {{"runs", input.runs}, {"scale", name_of(input.scale)}, {"absent", name_of(input.absent)}};
  if (!input.features.empty()) json["fusion"]["features"] = input.features;
  for (const QueryFeature& feature : input.query_features) json["fusion"]["query_features"].push_back(feature.name);
  return printable_json(json, 2) + "\n";
}

// Models and checkpoints; false: it is none.
bool describe_saved(const std::string& file, const Settings& settings) {
  if (names_many_files(file)) return false;
  if (const std::optional<CheckpointSummary> checkpoint = summarize_checkpoint(file)) {
    print(text_of(*checkpoint, file, settings));
    return true;
  }
  if (is_recommender_file(file)) {
    print(recommender_text(file, settings));
    return true;
  }
  const std::optional<AnyModel> saved = find_model(file);
  if (!saved) return false;
  std::string text = std::visit([&](const auto& model) { return text_of(model, file, settings); }, *saved);
  // What is no regular file, such as a pipe, has been read and cannot be read again.
  if (std::holds_alternative<Model>(*saved) && std::filesystem::is_regular_file(file))
    if (const std::optional<FusedModel> fused = load_fused_model(file))
      text = with_fusion(text, fused->input, settings);
  print(text);
  return true;
}

}  // namespace

Action declare_info(CLI::App& app, const Settings& settings) {
  struct Arguments {
    std::string file;
    InputArguments input;
  };
  auto arguments = std::make_shared<Arguments>();
  app.add_option("FILE", arguments->file,
                 "LETOR, CSV, TSV, JSON lines or .dorm, text may be .gz or .zst; a folder\nof .dorm files; a model or "
                 "a checkpoint; - is standard input");
  add_input_options(app, arguments->input);
  app.description(kInfoDescription);
  app.footer(kInfoFooter);
  return [arguments, &settings] {
    require_option(!arguments->file.empty(), "FILE", "expected the file to describe");
    if (describe_saved(arguments->file, settings)) return;
    const Loaded loaded = load(arguments->file, arguments->input, settings, {.labels = false});
    warn_of_leaks(loaded.data, arguments->file, settings);
    const Json info = describe(arguments->file, loaded);
    print(settings.json ? printable_json(info, 2) + "\n" : data_text(info));
  };
}

}  // namespace dorm::cli
