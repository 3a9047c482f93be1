// SPDX-License-Identifier: Apache-2.0
#include "device/host_kernel.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "base/parallel.h"

namespace dorm {
namespace {

constexpr std::size_t kBlockRows = 64;  // left-hand documents of a thread

using RowsOfHost = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Form = KernelPart::Form;

Eigen::Index signed_of(std::size_t size) { return static_cast<Eigen::Index>(size); }

RowsOfHost doubles_of(const float* rows, std::size_t count, std::size_t columns) {
  using Floats = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  return Eigen::Map<const Floats>(rows, signed_of(count), signed_of(columns)).cast<double>();
}

class HostKernel final : public KernelDevice {
 public:
  HostKernel(KernelNumbers numbers, std::size_t threads)
      : numbers_(std::move(numbers)),
        threads_(threads),
        right_(doubles_of(numbers_.rows.data(), numbers_.size, numbers_.columns)) {}

  DeviceReport report() const override {
    return {"host", static_cast<std::uint64_t>(right_.size()) * sizeof(double), 0};
  }

  Trouble values(std::size_t count, const FillDocuments& fill, const TakeValues& take) override {
    const std::size_t width = numbers_.width();
    std::vector<float> out(std::min(count, numbers_.height) * width);
    return in_parts(count, fill, [&](std::size_t first, std::size_t last) {
      in_blocks(last - first, [&](std::size_t begin, const Eigen::MatrixXd& values) {
        Eigen::Map<Eigen::MatrixXf>(out.data() + begin * width, values.rows(), values.cols()) = values.cast<float>();
      });
      take(first, last, out.data());
    });
  }

  Trouble scores(std::size_t count, const FillDocuments& fill, std::span<double> out) override {
    const Eigen::Map<const Eigen::VectorXd> coefficients(numbers_.coefficients.data(), signed_of(numbers_.width()));
    return in_parts(count, fill, [&](std::size_t first, std::size_t last) {
      in_blocks(last - first, [&](std::size_t begin, const Eigen::MatrixXd& values) {
        Eigen::Map<Eigen::VectorXd>(out.data() + first + begin, values.cols()) = values.transpose() * coefficients;
      });
    });
  }

 private:
  template <class Body>
  Trouble in_parts(std::size_t count, const FillDocuments& fill, const Body& body) {
    for (std::size_t first = 0; first < count; first += numbers_.height) {
      const std::size_t last = std::min(count, first + numbers_.height);
      rows_.resize((last - first) * numbers_.columns);
      codes_.resize((last - first) * numbers_.codes);
      if (!fill(first, last, rows_.data(), codes_.data())) return "the rows of the documents could not be read";
      body(first, last);
    }
    return {};
  }

  /// body(begin, values): a column for each left-hand document from begin on.
  template <class Body>
  void in_blocks(std::size_t count, const Body& body) const {
    parallel_for((count + kBlockRows - 1) / kBlockRows, threads_, [&](std::size_t block, std::size_t) {
      const std::size_t begin = block * kBlockRows, rows = std::min(kBlockRows, count - begin);
      const RowsOfHost left = doubles_of(rows_.data() + begin * numbers_.columns, rows, numbers_.columns);
      if (numbers_.terms.empty()) return body(begin, waves(left));
      Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(signed_of(numbers_.size), signed_of(rows));
      for (const KernelTerm& term : numbers_.terms) {
        Eigen::MatrixXd product = Eigen::MatrixXd::Constant(sum.rows(), sum.cols(), term.weight);
        for (const KernelPart& part : term.parts) product = product.cwiseProduct(values_of(part, left, begin));
        sum += product;
      }
      if (!numbers_.triangle.empty())
        Eigen::Map<const Eigen::MatrixXd>(numbers_.triangle.data(), sum.rows(), sum.rows())
            .triangularView<Eigen::Lower>()
            .solveInPlace(sum);
      body(begin, sum);
    });
  }

  Eigen::MatrixXd waves(const RowsOfHost& left) const {
    const Eigen::MatrixXd angle = right_ * left.transpose();
    Eigen::MatrixXd out(2 * angle.rows(), angle.cols());
    for (Eigen::Index i = 0; i < angle.cols(); ++i)
      for (Eigen::Index j = 0; j < angle.rows(); ++j) {
        out(2 * j, i) = numbers_.wave_factor * std::cos(angle(j, i));
        out(2 * j + 1, i) = numbers_.wave_factor * std::sin(angle(j, i));
      }
    return out;
  }

  Eigen::MatrixXd values_of(const KernelPart& part, const RowsOfHost& left, std::size_t begin) const {
    if (numbers_.size == 0) return Eigen::MatrixXd(0, left.rows());
    if (part.form == Form::equal) return equal(part, left.rows(), begin);
    const auto x = left.middleCols(signed_of(part.first), signed_of(part.columns));
    const auto y = right_.middleCols(signed_of(part.first), signed_of(part.columns));
    Eigen::MatrixXd out = y * x.transpose();
    if (part.form == Form::power) {
      const Eigen::MatrixXd base = ((part.gamma * out).array() + part.coef0).matrix();
      out = base;
      for (std::uint32_t d = 1; d < part.degree; ++d) out = out.cwiseProduct(base);
    } else if (part.form == Form::decay) {
      const Eigen::VectorXd own = y.rowwise().squaredNorm();
      for (Eigen::Index i = 0; i < out.cols(); ++i) {
        const double norm = x.row(i).squaredNorm();
        for (Eigen::Index j = 0; j < out.rows(); ++j)
          out(j, i) = std::exp(-part.gamma * std::max(0.0, (norm + own(j)) - 2 * out(j, i)));
      }
    }
    return out;
  }

  Eigen::MatrixXd equal(const KernelPart& part, Eigen::Index rows, std::size_t begin) const {
    Eigen::MatrixXd out(signed_of(numbers_.size), rows);
    for (Eigen::Index i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < numbers_.size; ++j)
        out(signed_of(j), i) = codes_[(begin + static_cast<std::size_t>(i)) * numbers_.codes + part.first] ==
                                       numbers_.row_codes[j * numbers_.codes + part.first]
                                   ? 1.0
                                   : 0.0;
    return out;
  }

  KernelNumbers numbers_;
  std::size_t threads_;
  RowsOfHost right_;
  std::vector<float> rows_;  // of a part
  std::vector<std::uint32_t> codes_;
};

}  // namespace

std::unique_ptr<KernelDevice> make_host_kernel(KernelNumbers numbers, const DeviceLimits& limits) {
  return std::make_unique<HostKernel>(std::move(numbers), limits.threads);
}

}  // namespace dorm
