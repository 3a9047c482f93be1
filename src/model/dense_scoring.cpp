// SPDX-License-Identifier: Apache-2.0
// Kinds without logarithms are (x - shift) times a weight that has taken the factor in; logarithms are scaled a few
// columns at a time.
#include "model/dense_scoring.h"

#include <algorithm>
#include <utility>

#include "data/scale/scale_doubles.h"
#include "data/scale/scale_rows.h"
#include "data/scale/scale_rules.h"

namespace dorm {

DenseScoring::DenseScoring(Scaling scaling, std::vector<double> weights, double constant)
    : scaling_(std::move(scaling)), w_(std::move(weights)), constant_(constant) {
  for (std::size_t j = 0; j < scaling_.factor.size(); ++j) w_factor_.push_back(w_[j] * scaling_.factor[j]);
}

void DenseScoring::scores(const DenseRows& rows, Workspace& workspace, std::span<double> out,
                          const double* known) const {
  if (rows.rows == 0) return;
  if (scaling_.kind == ScalingKind::none) {
    multiply(rows, w_, out);
  } else if (scaling_.kind == ScalingKind::query_minmax) {
    workspace.low.resize(rows.columns);
    workspace.high.resize(rows.columns);
    workspace.shift.resize(rows.columns);
    workspace.w.resize(rows.columns);
    column_ranges(rows, workspace.low, workspace.high);
    for (std::size_t j = 0; j < rows.columns; ++j) {
      const auto low = static_cast<double>(workspace.low[j]), high = static_cast<double>(workspace.high[j]);
      workspace.shift[j] = low;
      workspace.w[j] = w_[j] * factor_of({low, high, 0, rows.rows}, true);
    }
    multiply(rows, workspace.shift, workspace.w, out);
  } else if (takes_logarithm(scaling_.kind)) {
    add_logarithms(rows, workspace, out, known);
  } else {
    multiply(rows, scaling_.shift, w_factor_, out);
  }
  for (double& value : out) value += constant_;
}

void DenseScoring::add_logarithms(const DenseRows& rows, Workspace& workspace, std::span<double> out,
                                  const double* known) const {
  std::fill(out.begin(), out.end(), 0.0);
  if (!known) {
    prefetch_rows(rows);
    if (workspace.scaled.size() < rows.rows * kColumns) workspace.scaled.resize(rows.rows * kColumns);
  }
  for (std::size_t j = 0; j < rows.columns; j += kColumns) {
    const std::size_t count = std::min(kColumns, rows.columns - j);
    if (!known) scale_columns(scaling_, rows, j, count, workspace.scaled.data());
    const double* const scaled = known ? known + rows.rows * j : workspace.scaled.data();
    const std::span<const double> w = std::span(w_).subspan(j, count);
    for (std::size_t i = 0; i < rows.rows; ++i) out[i] += dot(std::span(scaled + i * count, count), w);
  }
}

}  // namespace dorm
