// SPDX-License-Identifier: Apache-2.0
// Lists of documents on a device that visits all of them at one w: scores, the most violated ranking of every list, and
// its coefficients pulled back to weights, summed over groups of lists. Numbers in, numbers out: a device knows nothing
// of data sets, measures and solvers. One interface, two implementations: `host`, on the threads of this process, and
// `cuda`, in a module (cuda/). What a device adds up is in double precision and in an order that the numbers below fix.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace dorm {

/// Lists one after the other, in pieces that one worker sums in order, and groups of pieces that are summed in order.
struct DeviceLists {
  std::size_t features = 0;                     // of a document
  std::vector<std::uint64_t> list_begin = {0};  // documents of list q: from list_begin[q] to list_begin[q + 1]
  std::vector<std::uint32_t> piece_begin = {0};
  std::vector<std::uint32_t> group_begin = {0};
  std::vector<double> share;  // by list: its weight in its group; 1 in sum over a group

  /// What linearize() needs, for lists whose position weights a = kappa c + constant; empty: never asked.
  std::vector<double> gain;                  // b, by document
  std::vector<double> ideal, kappa;          // by list
  std::vector<std::uint32_t> table, cutoff;  // by list: its c and a begin at table, and are constant from cutoff on
  std::vector<double> c, a;                  // tables of cutoff + 1 entries

  std::size_t num_lists() const { return list_begin.size() - 1; }
  std::size_t num_documents() const { return list_begin.back(); }
  std::size_t num_pieces() const { return piece_begin.size() - 1; }
  std::size_t num_groups() const { return group_begin.size() - 1; }
  std::size_t longest() const;
  /// Rows on a device: floats from one to the next, a whole number of 16 bytes.
  std::size_t stride() const { return (features + 3) / 4 * 4; }
};

/// By group, weighted by the shares of its lists.
struct GroupSums {
  std::vector<double> value;      // of H
  std::vector<double> loss;       // of the offset of the plane
  std::vector<double> direction;  // of the plane: `features` numbers of each group
};

/// Writes the rows of lists [first, last) to `rows`, at the stride of the lists, padding included. Called while the
/// device is made and, for what it does not hold, in every call. False where that failed: the device gives up.
using FillRows = std::function<bool(std::size_t first, std::size_t last, float* rows)>;

/// What a device says of itself.
struct DeviceReport {
  std::string name;
  std::uint64_t bytes = 0;           // held there
  std::uint64_t resident_lists = 0;  // the first so many are held; the others are sent in every call
};

/// Calls by one thread at a time. Nothing is thrown: a call returns what went wrong, or nothing.
class ListDevice {
 public:
  using Trouble = std::string;
  virtual ~ListDevice() = default;
  virtual DeviceReport report() const = 0;

  /// z0 of every document.
  virtual Trouble set_reference(std::span<const double> reference) = 0;
  /// H of every list by sorting, against the reference, and its plane.
  virtual Trouble linearize(std::span<const double> w, GroupSums& out) = 0;
  /// The score of every document.
  virtual Trouble scores(std::span<const double> w, std::span<double> out) = 0;
  /// The sums of coefficient times row; only `direction` is written. Shares do not enter. Of lists without what
  /// linearize() needs: a device has one or the other.
  virtual Trouble pull_back(std::span<const double> coefficients, GroupSums& out) = 0;
};

struct DeviceLimits {
  std::uint64_t bytes = 0;  // most memory to take there; 0: what is free
  std::size_t threads = 1;  // of this process
};

/// A device by name: "host", "cuda" (the first card) or "cuda:N". Throws Error: bad_option for another name,
/// unsupported with what to do when there is no such device or too little memory on it.
std::unique_ptr<ListDevice> make_list_device(const std::string& name, DeviceLists lists, const FillRows& fill,
                                             const DeviceLimits& limits);

/// Makes a device ready for its first call, which takes a third of a second on a card, beside whatever else is done.
class WakingDevice {
 public:
  /// Throws Error(unsupported) where there is no module for the device. The device cpu needs nothing.
  explicit WakingDevice(const std::string& name);
  ~WakingDevice();
  WakingDevice(const WakingDevice&) = delete;
  WakingDevice& operator=(const WakingDevice&) = delete;

 private:
  std::thread thread_;
};

/// What make_list_device() says of a name, before there are lists: "cpu", "cuda" and "cuda:N" are known.
void check_device_name(const std::string& name);

/// Throws Error(unsupported) with what `trouble` says, if anything.
void require_no_trouble(const std::string& trouble);

}  // namespace dorm
