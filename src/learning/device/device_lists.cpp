// SPDX-License-Identifier: Apache-2.0
// The numbers of a learning problem as a device gets them.
#include <algorithm>
#include <map>

#include "learning/device/device_risk.h"

namespace dorm {
namespace {

// Documents that a block of threads of a device visits one after the other: enough pieces to keep a large card busy.
constexpr std::uint64_t kDocumentsOfPiece = 1024;

/// Position weights that lists share.
class TablesOfDevice {
 public:
  explicit TablesOfDevice(DeviceLists& out) : out_(out) {}

  void add(const PositionTables& tables) {
    const std::size_t cutoff = std::min(tables.decay_cutoff, tables.length);
    const auto [found, unknown] = known_.try_emplace(&tables, static_cast<std::uint32_t>(out_.c.size()));
    if (unknown) {
      out_.c.insert(out_.c.end(), tables.c.begin(), tables.c.begin() + static_cast<std::ptrdiff_t>(cutoff) + 1);
      out_.a.insert(out_.a.end(), tables.a.begin(), tables.a.begin() + static_cast<std::ptrdiff_t>(cutoff) + 1);
    }
    out_.table.push_back(found->second);
    out_.cutoff.push_back(static_cast<std::uint32_t>(cutoff));
    out_.kappa.push_back(tables.kappa);
  }

 private:
  DeviceLists& out_;
  std::map<const PositionTables*, std::uint32_t> known_;
};

}  // namespace

DeviceLists DeviceRisk::describe(std::size_t groups) const {
  DeviceLists out;
  out.features = features_.dimension();
  TablesOfDevice tables(out);
  const std::size_t lists = lists_->num_lists();
  for (std::size_t block = 0; block < lists; ++block) {
    const PreparedQuery& query = lists_->list(block).query();
    out.list_begin.push_back(out.list_begin.back() + query.size());
    if (!sorts_there_) continue;
    out.gain.insert(out.gain.end(), query.b.begin(), query.b.end());
    out.ideal.push_back(query.ideal);
    tables.add(*query.tables);
  }
  for (std::size_t group = 0; group < groups; ++group) {
    const std::size_t last = group_begin_[group + 1];
    for (std::size_t first = group_begin_[group], end = first; first < last; first = end) {
      while (end < last && out.list_begin[end] - out.list_begin[first] < kDocumentsOfPiece) ++end;
      out.piece_begin.push_back(static_cast<std::uint32_t>(end));
    }
    out.group_begin.push_back(static_cast<std::uint32_t>(out.num_pieces()));
    for (std::size_t block = group_begin_[group]; block < last; ++block)
      out.share.push_back(lists_->list_weight(block) / weights_[group]);
  }
  return out;
}

}  // namespace dorm
