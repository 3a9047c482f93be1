// SPDX-License-Identifier: Apache-2.0
// Folders that hold the model itself, and one for a hub of models: README.md, with the fields that Hugging Face reads
// in its front matter, and the model.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "dorm/error.h"
#include "model/export/formats.h"

namespace dorm {
namespace {

constexpr std::size_t kShownWeights = 50;

/// Text that Markdown shows as it is, also in a table: one line, every sign of its own escaped.
std::string plain_markdown(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == '\x7f') {
      out += ' ';
      continue;
    }
    if (std::string_view("\\`*_{}[]<>()#+-!|~&$@").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string card_judged_on(const Model& model) {
  return model.folds > 0 ? fmt::format("{} folds over the queries of the training data", model.folds)
                         : "validation data";
}

/// What a hub looks for: the library, the measure, and the value of it where there is one.
std::string card_front_matter(const Model& model, const ExportOptions& options) {
  const std::string measure = yaml_text(model.measure);
  std::string out = fmt::format(
      "---\n"
      "library_name: dorm\n"
      "tags:\n- learning-to-rank\n- ranking\n- dorm\n"
      "metrics:\n- {}\n",
      measure);
  if (!std::isnan(model.validation))
    out += fmt::format(
        "model-index:\n"
        "- name: {}\n"
        "  results:\n"
        "  - task:\n      type: learning-to-rank\n      name: Learning to rank\n"
        "    dataset:\n      type: {}\n      name: {}\n"
        "    metrics:\n    - type: {}\n      value: {}\n      name: {}\n",
        yaml_text(options.name), yaml_text(fmt::format("{:016x}", model.data.fingerprint)),
        yaml_text(card_judged_on(model)), measure, number_text(model.validation),
        yaml_text(fmt::format("{} (convention {})", model.measure, model.convention)));
  return out + "---\n";
}

std::string card_use(const Model& model) {
  const bool per_query = model.scaling.per_query();
  std::string out = fmt::format(
      "## Use\n\n"
      "```python\n"
      "import dorm\n\n"
      "ranker = dorm.DormRanker.load(\"{0}\")\n"
      "scores = ranker.predict(X{1})  # larger is better, within a query\n"
      "```\n\n"
      "or `dorm rank {0} documents.txt` (the package is dorm-rank). `X` has a row per document",
      kWholeModelFile, per_query ? ", qid=qid" : "");
  out += ", with the features below as they were measured";
  if (per_query)
    out += fmt::format(
        ". They are scaled within each query ({}): `qid` is the query of every row, and all documents of a query are "
        "scored together",
        name_of(model.scaling.kind));
  else if (model.scaling.kind != ScalingKind::none)
    out += fmt::format("; the model scales them ({})", name_of(model.scaling.kind));
  const InputDescription& input = model.data.input;
  if (input.missing != Missing::error || !input.missing_by_column.empty())
    out += fmt::format(". Missing values: `{}`", missing_text(input.missing, input.missing_by_column));
  if (const std::string encoded = encodings_text(input.encodings); !encoded.empty())
    out += fmt::format(". Columns of a table are encoded: `{}`", encoded);
  return out + ".\n\n";
}

std::string card_training(const Model& model) {
  std::string out = "## Training\n\n| what | value |\n|---|---|\n";
  const auto row = [&](std::string_view what, const std::string& value) {
    if (!value.empty()) out += fmt::format("| {} | {} |\n", what, plain_markdown(value));
  };
  row("measure", fmt::format("{} (convention {})", model.measure, model.convention));
  if (!std::isnan(model.validation))
    row("its value", fmt::format("{:.4f} on {}", model.validation, card_judged_on(model)));
  row("method", model.method);
  row("bound", model.bound);
  if (model.C > 0) row("C", fmt::format("{}", model.C));
  row("scaling", std::string(name_of(model.scaling.kind)));
  if (model.kernel) row("kernel", model.kernel->kernel);
  row("at most per group", model.one_per);
  row("training data", fmt::format("{} queries, {} documents, {} features", model.data.queries, model.data.documents,
                                   model.data.features));
  row("its fingerprint", fmt::format("{:016x}", model.data.fingerprint));
  if (!model.certificate.status.empty())
    row("optimisation", fmt::format("{}, relative gap {:.1e}", model.certificate.status, model.certificate.gap));
  if (!model.parts.empty()) row("average of", fmt::format("{} rankers", model.parts.size()));
  row("library", fmt::format("dorm {}", DORM_VERSION));
  return out + '\n';
}

std::string card_features(const Model& model) {
  std::vector<std::size_t> order(model.features.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const bool linear = model.linear();
  if (linear)
    std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
      return std::fabs(model.weights[i]) > std::fabs(model.weights[j]);
    });
  const std::size_t shown = std::min(order.size(), kShownWeights);
  const FeatureStatistics& seen = model.data.statistics;
  std::string out = fmt::format("## Features\n\n{} of {}{}{}.\n\n", shown, order.size(),
                                linear ? ", by the weight of the scaled feature" : "",
                                seen.known() ? "; values refer to the training data" : "");
  out += fmt::format("| feature |{}{}\n|---|{}{}\n", linear ? " weight |" : "",
                     seen.known() ? " minimum | mean | maximum |" : "", linear ? "---:|" : "",
                     seen.known() ? "---:|---:|---:|" : "");
  for (const std::size_t j : std::span(order).first(shown)) {
    out += fmt::format("| {} |", plain_markdown(model.features[j]));
    if (linear) out += fmt::format(" {:+.6g} |", model.weights[j]);
    if (seen.known()) out += fmt::format(" {:.6g} | {:.6g} | {:.6g} |", seen.minimum[j], seen.mean[j], seen.maximum[j]);
    out += '\n';
  }
  return out;
}

const char* kind_words(const Model& model) {
  constexpr const char* kWords[] = {"linear in its features", "by a kernel", "an ensemble of trees",
                                    "a sum of rankers"};
  return kWords[static_cast<std::size_t>(model.kind())];
}

}  // namespace

Exported export_modelcard(const Model& model, const ExportOptions& options) {
  Exported exported = whole_model("modelcard", model, options);
  exported.files.push_back(
      {"README.md",
       card_front_matter(model, options) +
           fmt::format("\n# {}\n\nA ranker, {}, trained for {}: it gives every document of a query a score.\n\n",
                       plain_markdown(options.name), kind_words(model), plain_markdown(model.measure)) +
           card_use(model) + card_training(model) + card_features(model)});
  return exported;
}

Exported whole_model(std::string_view target, const Model& model, const ExportOptions& options) {
  if (!options.names.empty())
    throw Error(ErrorCode::unsupported,
                fmt::format("{} keeps the names of the model's features; expected no map of names", target));
  if (options.non_negative)
    throw Error(ErrorCode::unsupported,
                fmt::format("{} keeps the model's scores, negative ones, too; expected a target with weights", target));
  Exported exported;
  exported.files.push_back({std::string(kWholeModelFile), to_json(model)});
  exported.served.scores = [model](const Dataset& data) { return score(model, data); };
  return exported;
}

}  // namespace dorm
