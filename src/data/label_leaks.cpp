// SPDX-License-Identifier: Apache-2.0
// Features that give the label away. A feature orders all documents as the label does when its ranges of values, label
// by label, do not overlap and follow each other.
#include <algorithm>
#include <limits>
#include <map>

#include "data/column_guess.h"
#include "data/storage.h"
#include "dorm/dataset.h"

namespace dorm {
namespace {

constexpr std::size_t kMostLabels = 32;  // more are no grades
constexpr std::size_t kMostRanges = std::size_t{1} << 22;
constexpr std::size_t kFewestOrdered = 100;  // documents; of fewer an order may be chance
constexpr std::size_t kFewestEqual = 10;

/// The values of the features among the documents of one label.
struct Ranges {
  std::vector<float> low, high;
  std::vector<std::size_t> stored;  // of compressed rows: the others are zeros

  void resize(std::size_t features, bool dense) {
    low.assign(features, std::numeric_limits<float>::infinity());
    high.assign(features, -std::numeric_limits<float>::infinity());
    if (!dense) stored.assign(features, 0);
  }
  void add(std::size_t j, float x) {
    low[j] = std::min(low[j], x);
    high[j] = std::max(high[j], x);
  }
};

class LeakSearch {
 public:
  explicit LeakSearch(const Dataset& data) : data_(data) {
    if (!data.has_labels() || data.num_documents() < kFewestEqual || !data.storage().background_end.empty()) return;
    for (std::size_t q = 0; q < data.num_queries(); ++q)
      for (const float label : data.query(q).labels) {
        ++documents_[label];
        if (documents_.size() > kMostLabels) return;
      }
    if (documents_.size() > 1 && documents_.size() * data.num_features() <= kMostRanges) measure();
  }

  std::vector<LabelLeak> leaks() const {
    std::vector<LabelLeak> leaks;
    for (std::size_t j = 0; j < data_.num_features(); ++j) {
      if (is_label(j))
        leaks.push_back({LabelLeak::Kind::equal, data_.feature_name(j)});
      else if (is_ordered(j))
        leaks.push_back({LabelLeak::Kind::monotone, data_.feature_name(j)});
      else if (data_.has_feature_names() && names_a_label(data_.feature_name(j)))
        leaks.push_back({LabelLeak::Kind::name, data_.feature_name(j)});
    }
    return leaks;
  }

 private:
  void measure() {
    for (const auto& [label, count] : documents_) ranges_[label].resize(data_.num_features(), data_.dense());
    for (std::size_t q = 0; q < data_.num_queries(); ++q) {
      const Query query = data_.query(q);
      for (std::size_t i = 0; i < query.size(); ++i) add_row(query.rows, i, ranges_.find(query.labels[i])->second);
    }
    data_.require_intact();
    for (auto& [label, ranges] : ranges_)
      for (std::size_t j = 0; j < ranges.stored.size(); ++j)
        if (ranges.stored[j] < documents_.find(label)->second) ranges.add(j, 0);
  }

  static void add_row(const FeatureRows& rows, std::size_t i, Ranges& ranges) {
    if (rows.dense()) {
      const float* const row = rows.dense_row(i);
      float *const low = ranges.low.data(), *const high = ranges.high.data();
      const std::size_t features = ranges.low.size();
      for (std::size_t j = 0; j < features; ++j) {  // several at a time
        low[j] = row[j] < low[j] ? row[j] : low[j];
        high[j] = row[j] > high[j] ? row[j] : high[j];
      }
      return;
    }
    const SparseRow row = rows.sparse_row(i);
    for (std::size_t k = 0; k < row.columns.size(); ++k) {
      ranges.add(row.columns[k], row.values[k]);
      ++ranges.stored[row.columns[k]];
    }
  }

  bool is_label(std::size_t j) const {
    return !ranges_.empty() && std::all_of(ranges_.begin(), ranges_.end(), [j](const auto& entry) {
      return entry.second.low[j] == entry.first && entry.second.high[j] == entry.first;
    });
  }

  bool is_ordered(std::size_t j) const {
    if (ranges_.empty() || data_.num_documents() < kFewestOrdered) return false;
    bool up = true, down = true;
    const Ranges* before = nullptr;
    for (const auto& [label, ranges] : ranges_) {
      if (before != nullptr) {
        up = up && before->high[j] < ranges.low[j];
        down = down && ranges.high[j] < before->low[j];
      }
      before = &ranges;
    }
    return up || down;
  }

  const Dataset& data_;
  std::map<float, std::size_t> documents_;  // by label
  std::map<float, Ranges> ranges_;          // by label; empty: not measured
};

}  // namespace

std::vector<LabelLeak> find_label_leaks(const Dataset& data) { return LeakSearch(data).leaks(); }

}  // namespace dorm
