// SPDX-License-Identifier: Apache-2.0
// |sum of beta_j k(x, x_j) over the documents left out| <= sum of |beta_j| sqrt(k(x_j, x_j)) sqrt(k(x, x)), so the
// documents with the smallest |beta_j| sqrt(k(x_j, x_j)) go, as long as their sum is small.
#include "learning/train/support.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "model/kernel/pick.h"

namespace dorm {
namespace {

constexpr double kNegligible = 1e-6;

}  // namespace

KernelExpansion support_of(const KernelFeatures& features, const Kernel& kernel, std::span<const double> w) {
  const Documents& documents = features.documents();
  const std::size_t n = documents.size();
  std::vector<float> diagonal(n);
  kernel.diagonal(documents, diagonal);
  const auto size_of = [&](std::uint32_t i) {
    return std::fabs(w[i]) * std::sqrt(std::max(0.0, static_cast<double>(diagonal[i])));
  };
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t i, std::uint32_t j) { return size_of(i) < size_of(j); });
  const double allowed = kNegligible * std::sqrt(std::max(0.0, features.inner(w, w)));
  KernelExpansion expansion;
  std::size_t dropped = 0;
  for (; dropped + 1 < n && expansion.pruned + size_of(order[dropped]) <= allowed; ++dropped)
    expansion.pruned += size_of(order[dropped]);
  std::vector<std::uint32_t> kept(order.begin() + static_cast<std::ptrdiff_t>(dropped), order.end());
  std::sort(kept.begin(), kept.end());
  for (const std::uint32_t i : kept) expansion.coefficients.push_back(w[i]);
  expansion.support = pick_documents(documents, kept, kernel);
  return expansion;
}

}  // namespace dorm
