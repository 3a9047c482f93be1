// SPDX-License-Identifier: Apache-2.0
// Features that give the label away. A feature orders all documents as the label does when its ranges of values, label
// by label, do not overlap and follow each other.
#include <algorithm>
#include <limits>
#include <map>

#include "data/column_guess.h"
#include "data/storage.h"
#include "dorm/data/prepare.h"
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
  std::size_t documents = 0;

  Ranges(std::size_t features, bool dense)
      : low(features, std::numeric_limits<float>::infinity()),
        high(features, -std::numeric_limits<float>::infinity()),
        stored(dense ? 0 : features) {}
  void add(std::size_t j, float x) {
    low[j] = std::min(low[j], x);
    high[j] = std::max(high[j], x);
  }
  void add_zeros() {
    for (std::size_t j = 0; j < stored.size(); ++j)
      if (stored[j] < documents) add(j, 0);
  }
};

class LeakSearch {
 public:
  explicit LeakSearch(const Dataset& data) : data_(data) {
    if (!data.has_labels() || data.num_documents() < kFewestEqual || !data.storage().background_end.empty()) return;
    if (!measure() || ranges_.size() == 1) ranges_.clear();
    data.require_intact();
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
  // Ranges only grow, so a feature that does not follow the labels of some documents does not follow those of all. Few
  // documents tell that of most features: from time to time it is seen whether any is left. False: none is, or there
  // are too many labels.
  bool measure() {
    for (std::size_t q = 0, next_look = 0; q < data_.num_queries(); ++q) {
      const Query query = data_.query(q);
      for (std::size_t i = 0; i < query.size(); ++i) {
        Ranges& ranges = ranges_.try_emplace(query.labels[i], data_.num_features(), data_.dense()).first->second;
        if (ranges_.size() > kMostLabels || ranges_.size() * data_.num_features() > kMostRanges) return false;
        add_row(query.rows, i, ranges);
      }
      if (q != next_look && q + 1 != data_.num_queries()) continue;
      if (!any_left()) return false;
      next_look = 2 * q + 1;
    }
    return true;
  }

  bool any_left() {
    for (auto& [label, ranges] : ranges_) ranges.add_zeros();
    for (std::size_t j = 0; j < data_.num_features(); ++j)
      if (is_label(j) || is_ordered(j)) return true;
    return false;
  }

  static void add_row(const FeatureRows& rows, std::size_t i, Ranges& ranges) {
    ++ranges.documents;
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
  std::map<float, Ranges> ranges_;  // by label; empty: no feature follows the labels, or it is not known
};

}  // namespace

std::vector<LabelLeak> find_label_leaks(const Dataset& data) { return LeakSearch(data).leaks(); }

}  // namespace dorm
