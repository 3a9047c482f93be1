// SPDX-License-Identifier: Apache-2.0
#include "serve/loaded_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <system_error>
#include <unordered_map>

#include "base/checksum.h"
#include "base/quote.h"
#include "base/unknown_name.h"
#include "data/io/files/file.h"
#include "data/owned_columns.h"
#include "data/storage.h"
#include "dorm/error.h"
#include "dorm/fusion/fused_model.h"
#include "model/align.h"
#include "model/trees/tree_scorer.h"

namespace dorm::serve {
namespace {

constexpr std::size_t kKnownLayouts = 8;

SavedModel load_served(const std::string& path) {
  std::optional<SavedModel> saved = load_saved_model(path);
  if (!saved) throw Error(ErrorCode::bad_input, {path}, "no model; expected one of train, tune or recommend train");
  return std::move(*saved);
}

/// A pipe would be waited for, and could be read once only.
void require_regular(const std::string& path) {
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(path, ignored);
  if (std::filesystem::is_other(status))
    throw Error(ErrorCode::bad_input, {path}, "no regular file; expected a model that can be read again");
}

std::string version_of(const std::string& path) {
  require_regular(path);
  const std::string bytes = read_whole_file(path);
  return fmt::format("{:016x}", checksum(std::as_bytes(std::span(bytes))));
}

PackedText packed(const std::vector<std::string>& names) {
  PackedText out;
  for (const std::string& name : names) out.push_back(name);
  return out;
}

[[noreturn]] void refuse_name(const Model& model, std::string_view name, std::size_t column, const std::string& of) {
  const std::string near = nearest_name(name, model.features);
  throw Error(ErrorCode::bad_input,
              fmt::format("features[{}]: found {}; expected a feature of the model {}{}", column, in_quotes(name), of,
                          near.empty() ? "" : fmt::format(": did you mean {}?", in_quotes(near))));
}

/// Features that are no columns have no weight.
DenseScoring in_columns(const Model& model, std::span<const std::size_t> feature_of) {
  Scaling scaling{model.scaling.kind, {}, {}};
  std::vector<double> weights;
  for (const std::size_t j : feature_of) {
    weights.push_back(model.weights[j]);
    if (model.scaling.shift.empty()) continue;
    scaling.shift.push_back(model.scaling.shift[j]);
    scaling.factor.push_back(model.scaling.factor[j]);
  }
  return {std::move(scaling), std::move(weights), 0};
}

void require_finite(std::span<const double> scores) {
  for (std::size_t i = 0; i < scores.size(); ++i)
    if (!std::isfinite(scores[i]))
      throw Error(ErrorCode::bad_input,
                  fmt::format("documents[{}]: its score is not finite: features or weights are too large", i));
}

/// What a Dataset of one query holds beside the rows.
OwnedColumns columns_of_query(std::size_t documents, const PackedText& ids, const PackedText& groups) {
  OwnedColumns out;
  out.labels.assign(documents, 0.0f);
  out.labelled = false;
  out.query_end = {documents};
  out.query_ids.push_back("1");
  if (!ids.empty()) {
    out.document_ids = ids;
    out.document_ids.end.resize(documents, out.document_ids.text.size());
  }
  std::unordered_map<std::string_view, std::uint32_t> number;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    out.group_of.resize(documents);
    if (groups[i].empty()) continue;
    const auto [found, added] = number.try_emplace(groups[i], static_cast<std::uint32_t>(number.size() + 1));
    if (added) out.group_names.push_back(groups[i]);
    out.group_of[i] = found->second;
  }
  return out;
}

std::unique_ptr<const Recommending> recommender_of(const SavedModel& saved) {
  if (const auto* factors = std::get_if<FactorModel>(&saved)) return recommending(*factors);
  if (const auto* joint = std::get_if<JointModel>(&saved)) return recommending(*joint);
  if (const auto* implicit = std::get_if<ImplicitModel>(&saved)) return recommending(*implicit);
  return nullptr;
}

}  // namespace

LoadedModel::LoadedModel(ModelFile file)
    : file_(std::move(file)),
      version_(version_of(file_.path)),
      saved_(load_served(file_.path)),
      recommender_(recommender_of(saved_)) {
  if (std::holds_alternative<Model>(saved_))
    if (std::optional<FusedModel> fused = load_fused_model(file_.path)) fusion_ = std::move(fused->input);
  if (version_of(file_.path) != version_) throw Error(ErrorCode::io, {file_.path}, "changed while it was read");
  if (ranker()) own_ = make_layout(packed(ranker()->features));
}

const Model* LoadedModel::ranker() const {
  if (const auto* positions = by_position()) return &positions->shared;
  return std::get_if<Model>(&saved_);
}

const PositionModel* LoadedModel::by_position() const { return std::get_if<PositionModel>(&saved_); }

const char* LoadedModel::kind() const {
  if (recommender()) return recommender()->kind();
  if (by_position()) return "positions";
  return name_of(ranker()->kind());
}

