// SPDX-License-Identifier: Apache-2.0
// Feature scaling: fitted on training data, then applied to any data of the same features; travels with a model.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dorm/base/catalog.h"
#include "dorm/dataset.h"

namespace dorm {

/// x' = (f(x) - shift[j]) * factor[j], f(x) = x or sign(x) log(1 + |x|). The per-query kinds compute shift and factor
/// from the documents of the query at hand; a constant feature becomes 0 (factor 0).
enum class ScalingKind { none, zscore, minmax, query_minmax, log_zscore, log_query_zscore };

struct Scaling {
  ScalingKind kind = ScalingKind::none;
  std::vector<double> shift, factor;  // global kinds only: one per feature

  bool per_query() const { return kind == ScalingKind::query_minmax || kind == ScalingKind::log_query_zscore; }
};

/// Needs at least one document. Compressed data stays compressed: what its zeros become is the background of the rows.
Scaling fit_scaling(ScalingKind kind, const Dataset& data, std::size_t threads = 1);
/// Throws Error(bad_input) when it was fitted on another number of features.
void require_fitted(const Scaling& scaling, const Dataset& data);
Dataset apply_scaling(const Scaling& scaling, const Dataset& data, std::size_t threads = 0);

/// What the name `auto` means: none when every feature of every query lies in [0, 1], else log_query_zscore.
ScalingKind choose_scaling(const Dataset& data, std::size_t threads = 1);

std::span<const CatalogEntry> scaling_catalog();
/// A name of scaling_catalog(); throws Error(unknown_name).
ScalingKind parse_scaling(std::string_view name);
std::string_view name_of(ScalingKind kind);

}  // namespace dorm
