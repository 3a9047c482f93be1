// SPDX-License-Identifier: Apache-2.0
#include "model/kernel/fourier.h"

#include <Eigen/Core>
#include <cmath>

#include "base/rng.h"

namespace dorm {
namespace {

using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

std::vector<std::string> feature_names(const Dataset& data) {
  std::vector<std::string> names;
  for (std::size_t j = 0; j < data.num_features(); ++j) names.push_back(data.feature_name(j));
  return names;
}

}  // namespace

FourierMap::FourierMap(const Part& rbf, const Documents& documents, std::size_t size, std::uint64_t seed)
    : frequencies_(size / 2),
      columns_(documents.num_features()),
      values_(frequencies_ * columns_, 0.0f),
      names_(feature_names(documents.data())),
      scale_(static_cast<float>(1 / std::sqrt(static_cast<double>(frequencies_)))) {
  Rng rng(seed);
  const double deviation = std::sqrt(2 * rbf.gamma);
  for (std::size_t f = 0; f < frequencies_; ++f)
    for (const std::uint32_t column : rbf.columns)
      values_[f * columns_ + column] = static_cast<float>(deviation * rng.normal());
}

FourierMap::FourierMap(const Documents& frequencies)
    : frequencies_(frequencies.size()),
      columns_(frequencies.num_features()),
      values_(frequencies_ * columns_),
      names_(feature_names(frequencies.data())) {
  for (std::size_t f = 0; f < frequencies_; ++f)
    frequencies.load(f, std::span(values_).subspan(f * columns_, columns_));
}

void FourierMap::compute(const Documents& documents, std::span<const std::uint32_t> rows, float* out,
                         std::size_t stride) const {
  const auto count = static_cast<Eigen::Index>(rows.size());
  RowMajor x(count, static_cast<Eigen::Index>(columns_));
  for (Eigen::Index i = 0; i < count; ++i)
    documents.load(rows[static_cast<std::size_t>(i)], std::span(x.row(i).data(), columns_));
  const Eigen::Map<const RowMajor> frequencies(values_.data(), static_cast<Eigen::Index>(frequencies_),
                                               static_cast<Eigen::Index>(columns_));
  const RowMajor angle = x * frequencies.transpose();
  for (Eigen::Index i = 0; i < count; ++i) {
    float* const row = out + static_cast<std::size_t>(i) * stride;
    for (std::size_t f = 0; f < frequencies_; ++f) {
      const float a = angle(i, static_cast<Eigen::Index>(f));
      row[2 * f] = scale_ * std::cos(a);
      row[2 * f + 1] = scale_ * std::sin(a);
    }
  }
}

std::unique_ptr<const DeviceKernel> FourierMap::on_device(const ComputeOptions& place,
                                                          std::vector<double> coefficients) const {
  KernelNumbers waves;
  waves.columns = columns_;
  waves.size = frequencies_;
  waves.rows = values_;
  waves.wave_factor = static_cast<double>(scale_);
  waves.coefficients = std::move(coefficients);
  return std::make_unique<DeviceKernel>(std::move(waves), place);
}

KernelExpansion FourierMap::expansion(std::span<const double> w) const {
  KernelExpansion expansion;
  expansion.fourier = true;
  DatasetBuilder builder;
  for (std::size_t f = 0; f < frequencies_; ++f)
    builder.add({0.0f, "support"}, std::span(values_).subspan(f * columns_, columns_));
  builder.set_feature_names(names_);
  expansion.support = builder.finish();
  for (const double weight : w) expansion.coefficients.push_back(static_cast<double>(scale_) * weight);
  return expansion;
}

}  // namespace dorm
