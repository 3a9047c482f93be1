// SPDX-License-Identifier: Apache-2.0
// What is decided on the host about a GPU: whether it can be used, and what of the lists it holds. Header and source
// are compiled into the module, too, which stands alone.
#include <algorithm>
#include <cstdio>

#include "device/cuda_module.h"

namespace dorm {
namespace {

constexpr std::uint64_t kPartBytes = std::uint64_t{256} << 20;
constexpr std::size_t kLeastHeight = 16;

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::string gigabytes(std::uint64_t bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g GB", static_cast<double>(bytes) * 1e-9);
  return text;
}

}  // namespace

std::size_t DeviceDocuments::longest() const {
  std::uint64_t longest = 0;
  for (std::size_t q = 0; q < num_queries(); ++q) longest = std::max(longest, query_begin[q + 1] - query_begin[q]);
  return longest;
}

std::string cuda_trouble(int driver, int runtime, int gpus, int asked, const std::string& visible) {
  if (driver == 0)
    return "no NVIDIA driver was found on this machine (libcuda.so.1); expected one that supports CUDA " +
           version_text(runtime) + ", or the device cpu";
  if (driver / 1000 < runtime / 1000)
    return "the NVIDIA driver supports CUDA " + version_text(driver) + ", but this dorm was built with CUDA " +
           version_text(runtime) + "; expected a newer driver, or a dorm built with CUDA " +
           std::to_string(driver / 1000);
  if (gpus == 0)
    return "the NVIDIA driver shows no GPU" +
           (visible.empty() ? std::string() : " (CUDA_VISIBLE_DEVICES is \"" + visible + "\")") +
           "; expected at least one";
  if (asked >= gpus)
    return "cuda:" + std::to_string(asked) + " is asked for, but there " +
           (gpus == 1 ? std::string("is 1 GPU, cuda:0")
                      : "are " + std::to_string(gpus) + " GPUs, cuda:0 to cuda:" + std::to_string(gpus - 1)) +
           (visible.empty() ? std::string() : " (CUDA_VISIBLE_DEVICES is \"" + visible + "\")");
  return "";
}

ResidentPlan plan_memory(const DeviceDocuments& documents, std::uint64_t numbers, std::uint64_t available,
                         const std::string& device) {
  const std::size_t queries = documents.num_queries();
  const std::uint64_t rows = documents.bytes(0, queries);
  ResidentPlan plan;
  if (numbers + rows <= available) {
    plan.resident_queries = queries;
    return plan;
  }
  const std::uint64_t largest_piece =
      std::max<std::uint64_t>(kDocumentsOfPiece, documents.longest()) * documents.stride() * sizeof(float);
  const std::uint64_t least = numbers + largest_piece;
  if (least > available) {
    plan.trouble = device + " has " + gigabytes(available) + " for this, but " + gigabytes(least) +
                   " are needed at least, " + gigabytes(numbers + rows) + " to hold all documents; expected a larger " +
                   "GPU, or the device cpu";
    return plan;
  }
  const std::uint64_t for_rows = available - numbers;
  plan.part_bytes = std::max(largest_piece, std::min(kPartBytes, for_rows / 4));
  while (plan.resident_queries < queries && documents.bytes(0, plan.resident_queries + 1) + plan.part_bytes <= for_rows)
    ++plan.resident_queries;
  return plan;
}

std::size_t KernelNumbers::decays() const {
  std::size_t count = 0;
  for (const KernelTerm& term : terms)
    for (const KernelPart& part : term.parts) count += part.form == KernelPart::Form::decay ? 1 : 0;
  return count;
}

// Rows and norms of both sides are doubles. Of a left-hand document also its row as it came, values of a part, of a
// term and of the sum, and twice what is sent back.
KernelPlan plan_kernel(const KernelNumbers& numbers, std::uint64_t available, const std::string& device) {
  const std::uint64_t own = 8 * (numbers.columns + numbers.decays()) + 4 * numbers.codes;
  const std::uint64_t held = numbers.size * own + 8 * (numbers.triangle.size() + numbers.coefficients.size());
  const std::uint64_t of_row = own + 4 * numbers.columns + 8 * 3 * numbers.size + 8 * numbers.width() + 16;
  KernelPlan plan{numbers.height, held + numbers.height * of_row, {}};
  while (plan.bytes > available && plan.height > kLeastHeight) {
    plan.height = std::max(kLeastHeight, plan.height / 2);
    plan.bytes = held + plan.height * of_row;
  }
  if (plan.bytes > available)
    plan.trouble = device + " has " + gigabytes(available) + " for this, but " + gigabytes(plan.bytes) +
                   " are needed at least to hold " + std::to_string(numbers.size) + " documents of " +
                   std::to_string(numbers.columns) + " columns; expected a larger GPU, or the device cpu";
  return plan;
}

}  // namespace dorm
