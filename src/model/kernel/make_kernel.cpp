// SPDX-License-Identifier: Apache-2.0
// Kernels from their text, from features that are a Gram matrix, and from functions.
#include <fmt/format.h>

#include <mutex>

#include "dorm/error.h"
#include "model/kernel/expression_kernel.h"

namespace dorm {
namespace {

constexpr std::string_view kPrecomputed = "precomputed";

/// Feature j of a row is its kernel value with the training document that stood in row j of the input.
class PrecomputedColumns final : public KernelColumns {
 public:
  explicit PrecomputedColumns(const Documents& right) {
    for (std::size_t j = 0; j < right.size(); ++j) feature_of_.push_back(right.data().source_row(j));
  }

  std::size_t size() const override { return feature_of_.size(); }

  void compute(const Documents& left, std::span<const std::uint32_t> rows, std::size_t first, std::size_t last,
               float* out, std::size_t stride) const override {
    std::vector<float> row(left.num_features());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      left.load(rows[i], row);
      for (std::size_t j = first; j < last; ++j) out[i * stride + (j - first)] = row[feature_of_[j]];
    }
  }

 private:
  std::vector<std::size_t> feature_of_;
};

class PrecomputedKernel final : public Kernel {
 public:
  std::string spec() const override { return std::string(kPrecomputed); }
  std::unique_ptr<const KernelColumns> against(const Documents& right) const override {
    return std::make_unique<PrecomputedColumns>(right);
  }
  void diagonal(const Documents& documents, std::span<float> out) const override {
    std::vector<float> row(documents.num_features());
    for (std::size_t i = 0; i < out.size(); ++i) {
      documents.load(i, row);
      out[i] = row[documents.data().source_row(i)];
    }
  }
};

std::vector<float> dense_rows(const Documents& documents, std::span<const std::uint32_t> rows) {
  const std::size_t width = documents.num_features();
  std::vector<float> out(rows.size() * width);
  for (std::size_t i = 0; i < rows.size(); ++i) documents.load(rows[i], std::span(out).subspan(i * width, width));
  return out;
}

class FunctionKernel final : public Kernel {
 public:
  FunctionKernel(KernelFunction function, std::string name) : function_(std::move(function)), name_(std::move(name)) {}

  std::string spec() const override { return name_; }

  std::unique_ptr<const KernelColumns> against(const Documents& right) const override {
    return std::make_unique<Columns>(*this, right);
  }

  void diagonal(const Documents& documents, std::span<float> out) const override {
    for (std::uint32_t i = 0; i < out.size(); ++i) {
      const std::vector<float> row = dense_rows(documents, std::span(&i, 1));
      const DenseBlock block{row.data(), 1, documents.num_features()};
      call(block, block, &out[i]);
    }
  }

 private:
  class Columns final : public KernelColumns {
   public:
    Columns(const FunctionKernel& kernel, const Documents& right) : kernel_(kernel), size_(right.size()) {
      std::vector<std::uint32_t> all(size_);
      for (std::size_t j = 0; j < size_; ++j) all[j] = static_cast<std::uint32_t>(j);
      right_ = dense_rows(right, all);
    }

    std::size_t size() const override { return size_; }

    void compute(const Documents& left, std::span<const std::uint32_t> rows, std::size_t first, std::size_t last,
                 float* out, std::size_t stride) const override {
      const std::size_t width = left.num_features();
      const std::vector<float> taken = dense_rows(left, rows);
      std::vector<float> values(rows.size() * (last - first));
      kernel_.call({taken.data(), rows.size(), width}, {right_.data() + first * width, last - first, width},
                   values.data());
      for (std::size_t i = 0; i < rows.size(); ++i)
        std::copy_n(values.data() + i * (last - first), last - first, out + i * stride);
    }

   private:
    const FunctionKernel& kernel_;
    std::size_t size_;
    std::vector<float> right_;
  };

  void call(const DenseBlock& left, const DenseBlock& right, float* out) const {
    const std::lock_guard lock(mutex_);
    function_(left, right, out);
  }

  KernelFunction function_;
  std::string name_;
  mutable std::mutex mutex_;
};

}  // namespace

std::unique_ptr<const Kernel> make_kernel(std::string_view spec, const Documents& documents, std::uint64_t seed) {
  if (spec == kPrecomputed) {
    if (documents.num_features() < documents.size())
      throw Error(ErrorCode::bad_input,
                  fmt::format("\"precomputed\": {} documents with {} features; expected a feature for each of them",
                              documents.size(), documents.num_features()));
    return std::make_unique<PrecomputedKernel>();
  }
  std::vector<Term> terms;
  for (const TermText& text : parse_expression(spec)) {
    terms.push_back({text.weight, {}});
    for (const PartText& part : text.parts) terms.back().parts.push_back(settle_part(part, documents, seed));
  }
  return std::make_unique<ExpressionKernel>(std::move(terms));
}

void check_kernel_spec(std::string_view spec) {
  if (spec == kPrecomputed) return;
  for (const TermText& term : parse_expression(spec))
    for (const PartText& part : term.parts) check_part(part);
}

std::unique_ptr<const Kernel> function_kernel(KernelFunction function, std::string name) {
  return std::make_unique<FunctionKernel>(std::move(function), std::move(name));
}

}  // namespace dorm
