// SPDX-License-Identifier: Apache-2.0
// Documents on a device: rows of numbers, in queries one after the other, which it scales, scores, and forms lists of
// (list_device.h). Numbers in, numbers out: a device knows nothing of data sets, measures and solvers. One interface,
// two implementations: `host`, on the threads of this process, and `cuda`, in a module (cuda/). What a device adds up
// is in double precision and in an order that the numbers below fix.
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

struct DeviceLists;
class ListDevice;

/// How rows are scaled (docs/training.md), where a device does it.
struct RowScaling {
  enum class Kind {
    none,
    affine,        // (x - shift) factor
    log_affine,    // the same of f(x) = sign(x) log(1 + |x|)
    range,         // to [0, 1] within a query
    log_standard,  // f, then to mean 0 and variance 1 within a query
  };
  Kind kind = Kind::none;
  std::vector<double> shift, factor;  // by feature, of affine and log_affine
};

/// Asks for hashes and statistics of rows as they are before they are scaled. The hash of a row is the sum over its
/// values x but 0 of (bits + added) (bits ^ crossed), modulo 2^64, where bits are those of x. Empty: nobody asks.
struct RowHashWords {
  std::vector<std::uint64_t> added, crossed;  // by feature
};

/// Is told them.
struct RowSurveyor {
  /// Of the documents of some queries, in order; all queries in turn.
  std::function<void(std::size_t first, std::size_t last, const std::uint64_t* hashes)> hashes;
  /// Of a part of the documents, by feature. A mean is that of the queries before and the sum s of n more, taken in one
  /// query after the other: mean + (s - mean n) (1 / (documents so far)).
  std::function<void(std::size_t part, std::span<const double> low, std::span<const double> high,
                     std::span<const double> mean)>
      statistics;
};

struct DeviceDocuments {
  std::size_t features = 0;                      // of a document
  std::vector<std::uint64_t> query_begin = {0};  // documents of query q: from query_begin[q] to query_begin[q + 1]
  std::vector<std::size_t> part_begin;           // consecutive parts of the queries: see RowSurveyor
  RowScaling scaling = {};
  RowHashWords hash = {};

  std::size_t num_queries() const { return query_begin.size() - 1; }
  std::size_t num_documents() const { return query_begin.back(); }
  std::size_t longest() const;  // query
  /// Rows on a device: floats from one to the next, a whole number of 16 bytes.
  std::size_t stride() const { return (features + 3) / 4 * 4; }
  /// Of the rows of queries [first, last).
  std::uint64_t bytes(std::size_t first, std::size_t last) const {
    return (query_begin[last] - query_begin[first]) * stride() * sizeof(float);
  }
};

/// Where rows come from, while a device is made and, for what it does not hold, in every call.
struct RowSource {
  /// Writes the rows of queries [first, last) at the stride of the documents, padding included: scaled, or as they are
  /// for a device that scales them itself. By several threads at once. False where that failed: the device gives up.
  std::function<bool(std::size_t first, std::size_t last, bool scaled, float* rows)> fill;
  /// body(index, worker) for every index < count, by threads of this process; worker < workers. Nothing is thrown.
  std::function<void(std::size_t count, const std::function<void(std::size_t index, std::size_t worker)>& body)> run;
  std::size_t workers = 1;
};

/// What a device says of itself.
struct DeviceReport {
  std::string name;
  std::uint64_t bytes = 0;             // held there for rows
  std::uint64_t resident_queries = 0;  // the first so many are held; the others are sent in every call
};

/// Calls of this and of its lists may come from several threads, and are answered one after the other. Nothing is
/// thrown: a call returns what went wrong, or nothing.
class RowDevice {
 public:
  using Trouble = std::string;
  virtual ~RowDevice() = default;
  virtual DeviceReport report() const = 0;

  /// Tells what was found out while rows came, if it was asked for. `known`: whether it was, by a device that holds all
  /// rows and has room for it; then once.
  virtual Trouble survey(const RowSurveyor& to, bool& known) = 0;
  /// The sum over all documents of |x - mean of its query|^2, of scaled rows.
  virtual Trouble centred_squares(double& sum) = 0;
  /// The score of every document.
  virtual Trouble scores(std::span<const double> w, std::span<double> out) = 0;
  /// Lists of these documents, which this must outlive. Null where `trouble` says why.
  virtual std::unique_ptr<ListDevice> make_lists(DeviceLists lists, Trouble& trouble) = 0;
};

struct DeviceLimits {
  std::uint64_t bytes = 0;  // most memory to take there; 0: what is free
  std::size_t threads = 1;  // of this process; for rows, RowSource::workers
};

/// A device by name: "host", "cuda" (the first GPU) or "cuda:N". Throws Error: bad_option for another name,
/// unsupported with what to do when there is no such device or too little memory on it.
std::unique_ptr<RowDevice> make_row_device(const std::string& name, DeviceDocuments documents, RowSource source,
                                           const DeviceLimits& limits);

/// Makes a device ready for its first call, which takes a third of a second on a GPU, beside whatever else is done.
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

/// What make_row_device() says of a name, before there are rows: "cpu", "cuda" and "cuda:N" are known.
void check_device_name(const std::string& name);

/// Throws Error(unsupported) with what `trouble` says, if anything.
void require_no_trouble(const std::string& trouble);

}  // namespace dorm
