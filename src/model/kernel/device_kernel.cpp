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

constexpr std::size_t kPieceNumbers = 16384;      // that a thread packs or copies at a time, about
constexpr std::size_t kPackingWorth = 65536;      // numbers to pack for which threads are woken
constexpr std::size_t kCopyingWorth = 4 * 65536;  // and to copy

const std::vector<Term>& terms_of(const Kernel& kernel, const ComputeOptions& place) {
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

DeviceLimits limits_of(const ComputeOptions& place) { return {place.memory, thread_count(place.threads)}; }

class DeviceColumns final : public KernelColumns {
 public:
  DeviceColumns(const Kernel& kernel, const Documents& right, const ComputeOptions& place)
      : device_(kernel, right, place, {.height = GramCache::kScratchRows}) {}

  std::size_t size() const override { return device_.width(); }

  // Rows are whole ones, whatever is asked for: an entry has the same bits.
  void compute(const Documents& left, std::span<const std::uint32_t> rows, std::size_t first, std::size_t last,
               float* out, std::size_t stride) const override {
    device_.values(left, rows, first, last, [&](std::size_t i) { return out + i * stride; });
  }

  bool compute_rows(const Documents& left, std::span<const std::uint32_t> rows,
                    std::span<float* const> out) const override {
    device_.values(left, rows, 0, size(), [&](std::size_t i) { return out[i]; });
    return true;
  }

 private:
  DeviceKernel device_;
};

}  // namespace

DeviceKernel::DeviceKernel(const Kernel& kernel, const Documents& right, const ComputeOptions& place, Answer answer)
    : columns_(0), width_(right.size()), pool_(thread_count(place.threads)) {
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

DeviceKernel::DeviceKernel(KernelNumbers waves, const ComputeOptions& place)
    : columns_(waves.columns),
      width_(waves.width()),
      device_(make_kernel_device(place.device, std::move(waves), limits_of(place))),
      pool_(thread_count(place.threads)) {}

void DeviceKernel::in_pieces(std::size_t count, std::size_t numbers_of_each, std::size_t worth,
                             const std::function<void(std::size_t begin, std::size_t end)>& body) const {
  if (count * numbers_of_each < worth) return body(0, count);
  const std::size_t piece = std::max<std::size_t>(1, kPieceNumbers / std::max<std::size_t>(1, numbers_of_each));
  pool_.run((count + piece - 1) / piece,
            [&](std::size_t index, std::size_t) { body(index * piece, std::min(count, (index + 1) * piece)); });
}

bool DeviceKernel::fill(const Documents& left, std::span<const std::uint32_t> rows, float* values,
                        std::uint32_t* codes) const {
  const bool as_they_are = parts_.empty() && equal_.empty() && left.num_features() == columns_;
  const auto pack = [&](std::size_t k, std::span<float> row) {
    float* packed = values + k * columns_;
    if (as_they_are) return left.load(rows[k], {packed, columns_});
    left.load(rows[k], row);
    if (parts_.empty() && equal_.empty()) std::copy_n(row.begin(), columns_, packed);
    for (const Part& part : parts_) {
      part.take(row, {packed, part.columns.size()});
      packed += part.columns.size();
    }
    for (std::size_t c = 0; c < equal_.size(); ++c) codes[k * equal_.size() + c] = equal_[c].find(left, rows[k], row);
  };
  try {
    in_pieces(rows.size(), left.num_features(), kPackingWorth, [&](std::size_t begin, std::size_t end) {
      std::vector<float> row(left.num_features());
      for (std::size_t k = begin; k < end; ++k) pack(k, row);
    });
    return true;
  } catch (...) {
    return false;  // said by the data itself: require_intact()
  }
}

void DeviceKernel::values(const Documents& left, std::span<const std::uint32_t> rows, std::size_t first,
                          std::size_t last, const std::function<float*(std::size_t i)>& place) const {
  const std::lock_guard lock(mutex_);
  require_no_trouble(device_->values(
      rows.size(),
      [&](std::size_t begin, std::size_t end, float* packed, std::uint32_t* codes) {
        return fill(left, rows.subspan(begin, end - begin), packed, codes);
      },
      [&](std::size_t begin, std::size_t end, const float* made) {
        in_pieces(end - begin, last - first, kCopyingWorth, [&](std::size_t i, std::size_t stop) {
          for (; i < stop; ++i) std::copy_n(made + i * width_ + first, last - first, place(begin + i));
        });
      }));
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

std::unique_ptr<const KernelColumns> columns_at(const ComputeOptions& place, const Kernel& kernel,
                                                const Documents& right) {
  if (!place.on_device()) return kernel.against(right);
  return std::make_unique<DeviceColumns>(kernel, right, place);
}

}  // namespace dorm
