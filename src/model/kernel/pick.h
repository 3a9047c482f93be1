// SPDX-License-Identifier: Apache-2.0
// A few documents of a data set as a data set of their own, to be kept by a model.
#pragma once

#include <span>

#include "dorm/learning/kernel.h"

namespace dorm {

/// `which` is increasing. Features keep their names; of the names of documents only those `kernel` reads are
/// kept. Labels are 0.
Dataset pick_documents(const Documents& documents, std::span<const std::uint32_t> which, const Kernel& kernel);

}  // namespace dorm