std::shared_ptr<const Layout> LoadedModel::make_layout(const PackedText& names) const {
  const Model& model = *ranker();
  std::unordered_map<std::string_view, std::size_t> number;
  for (std::size_t j = 0; j < model.features.size(); ++j) number.emplace(model.features[j], j);
  auto layout = std::make_shared<Layout>();
  layout->names = names;
  std::vector<bool> given(model.features.size());
  for (std::size_t column = 0; column < names.size(); ++column) {
    const auto found = number.find(names[column]);
    if (found == number.end()) refuse_name(model, names[column], column, name());
    if (given[found->second])
      throw Error(ErrorCode::bad_input, fmt::format("features[{}]: found {} again; expected each name once", column,
                                                    in_quotes(names[column])));
    given[found->second] = true;
    layout->feature_of.push_back(found->second);
  }
  const FeatureStatistics& seen = model.data.statistics;
  for (const std::size_t j : layout->feature_of) {
    if (!seen.known()) break;
    layout->minimum.push_back(static_cast<float>(seen.minimum[j]));
    layout->maximum.push_back(static_cast<float>(seen.maximum[j]));
  }
  for (std::size_t j = 0; j < given.size(); ++j)
    if (!given[j] && (by_position() || uses(model, j)))
      throw Error(ErrorCode::bad_input, fmt::format("features: found none called {}, which the model {} uses; expected "
                                                    "all that it uses",
                                                    in_quotes(model.features[j]), name()));
  if (model.linear() && !by_position()) layout->linear = in_columns(model, layout->feature_of);
  if (model.trees) {
    layout->column_of.assign(model.features.size(), TreeScorer::kAbsent);
    for (std::size_t column = 0; column < layout->feature_of.size(); ++column)
      layout->column_of[layout->feature_of[column]] = column;
  }
  return layout;
}

std::shared_ptr<const Layout> LoadedModel::layout(const PackedText& names, std::size_t width) const {
  if (names.empty()) {
    if (width != own_->names.size())
      throw Error(ErrorCode::bad_input,
                  fmt::format("found {} values for each document; expected {}, one for each feature of the model {}",
                              width, own_->names.size(), name()));
    return own_;
  }
  const auto same = [&](const PackedText& other) { return other.text == names.text && other.end == names.end; };
  if (same(own_->names)) return own_;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& known : known_)
      if (same(known->names)) return known;
  }
  std::shared_ptr<const Layout> made = make_layout(names);
  const std::lock_guard lock(mutex_);
  if (known_.size() == kKnownLayouts) known_.erase(known_.begin());
  known_.push_back(made);
  return made;
}

Dataset LoadedModel::data(const Layout& layout, const DenseRows& rows, const PackedText& ids,
                          const PackedText& groups) const {
  struct Held {
    OwnedColumns columns;
    Storage storage;
  };
  const auto held = std::make_shared<Held>();
  held->columns = columns_of_query(rows.rows, ids, groups);
  held->columns.attach(held->storage);
  Storage& storage = held->storage;
  storage.num_features = rows.columns;
  storage.stride = rows.stride;
  storage.values = {rows.data, (rows.rows - 1) * rows.stride + rows.columns};
  storage.feature_names = layout.names.view();
  return Dataset(std::shared_ptr<const Storage>(held, &held->storage));
}

std::vector<double> LoadedModel::scores(const Layout& layout, const DenseRows& rows) const {
  if (layout.linear) {
    thread_local DenseScoring::Workspace workspace;
    std::vector<double> scores(rows.rows);
    layout.linear->scores(rows, workspace, scores);
    require_finite(scores);
    return scores;
  }
  if (!layout.column_of.empty()) {
    thread_local TreeScorer::Workspace workspace;
    thread_local std::vector<const float*> pointers;
    pointers.clear();
    for (std::size_t i = 0; i < rows.rows; ++i) pointers.push_back(rows.data + i * rows.stride);
    std::vector<double> scores(rows.rows);
    ranker()->trees->scorer().scores(pointers, layout.column_of, workspace, scores.data());
    return scores;
  }
  const PositionModel* const positions = by_position();
  if (!positions) return score(*ranker(), data(layout, rows), 1);
  std::vector<double> minus_ranks(rows.rows);
  const Ranking ranking = rank(*positions, data(layout, rows), 1).front();
  for (std::size_t k = 0; k < ranking.size(); ++k) minus_ranks[ranking[k]] = -static_cast<double>(k + 1);
  return minus_ranks;
}

OutOfRange LoadedModel::out_of_range(const Layout& layout, const DenseRows& rows) {
  if (layout.minimum.empty()) return {};
  std::vector<std::uint32_t> counts(rows.columns);
  const float *const low = layout.minimum.data(), *const high = layout.maximum.data();
  const float* row = rows.data;
  for (std::size_t i = 0; i < rows.rows; ++i, row += rows.stride)
    for (std::size_t j = 0; j < counts.size(); ++j) counts[j] += (row[j] < low[j]) | (row[j] > high[j]);
  OutOfRange out;
  for (std::size_t j = 0; j < counts.size(); ++j)
    if (counts[j] > 0) out.emplace_back(layout.feature_of[j], counts[j]);
  return out;
}

}  // namespace dorm::serve
