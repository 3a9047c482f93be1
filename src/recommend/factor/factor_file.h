// SPDX-License-Identifier: Apache-2.0
// Models in archives; checkpoints add what they need beside the model.
#pragma once

#include "data/io/files/archive.h"
#include "dorm/recommend/factorize.h"

namespace dorm {

Json factor_header(const FactorModel& model);
void add_factor_arrays(const FactorModel& model, ArchiveWriter& archive);
/// Checks that ids, layout and arrays agree in size.
FactorModel factors_from(const ArchiveReader& archive);

}  // namespace dorm
