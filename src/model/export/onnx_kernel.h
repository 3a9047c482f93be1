// SPDX-License-Identifier: Apache-2.0
// The expansion of a kernel as nodes of a graph, and the same in plain loops. Both are in double, where training and
// dorm's scores have kernel values of float32: they agree to those digits.
#pragma once

#include <vector>

#include "dorm/model.h"
#include "model/export/onnx_graph.h"
#include "model/kernel/expression_kernel.h"

namespace dorm {

class OnnxKernel {
 public:
  /// Throws Error(unsupported) for kernels that are no function of the features alone.
  explicit OnnxKernel(const Model& model);

  /// The scores from the scaled features in double.
  OnnxGraph::Value write(OnnxGraph& graph, const OnnxGraph::Value& x) const;

  /// What write() says, of documents whose features have yet to be scaled.
  std::vector<double> scores(const Dataset& data) const;

 private:
  std::size_t num_support() const { return model_.kernel->support.num_documents(); }
  OnnxGraph::Value write_part(OnnxGraph& graph, const OnnxGraph::Value& x, const Part& part) const;
  OnnxGraph::Value write_fourier(OnnxGraph& graph, const OnnxGraph::Value& x) const;
  double value(const Part& part, std::span<const float> row, std::span<const float> support) const;
  double score(std::span<const float> row) const;

  Model model_;
  std::vector<Term> terms_;                // of the expression; empty: other forms
  std::vector<std::int64_t> precomputed_;  // the features that are the values of the kernel
  std::vector<float> support_;             // row by row
};

}  // namespace dorm
