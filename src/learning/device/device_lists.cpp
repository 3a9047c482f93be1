// SPDX-License-Identifier: Apache-2.0
// The numbers of a learning problem as a device gets them.
#include <algorithm>
#include <map>

#include "learning/device/device_risk.h"

namespace dorm {
namespace {

constexpr auto kNoBlock = static_cast<std::size_t>(-1);

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

DeviceLists DeviceRisk::describe() const {
  DeviceLists out;
  const std::size_t lists = lists_->num_lists();
  for (std::size_t block = 0; block < lists; ++block)
    out.query.push_back(static_cast<std::uint32_t>(lists_->query(block)));
  if (sorts_there_) {
    TablesOfDevice tables(out);
    std::vector<std::size_t> block_of(data_.num_queries(), kNoBlock);
    for (std::size_t block = 0; block < lists; ++block) {
      const PreparedQuery& query = lists_->list(block).query();
      block_of[out.query[block]] = block;
      out.ideal.push_back(query.ideal);
      tables.add(*query.tables);
    }
    out.gains = [this, blocks = std::move(block_of)](std::size_t first, std::size_t last, double* to) {
      for (std::size_t q = first; q < last; ++q) {
        const std::size_t size = data_.query(q).size();
        if (blocks[q] == kNoBlock)
          std::fill_n(to, size, 0.0);
        else
          std::copy_n(lists_->list(blocks[q]).query().b.begin(), size, to);
        to += size;
      }
    };
  }
  for (std::size_t group = 0; group < weights_.size(); ++group) {
    const std::size_t last = group_begin_[group + 1];
    for (std::size_t first = group_begin_[group], end = first; first < last; first = end) {
      ++end;
      while (end < last && data_.first_document(out.query[end] + 1) - first_document(first) <= kDocumentsOfPiece) ++end;
      out.piece_begin.push_back(static_cast<std::uint32_t>(end));
    }
    out.group_begin.push_back(static_cast<std::uint32_t>(out.num_pieces()));
    for (std::size_t block = group_begin_[group]; block < last; ++block)
      out.share.push_back(lists_->list_weight(block) / weights_[group]);
  }
  return out;
}

}  // namespace dorm
