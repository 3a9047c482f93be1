// SPDX-License-Identifier: Apache-2.0
// A measure whose factors were computed by Python beforehand, for every list of labels that will occur: no call back
// into the interpreter while training.
#pragma once

#include <string>
#include <unordered_map>

#include "arrays.h"
#include "dorm/measure.h"

namespace dorm::python {

class TabulatedMeasure final : public FactoredMeasure {
 public:
  TabulatedMeasure(std::string name, bool normalised) : name_(std::move(name)), normalised_(normalised) {}

  /// Factors of the lists of labels [end[k-1], end[k]); a and b are parallel to the labels. Throws Error(bad_input)
  /// unless a never increases and both are finite and not negative.
  void add(const Vector<float>& labels, const Vector<std::uint64_t>& end, const Vector<double>& a,
           const Vector<double>& b);

  std::string name() const override { return name_; }
  bool normalised() const override { return normalised_; }
  Factors factor(Labels labels) const override;

 private:
  std::string name_;
  bool normalised_;
  std::unordered_map<std::string, Factors> factors_;  // by the bytes of the labels
};

}  // namespace dorm::python
