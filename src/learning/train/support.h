// SPDX-License-Identifier: Apache-2.0
// The support documents of an exact kernel ranker.
#pragma once

#include "dorm/learning/kernel.h"
#include "model/features/kernel_features.h"

namespace dorm {

/// The documents that w = [beta | g] gives coefficients to, without those too small to matter: what is left out changes
/// no score by more than 1e-6 |w| sqrt(k(x, x)), where |g(x)| may reach |w| sqrt(k(x, x)).
KernelExpansion support_of(const KernelFeatures& features, const Kernel& kernel, std::span<const double> w);

}  // namespace dorm
