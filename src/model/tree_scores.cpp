// SPDX-License-Identifier: Apache-2.0
#include "model/tree_scores.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/parallel.h"
#include "data/replace_features.h"
#include "data/storage.h"
#include "dorm/error.h"
#include "model/align.h"

namespace dorm {
namespace {

constexpr std::size_t kPiece = 4 * TreeScorer::kChunk;  // documents for one thread at a time, or one query

/// The first queries of pieces of at least kPiece documents, and the end.
std::vector<std::size_t> pieces_of(const Dataset& data) {
  std::vector<std::size_t> first = {0};
  for (std::size_t q = 1; q < data.num_queries(); ++q)
    if (data.first_document(q) - data.first_document(first.back()) >= kPiece) first.push_back(q);
  first.push_back(data.num_queries());
  return first;
}

/// Rows of compressed data by the features of the model.
void spread_row(const SparseRow& row, std::span<const std::size_t> feature_of, float* out) {
  for (std::size_t k = 0; k < row.columns.size(); ++k)
    if (const std::size_t j = feature_of[row.columns[k]]; j != FeatureIndex::kUnknown) out[j] += row.values[k];
}

struct TreeRows {
  std::vector<const float*> rows;
  std::vector<float> spread;
  TreeScorer::Workspace workspace;
};

class TreeScoring {
 public:
  TreeScoring(const Model& model, const Dataset& data)
      : scorer_(model.trees->scorer()),
        data_(data),
        width_(model.features.size()),
        feature_of_(features_of_columns(model, data)),
        column_of_(columns_of_features(model, data)) {
    if (!data.dense()) std::iota(column_of_.begin(), column_of_.end(), std::size_t{0});
  }

  void score(std::size_t first_query, std::size_t end_query, TreeRows& source, double* out) const {
    source.rows.clear();
    for (std::size_t q = first_query; q < end_query; ++q) {
      const FeatureRows rows = data_.query(q).rows;
      for (std::size_t i = 0; i < rows.size(); ++i)
        if (rows.dense())
          source.rows.push_back(rows.dense_row(i));
        else
          add_spread(rows, i, source, out);
    }
    if (data_.dense()) return scorer_.scores(source.rows, column_of_, source.workspace, out);
    flush(source, out);
  }

 private:
  void add_spread(const FeatureRows& rows, std::size_t i, TreeRows& source, double*& out) const {
    source.spread.resize(TreeScorer::kChunk * width_);
    float* const row = source.spread.data() + source.rows.size() * width_;
    std::fill_n(row, width_, 0.0f);
    spread_row(rows.sparse_row(i), feature_of_, row);
    spread_row(rows.background(), feature_of_, row);
    source.rows.push_back(row);
    if (source.rows.size() == TreeScorer::kChunk) flush(source, out);
  }

  void flush(TreeRows& source, double*& out) const {
    scorer_.scores(source.rows, column_of_, source.workspace, out);
    out += source.rows.size();
    source.rows.clear();
  }

  const TreeScorer& scorer_;
  const Dataset& data_;
  std::size_t width_;
  std::vector<std::size_t> feature_of_, column_of_;
};

}  // namespace

std::vector<double> tree_scores(const Model& model, const Dataset& data, const ComputeOptions& place) {
  if (place.on_device()) throw Error(ErrorCode::unsupported, "trees are scored on the CPU; expected the device cpu");
  const TreeScoring scoring(model, data);
  std::vector<double> scores(data.num_documents());
  const std::vector<std::size_t> first = pieces_of(data);
  const std::uint64_t work = std::uint64_t{data.num_documents()} * model.trees->trees().nodes.size() / 16;
  const std::size_t threads = threads_worth(place.threads, work);
  std::vector<TreeRows> sources(thread_count(threads));
  parallel_for(data.num_queries() == 0 ? 0 : first.size() - 1, threads, [&](std::size_t piece, std::size_t worker) {
    scoring.score(first[piece], first[piece + 1], sources[worker], scores.data() + data.first_document(first[piece]));
  });
  return scores;
}

void require_values(const Model& model, const Dataset& data) {
  if (data.input().has_rule(Missing::keep) && !model.trees && !model.curves)
    throw Error(
        ErrorCode::bad_input,
        "missing values were kept, which curves and trees alone can use; expected 0 or the mean in their place");
}

Dataset filled_as(const Model& part, const Dataset& data, std::size_t threads) {
  if (data.input().missing != Missing::keep || part.trees || part.kind() == Model::Kind::sum) return data;
  if (part.curves && part.data.input.has_rule(Missing::keep)) return data;
  std::vector<std::string> names;
  std::vector<float> values;
  for (std::size_t column = 0; column < data.num_features(); ++column) {
    names.push_back(data.feature_name(column));
    const auto mean = part.data.input.means.find(names.back());
    values.push_back(mean == part.data.input.means.end() ? 0.0f : static_cast<float>(mean->second));
  }
  const auto fill = [&](std::size_t q, float* rows, std::size_t stride) {
    const FeatureRows from = data.query(q).rows;
    for (std::size_t i = 0; i < from.size(); ++i, rows += stride) {
      from.load(i, std::span(rows, names.size()));
      for (std::size_t j = 0; j < names.size(); ++j) {
        if (!std::isnan(rows[j])) continue;
        if (part.data.input.missing_rule(names[j]) == Missing::error)
          throw Error(ErrorCode::bad_input, "a value is missing, which a part of the sum was not trained on");
        rows[j] = values[j];
      }
    }
  };
  const Dataset filled = replace_features(data, names.size(), names, threads, fill);
  auto storage = std::make_shared<Storage>(filled.storage());
  storage->input = std::make_shared<const InputDescription>(part.data.input);
  storage->owner = std::make_shared<const Dataset>(filled);
  return filled.over(std::move(storage));
}

std::vector<float> raw_features(const Model& model, const Dataset& data) {
  const std::vector<std::size_t> column_of = columns_of_features(model, data);
  std::vector<float> out, row(data.num_features());
  out.reserve(data.num_documents() * column_of.size());
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    const FeatureRows rows = data.query(q).rows;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      rows.load(i, row);
      for (const std::size_t column : column_of) out.push_back(column == FeatureIndex::kUnknown ? 0.0f : row[column]);
    }
  }
  return out;
}

}  // namespace dorm
