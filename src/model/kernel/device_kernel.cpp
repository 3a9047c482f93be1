// SPDX-License-Identifier: Apache-2.0
#include "model/kernel/device_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/parallel.h"
#include "dorm/error.h"
#include "model/kernel/expression_kernel.h"
#include "model/kernel/gram_cache.h"

namespace dorm {
namespace {

constexpr std::size_t kPackedPiece = 256;  // documents a thread packs at a time

const std::vector<Term>& terms_of(const Kernel& kernel, const ComputePlace& place) {
  const auto* const expression = dynamic_cast<const ExpressionKernel*>(&kernel);
  if (expression == nullptr)
    throw Error(
        ErrorCode::unsupported,
        fmt::format("the kernel \"{}\" is not computed on the device {}; expected one that is written in parts, "
                    "such as rbf, or the device cpu",
                    kernel.spec(), place.device));
  return expression->terms();
}

KernelPart::Form form_of(PartKind kind) {
  switch (kind) {
    case PartKind::poly:
      return KernelPart::Form::power;
    case PartKind::rbf:
      return KernelPart::Form::decay;
    case PartKind::same_name:
    case PartKind::same_values:
      return KernelPart::Form::equal;
    default:
      return KernelPart::Form::product;  // attribute and correlation scale their rows
  }
}

DeviceLimits limits_of(const ComputePlace& place) { return {place.device_bytes, thread_count(place.threads)}; }

class DeviceColumns final : public KernelColumns {
 public:
  DeviceColumns(const Kernel& kernel, const Documents& right, const ComputePlace& place)
      : device_(kernel, right, place, {.height = GramCache::kScratchRows}) {}

  std::size_t size() const override { return device_.width(); }

  // Rows are whole ones, whatever is asked for: an entry has the same bits.
  void compute(const Documents& left, std::span<const std::uint32_t> rows, std::size_t first, std::size_t last,
               float* out, std::size_t stride) const override {
    device_.values(left, rows, [&](std::size_t begin, std::size_t end, const float* values) {
      for (std::size_t i = begin; i < end; ++i)
        std::copy_n(values + (i - begin) * size() + first, last - first, out + i * stride);
    });
  }

  bool compute_rows(const Documents& left, std::span<const std::uint32_t> rows,
                    std::span<float* const> out) const override {
    device_.values(left, rows, [&](std::size_t begin, std::size_t end, const float* values) {
      parallel_for(end - begin, threads_worth(device_.threads(), (end - begin) * size()),
                   [&](std::size_t i, std::size_t) { std::copy_n(values + i * size(), size(), out[begin + i]); });
    });
    return true;
  }

 private:
  DeviceKernel device_;
};

}  // namespace

DeviceKernel::DeviceKernel(const Kernel& kernel, const Documents& right, const ComputePlace& place, Answer answer)
    : columns_(0), threads_(thread_count(place.threads)), width_(right.size()) {
  KernelNumbers numbers;
  for (const Term& term : terms_of(kernel, place)) {
    KernelTerm& made = numbers.terms.emplace_back();
    made.weight = term.weight;
    for (const Part& part : term.parts) {
      const bool equal = form_of(part.kind) == KernelPart::Form::equal;
      made.parts.push_back({form_of(part.kind), equal ? equal_.size() : columns_, part.columns.size(), part.gamma,
                            part.coef0, part.degree});
      if (equal) {
        equal_.emplace_back(part, right);
      } else {
        parts_.push_back(part);
        columns_ += part.columns.size();
      }
    }
  }
  numbers.columns = columns_;
  numbers.codes = equal_.size();
  numbers.size = right.size();
  numbers.rows.resize(right.size() * columns_);
  numbers.row_codes.resize(right.size() * equal_.size());
  numbers.triangle = std::move(answer.triangle);
  numbers.coefficients = std::move(answer.coefficients);
  numbers.height = answer.height;
  std::vector<std::uint32_t> all(right.size());
  std::iota(all.begin(), all.end(), 0u);
  if (!fill(right, all, numbers.rows.data(), numbers.row_codes.data()))
    throw Error(ErrorCode::bad_input, "the rows of the documents could not be read");
  device_ = make_kernel_device(place.device, std::move(numbers), limits_of(place));
}

DeviceKernel::DeviceKernel(KernelNumbers waves, const ComputePlace& place)
    : columns_(waves.columns),
      threads_(thread_count(place.threads)),
      width_(waves.width()),
      device_(make_kernel_device(place.device, std::move(waves), limits_of(place))) {}

bool DeviceKernel::fill(const Documents& left, std::span<const std::uint32_t> rows, float* values,
                        std::uint32_t* codes) const {
  const auto pack = [&](std::size_t k, std::span<float> row) {
    left.load(rows[k], row);
    float* packed = values + k * columns_;
    if (parts_.empty() && equal_.empty()) std::copy_n(row.begin(), columns_, packed);
    for (const Part& part : parts_) {
      part.take(row, {packed, part.columns.size()});
      packed += part.columns.size();
    }
    for (std::size_t c = 0; c < equal_.size(); ++c) codes[k * equal_.size() + c] = equal_[c].find(left, rows[k], row);
  };
  try {
    parallel_for((rows.size() + kPackedPiece - 1) / kPackedPiece, threads_worth(threads_, rows.size() * columns_),
                 [&](std::size_t piece, std::size_t) {
                   std::vector<float> row(left.num_features());
                   const std::size_t end = std::min(rows.size(), (piece + 1) * kPackedPiece);
                   for (std::size_t k = piece * kPackedPiece; k < end; ++k) pack(k, row);
                 });
    return true;
  } catch (...) {
    return false;  // said by the data itself: require_intact()
  }
}

void DeviceKernel::values(const Documents& left, std::span<const std::uint32_t> rows, const TakeValues& take) const {
  const std::lock_guard lock(mutex_);
  require_no_trouble(device_->values(
      rows.size(),
      [&](std::size_t first, std::size_t last, float* packed, std::uint32_t* codes) {
        return fill(left, rows.subspan(first, last - first), packed, codes);
      },
      take));
}

std::vector<double> DeviceKernel::scores(const Documents& left) const {
  const std::lock_guard lock(mutex_);
  std::vector<std::uint32_t> all(left.size());
  std::iota(all.begin(), all.end(), 0u);
  std::vector<double> scores(left.size());
  require_no_trouble(device_->scores(
      all.size(),
      [&](std::size_t first, std::size_t last, float* packed, std::uint32_t* codes) {
        return fill(left, std::span(all).subspan(first, last - first), packed, codes);
      },
      scores));
  return scores;
}

std::unique_ptr<const KernelColumns> columns_at(const ComputePlace& place, const Kernel& kernel,
                                                const Documents& right) {
  if (!place.on_device()) return kernel.against(right);
  return std::make_unique<DeviceColumns>(kernel, right, place);
}

}  // namespace dorm
