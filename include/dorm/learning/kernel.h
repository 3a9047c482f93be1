// SPDX-License-Identifier: Apache-2.0
// Kernels: similarities k of documents. A ranker g(x) = sum_j beta_j k(x, x_j) is trained in the same way as a linear
// one. A kernel is written as text (docs/kernels.md), or given as a function.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dorm/base/catalog.h"
#include "dorm/base/compute.h"
#include "dorm/dataset.h"

namespace dorm {

/// Which name of a document the part identity(...) compares.
enum class IdKind { query, document, group };

/// The documents of a data set by number: features as dense float32 rows, and names.
class Documents {
 public:
  explicit Documents(Dataset data);

  const Dataset& data() const { return data_; }
  std::size_t size() const { return query_of_.size(); }
  std::size_t num_features() const { return data_.num_features(); }
  std::size_t query_of(std::size_t document) const { return query_of_[document]; }
  std::string_view id(IdKind kind, std::size_t document) const;

  /// The features of a document; `out` has num_features() entries.
  void load(std::size_t document, std::span<float> out) const;

 private:
  Dataset data_;
  std::vector<std::uint32_t> query_of_;
};

/// Kernel values of any document against a fixed list of documents, the columns. Safe from several threads.
class KernelColumns {
 public:
  virtual ~KernelColumns() = default;

  virtual std::size_t size() const = 0;

  /// out[i * stride + (j - first)] = k(left.rows[i], column j) for first <= j < last. `first` is a multiple of kTile.
  /// An entry has the same bits however the columns are divided into calls, and k(x, y) = k(y, x) to the last bit.
  virtual void compute(const Documents& left, std::span<const std::uint32_t> rows, std::size_t first, std::size_t last,
                       float* out, std::size_t stride) const = 0;

  /// All values of rows[i] to out[i], where something makes whole rows faster than threads that share the columns do (a
  /// device); false: nothing was made, and compute() is to be called. Bits are those of compute(); there k(x, y) and
  /// k(y, x) are equal to the rounding of float32.
  virtual bool compute_rows(const Documents& left, std::span<const std::uint32_t> rows,
                            std::span<float* const> out) const;

  static constexpr std::size_t kTile = 16;
};

/// A symmetric function of two documents whose Gram matrices have no negative eigenvalue.
class Kernel {
 public:
  virtual ~Kernel() = default;

  /// How it is written; make_kernel() reads it back unless the kernel is a function.
  virtual std::string spec() const = 0;

  /// Columns for the documents of `right`, which need not outlive the call.
  virtual std::unique_ptr<const KernelColumns> against(const Documents& right) const = 0;

  /// out[i] = k(x_i, x_i).
  virtual void diagonal(const Documents& documents, std::span<float> out) const = 0;

  /// Whether values depend on this name of a document, so that a model has to keep it.
  virtual bool reads(IdKind) const { return false; }

  /// Whether a rule on its form and parameters shows that no Gram matrix has a negative eigenvalue.
  virtual bool proven() const { return false; }
};

/// The kernel that `spec` describes; columns are found by name in `documents`, and gamma=median is computed from them.
/// Throws Error(bad_option) that quotes the piece at fault, also for a kernel that is not positive semidefinite.
std::unique_ptr<const Kernel> make_kernel(std::string_view spec, const Documents& documents, std::uint64_t seed = 1);

/// Checks what does not depend on data; throws Error(bad_option).
void check_kernel_spec(std::string_view spec);

/// Dense rows, one after the other.
struct DenseBlock {
  const float* data = nullptr;
  std::size_t rows = 0, features = 0;
};

/// out[i * right.rows + j] = k(left i, right j).
using KernelFunction = std::function<void(const DenseBlock& left, const DenseBlock& right, float* out)>;

/// A kernel from a program. It is called from one thread at a time.
std::unique_ptr<const Kernel> function_kernel(KernelFunction function, std::string name = "function");

/// Throws Error(bad_input) when the Gram matrix of a sample of the documents is not symmetric, not finite or
/// has an eigenvalue below -1e-5 times the largest: such a kernel has no feature space, and training with it
/// has no certificate.
void check_positive(const Kernel& kernel, const Documents& documents, std::uint64_t seed = 1);

/// For features that are a Gram matrix already (spec "precomputed"): a square with one row and one column per document,
/// in input order, symmetric. Throws Error(bad_input).
void check_precomputed(const Dataset& data);

/// A ranker in the space of a kernel. With `fourier` unset,
///
///     g(x) = sum_j coefficients[j] k(x, support j)
///
/// over documents of the training data: those with a coefficient, or the landmarks of an approximation. With it, the
/// support holds R frequencies, and g(x) = sum_j c[2j] cos<support j, x> + c[2j+1] sin<support j, x>.
struct KernelExpansion {
  std::string kernel;         // as Kernel::spec() wrote it
  std::string approximation;  // none, or as the option was given
  bool fourier = false;
  Dataset support;                   // scaled features in the order of the model's, and names the kernel reads
  std::vector<double> coefficients;  // one per support document; two per frequency
  std::size_t documents = 0;         // training documents before pruning
  double pruned = 0;                 // |g(x) - g before pruning| <= pruned * sqrt(k(x, x))
};

/// Scores of documents whose features are those of the expansion, scaled. `kernel` overrides the text of the expansion;
/// it must be given for a function.
std::vector<double> score_expansion(const KernelExpansion& expansion, const Dataset& data, std::size_t threads = 0,
                                    const Kernel* kernel = nullptr);
/// The same at some place. On a device sums and kernel values have 64 bits: scores are those of the CPU to the rounding
/// of its kernel values.
std::vector<double> score_expansion(const KernelExpansion& expansion, const Dataset& data, const ComputeOptions& place,
                                    const Kernel* kernel = nullptr);

std::span<const CatalogEntry> kernel_catalog();
std::span<const CatalogEntry> approximation_catalog();

}  // namespace dorm
