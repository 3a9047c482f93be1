// SPDX-License-Identifier: Apache-2.0
// A kernel written as text: a sum of weighted products of parts.
#pragma once

#include <vector>

#include "dorm/learning/kernel.h"
#include "model/kernel/part.h"

namespace dorm {

struct Term {
  double weight = 1;
  std::vector<Part> parts;
};

class ExpressionKernel final : public Kernel {
 public:
  explicit ExpressionKernel(std::vector<Term> terms) : terms_(std::move(terms)) {}

  const std::vector<Term>& terms() const { return terms_; }

  std::string spec() const override;
  std::unique_ptr<const KernelColumns> against(const Documents& right) const override;
  void diagonal(const Documents& documents, std::span<float> out) const override;
  bool reads(IdKind id) const override;
  bool proven() const override { return true; }  // by the rules of parse_expression and check_part

 private:
  std::vector<Term> terms_;
};

/// How the first factor of a product is written that is 0 for every document, so that the product is; empty: none is.
std::string vanishing_factor(const Kernel& kernel, const Documents& documents);

}  // namespace dorm
