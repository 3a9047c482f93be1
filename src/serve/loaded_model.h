// SPDX-License-Identifier: Apache-2.0
// A model in memory, as requests meet it: its columns found by name once, its scores those of the library.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "data/packed_text.h"
#include "dorm/apps/serve.h"
#include "dorm/dataset.h"
#include "dorm/fusion/runs.h"
#include "dorm/recommend/recommender.h"
#include "model/dense_scoring.h"
#include "serve/rank_request.h"

namespace dorm::serve {

/// The columns of a request, matched to the features of a model.
struct Layout {
  PackedText names;
  std::vector<std::size_t> feature_of;  // by column, in the model
  std::vector<float> minimum, maximum;  // by column, in training; empty: not known
  std::optional<DenseScoring> linear;   // of a model that is
  std::vector<std::size_t> column_of;   // of trees, by feature
};

/// Features of the model, and how many values lie beyond those that it has seen in training.
using OutOfRange = std::vector<std::pair<std::size_t, std::uint64_t>>;

class LoadedModel {
 public:
  /// Throws Error for a file that is no model.
  explicit LoadedModel(ModelFile file);

  const std::string& name() const { return file_.name; }
  const std::string& path() const { return file_.path; }
  const std::string& version() const { return version_; }  // the checksum of its file

  const Model* ranker() const;                                                 // null: it ranks no documents
  const Recommending* recommender() const { return recommender_.get(); }       // null: it recommends no items
  const PositionModel* by_position() const;                                    // null: it sorts by score
  const FusionInput* fusion() const { return fusion_ ? &*fusion_ : nullptr; }  // null: its columns are not of lists
  const char* kind() const;  // linear, kernel, trees, sum, positions, factors, joint, implicit

  /// Of these names, or of the model's own where there are none: `width` columns. Throws Error(bad_input) for a name
  /// that is unknown or occurs twice, a feature in use that is missing, or another number of columns.
  std::shared_ptr<const Layout> layout(const PackedText& names, std::size_t width) const;

  /// A data set of one query over rows that must outlive it.
  Dataset data(const Layout& layout, const DenseRows& rows, const PackedText& ids = {},
               const PackedText& groups = {}) const;

  /// By document: those of the command `rank`, to the last bit; of a model by position, minus the ranks.
  std::vector<double> scores(const Layout& layout, const DenseRows& rows) const;

  static OutOfRange out_of_range(const Layout& layout, const DenseRows& rows);

 private:
  std::shared_ptr<const Layout> make_layout(const PackedText& names) const;

  ModelFile file_;
  std::string version_;
  SavedModel saved_;
  std::optional<FusionInput> fusion_;
  std::unique_ptr<const Recommending> recommender_;  // borrows saved_
  std::shared_ptr<const Layout> own_;                // of the model's features in their order
  mutable std::mutex mutex_;
  mutable std::vector<std::shared_ptr<const Layout>> known_;  // the latest others
};

}  // namespace dorm::serve
