// SPDX-License-Identifier: Apache-2.0
// Kernel values of documents against documents that a device holds, and what is made of them: features of an
// approximation, scores of an expansion. Numbers in, numbers out: a device knows nothing of data sets and of how
// kernels are written. Two implementations: `host`, on the threads of this process, and `cuda`, in a module (cuda/).
// Both multiply and add in double precision, so that values are those of exact arithmetic to the rounding of float32.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "device/row_device.h"

namespace dorm {

/// One factor of a product: a function of some numbers of two documents x and y.
struct KernelPart {
  enum class Form {
    product,  // <x, y>
    power,    // (gamma <x, y> + coef0)^degree
    decay,    // exp(-gamma |x - y|^2)
    equal     // 1 where their codes are equal, else 0
  };
  Form form = Form::product;
  std::size_t first = 0, columns = 0;  // of a row; equal: `first` is the number of the code
  double gamma = 1, coef0 = 0;
  std::uint32_t degree = 1;
};

struct KernelTerm {
  double weight = 1;
  std::vector<KernelPart> parts;
};

/// The right-hand documents, which a device holds, and what is to be made of a left-hand one: its values v with all
/// of them, the sum of weighted products of parts. Without terms they are waves: factor * cos<x, y>, factor * sin<x,
/// y>, side by side.
struct KernelNumbers {
  std::size_t columns = 0, codes = 0;  // of a document
  std::size_t size = 0;                // right-hand documents
  std::vector<float> rows;             // theirs, one after the other
  std::vector<std::uint32_t> row_codes;
  std::vector<KernelTerm> terms;
  double wave_factor = 1;
  std::vector<double> triangle;      // L, column by column: features are L^-1 v; empty: v itself
  std::vector<double> coefficients;  // one per value, of scores(); empty: never asked
  std::size_t height = 4096;         // left-hand documents that a device takes at a time, if it has the memory

  std::size_t width() const { return terms.empty() ? 2 * size : size; }  // values of a document
  std::size_t decays() const;                                            // parts of that form
};

/// Writes rows and codes of left-hand documents [first, last). False where that failed: the call gives up.
using FillDocuments = std::function<bool(std::size_t first, std::size_t last, float* rows, std::uint32_t* codes)>;
/// Is given the values, or features, of left-hand documents [first, last), one after the other. In order.
using TakeValues = std::function<void(std::size_t first, std::size_t last, const float* values)>;

/// Calls by one thread at a time, which is the one that fills and takes, while the device works on other documents.
/// Nothing is thrown: a call returns what went wrong, or nothing.
class KernelDevice {
 public:
  using Trouble = std::string;
  virtual ~KernelDevice() = default;
  virtual DeviceReport report() const = 0;

  virtual Trouble values(std::size_t count, const FillDocuments& fill, const TakeValues& take) = 0;
  /// The sum of value times coefficient, by document.
  virtual Trouble scores(std::size_t count, const FillDocuments& fill, std::span<double> out) = 0;
};

/// As make_row_device().
std::unique_ptr<KernelDevice> make_kernel_device(const std::string& name, KernelNumbers numbers,
                                                 const DeviceLimits& limits);

}  // namespace dorm
