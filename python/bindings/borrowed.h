// SPDX-License-Identifier: Apache-2.0
// A Dataset over arrays of Python: features are read where they lie.
#pragma once

#include <string>
#include <vector>

#include "arrays.h"
#include "dorm/dataset.h"

namespace dorm::python {

/// Everything but the features, in the order of the rows. Copied: small beside them.
struct Documents {
  Vector<float> labels;
  Vector<std::uint64_t> query_end;
  std::vector<std::string> query_ids;
  Vector<double> query_weights;            // empty: all 1
  Vector<std::uint64_t> source_rows;       // empty: the rows were not reordered
  std::vector<std::string> feature_names;  // empty: numbers from 1
};

/// Rows of contiguous float32, at any distance from each other that does not make them overlap.
Dataset borrow_dense(const Matrix<float>& values, const Documents& documents);

/// The arrays of a CSR matrix; `row_end` has one entry per row. Columns increase strictly within a row.
Dataset borrow_sparse(const Vector<float>& values, const Vector<std::uint32_t>& columns,
                      const Vector<std::uint64_t>& row_end, std::uint64_t num_features, const Documents& documents);

}  // namespace dorm::python
