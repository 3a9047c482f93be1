// SPDX-License-Identifier: Apache-2.0
// The names of the feature scalings.
#include <array>

#include "dorm/data/scale.h"

namespace dorm {
namespace {

constexpr std::array kScalings{
    CatalogEntry{"none", "none", "leave the features as they are"},
    CatalogEntry{"zscore", "zscore", "mean 0, standard deviation 1 over all documents"},
    CatalogEntry{"minmax", "minmax", "onto [0, 1] over all documents"},
    CatalogEntry{"query-minmax", "query-minmax", "onto [0, 1] within each query"},
    CatalogEntry{"log-zscore", "log-zscore", "sign(x) log(1 + |x|), then zscore"},
    CatalogEntry{"log-query-zscore", "log-query-zscore", "sign(x) log(1 + |x|), then zscore within each query"},
};

constexpr std::array kKinds{ScalingKind::none,         ScalingKind::zscore,     ScalingKind::minmax,
                            ScalingKind::query_minmax, ScalingKind::log_zscore, ScalingKind::log_query_zscore};
static_assert(kKinds.size() == kScalings.size());

}  // namespace

std::span<const CatalogEntry> scaling_catalog() { return kScalings; }

std::string_view name_of(ScalingKind kind) { return kScalings[static_cast<std::size_t>(kind)].name; }

ScalingKind parse_scaling(std::string_view name) {
  for (std::size_t i = 0; i < kScalings.size(); ++i)
    if (kScalings[i].name == name) return kKinds[i];
  throw_unknown_name("scaling", name, kScalings);
}

}  // namespace dorm
