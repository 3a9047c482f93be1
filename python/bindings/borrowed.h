// SPDX-License-Identifier: Apache-2.0
// A Dataset over arrays of Python: values of features are read where they lie. Everything that says where to read is
// copied before it is checked, so that a program that writes to its arrays meanwhile gets wrong numbers, never a read
// outside of them.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "arrays.h"
#include "base/vector/vector_ops.h"
#include "dorm/dataset.h"

namespace dorm::python {

/// Everything but the features, in the order of the rows. Copied: small beside them.
struct Documents {
  std::vector<float> labels;
  std::vector<std::uint64_t> query_end;
  std::vector<std::string> query_ids;
  std::vector<double> query_weights;              // empty: all 1
  std::vector<std::uint64_t> source_rows;         // empty: the rows were not reordered
  std::vector<std::string> feature_names;         // empty: numbers from 1
  std::vector<std::string> document_ids;          // empty: none
  std::vector<std::string> groups;                // empty: none; an empty name: no group
  std::shared_ptr<const InputDescription> input;  // nullptr: nothing to say
};

/// Rows of contiguous finite float32, at any distance from each other that does not make them overlap; anything else is
/// an Error(bad_input). `source_rows`, `names`: empty, or the numbers of the rows and the names of the columns for
/// messages. `gaps`: values may be missing.
DenseRows checked_rows(const Matrix<float>& values, std::span<const std::uint64_t> source_rows = {},
                       std::span<const std::string> names = {}, bool gaps = false);

/// checked_rows() as a Dataset.
Dataset borrow_dense(const Matrix<float>& values, const Documents& documents);

/// The arrays of a CSR matrix; `row_end` has one entry per row. Columns increase strictly within a row. Only the
/// values are borrowed.
Dataset borrow_sparse(const Vector<float>& values, const Vector<std::uint32_t>& columns,
                      const Vector<std::uint64_t>& row_end, std::uint64_t num_features, const Documents& documents);

}  // namespace dorm::python
