// SPDX-License-Identifier: Apache-2.0
// How far two judges agree beyond chance.
#pragma once

#include <optional>
#include <span>
#include <utility>

namespace dorm {

/// Cohen's kappa of the labels that two judges gave to the same documents, 1 - (disagreement seen) / (disagreement
/// expected of judges who give their labels independently); `weighted`: a disagreement counts the square of the
/// difference. None where no disagreement is to be expected.
std::optional<double> cohen_kappa(std::span<const std::pair<float, float>> labels, bool weighted);

/// Krippendorff's alpha of the same with squared differences: disagreement is expected between any two of all labels,
/// whoever gave them.
std::optional<double> krippendorff_alpha(std::span<const std::pair<float, float>> labels);

}  // namespace dorm
