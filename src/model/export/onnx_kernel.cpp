// SPDX-License-Identifier: Apache-2.0
#include "model/export/onnx_kernel.h"

#include <fmt/format.h>

#include <algorithm>

#include "dorm/error.h"

namespace dorm {
namespace {

using Value = OnnxGraph::Value;

/// As scores have parameters of kernels: float32.
double rounded(double parameter) { return static_cast<double>(static_cast<float>(parameter)); }

[[noreturn]] void refuse_onnx_kernel(const std::string& kernel, std::string_view why) {
  throw Error(ErrorCode::unsupported,
              fmt::format("the model has the kernel {}, which onnx cannot evaluate: {}", kernel, why));
}

/// The terms of a kernel that is written as text, if a graph can evaluate them.
std::vector<Term> terms_of(const std::string& kernel, const Documents& support, ScalingKind scaling) {
  std::unique_ptr<const Kernel> made;
  try {
    made = make_kernel(kernel, support);
  } catch (const Error& error) {
    refuse_onnx_kernel(kernel, error.what());
  }
  const auto* expression = dynamic_cast<const ExpressionKernel*>(made.get());
  if (expression == nullptr) refuse_onnx_kernel(kernel, "it is a function");
  const bool same_bits =
      scaling == ScalingKind::none || scaling == ScalingKind::zscore || scaling == ScalingKind::minmax;
  for (const Term& term : expression->terms())
    for (const Part& part : term.parts) {
      if (part.kind == PartKind::same_name)
        refuse_onnx_kernel(kernel, "it compares names, and a graph has numbers only");
      if (part.kind == PartKind::same_values && !same_bits)
        refuse_onnx_kernel(kernel,
                           fmt::format("it asks whether features are equal, which rounding under the scaling {} "
                                       "decides",
                                       name_of(scaling)));
    }
  return expression->terms();
}

std::vector<float> transposed_rows(std::span<const float> rows, std::size_t columns) {
  const std::size_t count = rows.size() / columns;
  std::vector<float> out(rows.size());
  for (std::size_t j = 0; j < count; ++j)
    for (std::size_t k = 0; k < columns; ++k) out[k * count + j] = rows[j * columns + k];
  return out;
}

Value of_row(OnnxGraph& graph, std::string_view op, const Value& x) {
  return graph.node(op, {x}, {{.name = "axes", .number = 1, .list = true}, {.name = "keepdims", .number = 1}});
}

/// Rows of length 1, for correlation centred first, rounded as Part::take does.
Value of_length_1(OnnxGraph& graph, Value x, bool centred) {
  if (centred) x = graph.node("Sub", {x, of_row(graph, "ReduceMean", x)});
  const Value square = of_row(graph, "ReduceSumSquare", x), zero = graph.number(0);
  const Value factor = graph.node("Where", {graph.node("Greater", {square, zero}),
                                            graph.node("Div", {graph.number(1), graph.node("Sqrt", {square})}), zero});
  return graph.cast(graph.cast(graph.node("Mul", {x, factor}), OnnxGraph::kFloat), OnnxGraph::kDouble);
}

Value pick_column(OnnxGraph& graph, const Value& x, std::size_t column) {
  const std::int64_t one[] = {static_cast<std::int64_t>(column)};
  return graph.node("Gather", {x, graph.integers(one)}, {{.name = "axis", .number = 1}});
}

/// 1 where all columns of a row are those of a support document, else 0.
Value equal_rows(OnnxGraph& graph, const Value& x, std::span<const float> transposed, std::size_t columns) {
  const std::size_t support = transposed.size() / columns;
  Value all;
  for (std::size_t k = 0; k < columns; ++k) {
    const Value theirs =
        graph.cast(graph.floats(transposed.subspan(k * support, support), support), OnnxGraph::kDouble);
    const Value same = graph.node("Equal", {pick_column(graph, x, k), theirs});
    all = k == 0 ? same : graph.node("And", {all, same});
  }
  return graph.cast(all, OnnxGraph::kDouble);
}

/// |x - y|^2 from the products.
Value distances(OnnxGraph& graph, const Value& x, const Value& products, std::span<const float> transposed,
                std::size_t columns) {
  std::vector<double> squares(transposed.size() / columns);
  for (std::size_t k = 0; k < transposed.size(); ++k) {
    const auto y = static_cast<double>(transposed[k]);
    squares[k % squares.size()] += y * y;
  }
  const Value lengths = graph.node("Add", {of_row(graph, "ReduceSumSquare", x), graph.doubles(squares)});
  return graph.node("Sub", {lengths, graph.node("Mul", {products, graph.number(2)})});
}

}  // namespace

OnnxKernel::OnnxKernel(const Model& model) : model_(model) {
  const Documents support(model.kernel->support);
  const std::size_t width = support.num_features();
  std::vector<float> rows(support.size() * width);
  for (std::size_t j = 0; j < support.size(); ++j) support.load(j, std::span(rows).subspan(j * width, width));
  if (model.kernel->fourier) {
    frequencies_ = std::move(rows);
    return;
  }
  if (model.kernel->kernel == "precomputed") {
    for (std::size_t j = 0; j < support.size(); ++j)
      precomputed_.push_back(static_cast<std::int64_t>(support.data().source_row(j)));
    return;
  }
  for (const Term& term : terms_of(model.kernel->kernel, support, model.scaling.kind)) {
    terms_.push_back({rounded(term.weight), {}});
    for (const Part& part : term.parts) {
      const std::size_t columns = part.columns.size();
      terms_.back().parts.push_back({part, std::vector<float>(support.size() * columns)});
      TakenPart& taken = terms_.back().parts.back();
      taken.part.gamma = rounded(part.gamma);
      taken.part.coef0 = rounded(part.coef0);
      for (std::size_t j = 0; j < support.size(); ++j)
        part.take(std::span(rows).subspan(j * width, width), std::span(taken.support).subspan(j * columns, columns));
    }
  }
}

Value OnnxKernel::write_part(OnnxGraph& graph, const Value& x, const TakenPart& taken) const {
  const Part& part = taken.part;
  const std::size_t columns = part.columns.size(), support = num_support(), width = model_.features.size();
  const std::vector<float> transposed = transposed_rows(taken.support, columns);
  const std::vector<std::int64_t> picked(part.columns.begin(), part.columns.end());
  bool all = columns == width;
  for (std::size_t k = 0; k < columns; ++k) all = all && part.columns[k] == k;
  Value own = all ? x : graph.node("Gather", {x, graph.integers(picked)}, {{.name = "axis", .number = 1}});
  if (part.kind == PartKind::attribute || part.kind == PartKind::correlation)
    own = of_length_1(graph, own, part.kind == PartKind::correlation);
  if (part.kind == PartKind::same_values) return equal_rows(graph, own, transposed, columns);
  const Value theirs = graph.cast(graph.floats(transposed, support), OnnxGraph::kDouble);
  Value products = graph.node("MatMul", {own, theirs});
  if (part.kind == PartKind::rbf) {
    const Value square = distances(graph, own, products, transposed, columns);
    return graph.node("Exp", {graph.node("Mul", {square, graph.number(-part.gamma)})});
  }
  if (part.kind != PartKind::poly) return products;
  const Value base =
      graph.node("Add", {graph.node("Mul", {products, graph.number(part.gamma)}), graph.number(part.coef0)});
  Value power = base;
  for (std::uint32_t d = 1; d < part.degree; ++d) power = graph.node("Mul", {power, base});
  return power;
}

Value OnnxKernel::write_fourier(OnnxGraph& graph, const Value& x) const {
  const std::size_t frequencies = num_support();
  const std::vector<float> transposed = transposed_rows(frequencies_, model_.features.size());
  std::vector<double> of_cosines, of_sines;
  for (std::size_t j = 0; j < frequencies; ++j) {
    of_cosines.push_back(model_.kernel->coefficients[2 * j]);
    of_sines.push_back(model_.kernel->coefficients[2 * j + 1]);
  }
  const Value angle = graph.node("MatMul", {x, graph.cast(graph.floats(transposed, frequencies), OnnxGraph::kDouble)});
  return graph.node("Add", {graph.node("MatMul", {graph.node("Cos", {angle}), graph.doubles(of_cosines)}),
                            graph.node("MatMul", {graph.node("Sin", {angle}), graph.doubles(of_sines)})});
}

Value OnnxKernel::write(OnnxGraph& graph, const Value& x) const {
  if (model_.kernel->fourier) return write_fourier(graph, x);
  Value sum;
  if (!precomputed_.empty())
    sum = graph.node("Gather", {x, graph.integers(precomputed_)}, {{.name = "axis", .number = 1}});
  for (const TakenTerm& term : terms_) {
    Value product = write_part(graph, x, term.parts[0]);
    for (std::size_t p = 1; p < term.parts.size(); ++p)
      product = graph.node("Mul", {product, write_part(graph, x, term.parts[p])});
    if (term.weight != 1) product = graph.node("Mul", {product, graph.number(term.weight)});
    sum = sum.empty() ? product : graph.node("Add", {sum, product});
  }
  return graph.node("MatMul", {sum, graph.doubles(model_.kernel->coefficients)});
}

}  // namespace dorm
