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
  /// A part with what it takes of the support, document by document.
  struct TakenPart {
    Part part;
    std::vector<float> support;
  };
  struct TakenTerm {
    double weight;
    std::vector<TakenPart> parts;
  };

  std::size_t num_support() const { return model_.kernel->support.num_documents(); }
  OnnxGraph::Value write_part(OnnxGraph& graph, const OnnxGraph::Value& x, const TakenPart& taken) const;
  OnnxGraph::Value write_fourier(OnnxGraph& graph, const OnnxGraph::Value& x) const;
  /// Kernel values of a document against the support.
  std::vector<double> values(std::span<const float> row) const;
  double score(std::span<const float> row) const;

  Model model_;
  std::vector<TakenTerm> terms_;           // of the expression; empty: other forms
  std::vector<std::int64_t> precomputed_;  // the features that are the values of the kernel
  std::vector<float> frequencies_;         // row by row
};

}  // namespace dorm
