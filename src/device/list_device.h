// SPDX-License-Identifier: Apache-2.0
// Lists of documents on a device that visits all of them at one w: the most violated ranking of every list, and its
// coefficients pulled back to weights, summed over groups of lists.
#pragma once

#include "device/row_device.h"

namespace dorm {

/// Consecutive documents that a block of threads of a device visits, one list after the other: enough pieces to keep a
/// large GPU busy.
inline constexpr std::uint64_t kDocumentsOfPiece = 1024;

/// Lists of whole queries in their order, in pieces that one worker sums in order, and groups of pieces that are summed
/// in order. From the first document of a piece to its last there are at most kDocumentsOfPiece, or it is one list.
struct DeviceLists {
  std::vector<std::uint32_t> query;  // by list: which one of the documents' queries it is
  std::vector<std::uint32_t> piece_begin = {0};
  std::vector<std::uint32_t> group_begin = {0};
  std::vector<double> share;  // by list: its weight in its group; 1 in sum over a group

  /// What linearize() and refer() need, for lists whose position weights a = kappa c + constant; empty: never asked.
  /// Writes b of the documents of queries [first, last), one after the other. By several threads at once, while the
  /// lists are made.
  std::function<void(std::size_t first, std::size_t last, double* out)> gains;
  std::vector<double> ideal, kappa;          // by list
  std::vector<std::uint32_t> table, cutoff;  // by list: its c and a begin at table, and are constant from cutoff on
  std::vector<double> c, a;                  // tables of cutoff + 1 entries

  std::size_t num_lists() const { return query.size(); }
  std::size_t num_pieces() const { return piece_begin.size() - 1; }
  std::size_t num_groups() const { return group_begin.size() - 1; }
  bool linearizes() const { return gains != nullptr; }
};

/// By group, weighted by the shares of its lists.
struct GroupSums {
  std::vector<double> value;      // of H
  std::vector<double> loss;       // of the offset of the plane
  std::vector<double> direction;  // of the plane: `features` numbers of each group
};

/// The rankings of a list that a device can refer to: sorted by score, or by gain and then by score.
enum class ReferenceOrder { score, gain };

class ListDevice {
 public:
  using Trouble = RowDevice::Trouble;
  virtual ~ListDevice() = default;

  /// z0 of every document, of all queries.
  virtual Trouble set_reference(std::span<const double> reference) = 0;
  /// The same as c at the places of documents in such an order; `changed`: in how many lists it is another.
  virtual Trouble refer(ReferenceOrder order, std::span<const double> w, std::size_t& changed) = 0;
  /// H of every list by sorting, against the reference, and its plane.
  virtual Trouble linearize(std::span<const double> w, GroupSums& out) = 0;
  /// The sums of coefficient times row; only `direction` is written. Shares do not enter. Of lists without what
  /// linearize() needs: lists have one or the other.
  virtual Trouble pull_back(std::span<const double> coefficients, GroupSums& out) = 0;
};

}  // namespace dorm
