// SPDX-License-Identifier: Apache-2.0
// Kernel values on a device against their formulas, entry by entry, in double precision. On the device `host`, and on
// the one that DORM_TEST_DEVICE names (make test-gpu).
#include "device/kernel_device.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "base/rng.h"
#include "support/message_of.h"
#include "support/tested_device.h"

namespace dorm {
namespace {

using test::tested_device;
using Form = KernelPart::Form;

constexpr std::size_t kRowColumns = 5, kRowCodes = 2;

/// Documents of kRowColumns numbers and kRowCodes codes.
struct SomeDocuments {
  std::size_t size;
  std::vector<float> rows;
  std::vector<std::uint32_t> codes;

  SomeDocuments(std::size_t count, std::uint64_t seed) : size(count) {
    Rng rng(seed);
    for (std::size_t k = 0; k < count * kRowColumns; ++k) rows.push_back(static_cast<float>(rng.normal()));
    for (std::size_t k = 0; k < count * kRowCodes; ++k) codes.push_back(static_cast<std::uint32_t>(rng.below(3)));
  }

  FillDocuments filler() const {
    return [this](std::size_t first, std::size_t last, float* to, std::uint32_t* to_codes) {
      std::copy_n(rows.data() + first * kRowColumns, (last - first) * kRowColumns, to);
      std::copy_n(codes.data() + first * kRowCodes, (last - first) * kRowCodes, to_codes);
      return true;
    };
  }
};

KernelNumbers numbers_of(const SomeDocuments& right, std::vector<KernelTerm> terms, std::size_t height = 8) {
  KernelNumbers numbers;
  numbers.columns = kRowColumns;
  numbers.codes = kRowCodes;
  numbers.size = right.size;
  numbers.rows = right.rows;
  numbers.row_codes = right.codes;
  numbers.terms = std::move(terms);
  numbers.height = height;
  return numbers;
}

std::vector<float> values_of(KernelDevice& device, const SomeDocuments& left, std::size_t width) {
  std::vector<float> out(left.size * width);
  EXPECT_EQ(device.values(left.size, left.filler(),
                          [&](std::size_t first, std::size_t last, const float* values) {
                            std::copy_n(values, (last - first) * width, out.data() + first * width);
                          }),
            "");
  return out;
}

double part_by_hand(const KernelPart& part, const SomeDocuments& left, std::size_t i, const SomeDocuments& right,
                    std::size_t j) {
  if (part.form == Form::equal)
    return left.codes[i * kRowCodes + part.first] == right.codes[j * kRowCodes + part.first] ? 1 : 0;
  double product = 0, square = 0;
  for (std::size_t k = part.first; k < part.first + part.columns; ++k) {
    const double x = left.rows[i * kRowColumns + k], y = right.rows[j * kRowColumns + k];
    product += x * y;
    square += (x - y) * (x - y);
  }
  if (part.form == Form::decay) return std::exp(-part.gamma * square);
  return part.form == Form::power ? std::pow(part.gamma * product + part.coef0, part.degree) : product;
}

double by_hand(const std::vector<KernelTerm>& terms, const SomeDocuments& left, std::size_t i,
               const SomeDocuments& right, std::size_t j) {
  double sum = 0;
  for (const KernelTerm& term : terms) {
    double product = term.weight;
    for (const KernelPart& part : term.parts) product *= part_by_hand(part, left, i, right, j);
    sum += product;
  }
  return sum;
}

std::vector<std::vector<KernelTerm>> tested_kernels() {
  const KernelPart product{Form::product, 1, 3}, power{Form::power, 0, 5, 0.3, 1.5, 3}, decay{Form::decay, 2, 3, 0.7},
      narrow{Form::decay, 0, 2, 0.2}, first_code{Form::equal, 0, 0}, second_code{Form::equal, 1, 0};
  return {{{1, {product}}},
          {{2.5, {power}}},
          {{1, {decay}}},
          {{0.5, {second_code}}},
          {{0.5, {product, decay}}},
          {{1, {decay}}, {3, {narrow}}},
          {{0.5, {product, decay, first_code}}, {2, {power, second_code}}, {1.5, {narrow}}}};
}

TEST(DeviceValues, EveryFormSumsAndProducts) {
  for (const std::size_t height : {8, 64}) {
    const SomeDocuments right(37, 1), left(29, 2);
    for (const std::vector<KernelTerm>& terms : tested_kernels()) {
      const auto device = make_kernel_device(tested_device(), numbers_of(right, terms, height), {0, 2});
      const std::vector<float> values = values_of(*device, left, right.size);
      for (std::size_t i = 0; i < left.size; ++i)
        for (std::size_t j = 0; j < right.size; ++j) {
          const double truth = by_hand(terms, left, i, right, j);
          EXPECT_NEAR(values[i * right.size + j], truth, 1e-7 * std::abs(truth) + 1e-12);
        }
    }
  }
}

TEST(DeviceValues, ScoresAreSumsOfValues) {
  const SomeDocuments right(300, 3), left(21, 4);
  Rng rng(5);
  for (const std::vector<KernelTerm>& terms : tested_kernels()) {
    KernelNumbers numbers = numbers_of(right, terms);
    for (std::size_t j = 0; j < right.size; ++j) numbers.coefficients.push_back(rng.normal());
    const std::vector<double> coefficients = numbers.coefficients;
    const auto device = make_kernel_device(tested_device(), std::move(numbers), {0, 2});
    std::vector<double> scores(left.size);
    EXPECT_EQ(device->scores(left.size, left.filler(), scores), "");
    for (std::size_t i = 0; i < left.size; ++i) {
      double truth = 0, size = 0;
      for (std::size_t j = 0; j < right.size; ++j) {
        const double value = coefficients[j] * by_hand(terms, left, i, right, j);
        truth += value;
        size += std::abs(value);
      }
      EXPECT_NEAR(scores[i], truth, 1e-13 * size);
    }
  }
}

// L z = v for a triangle of which every entry is known.
TEST(DeviceValues, ATriangleIsSolved) {
  const SomeDocuments right(20, 6), left(11, 7);
  const std::vector<KernelTerm> terms = {{1, {{Form::decay, 0, kRowColumns, 0.1}}}};
  KernelNumbers numbers = numbers_of(right, terms);
  const std::size_t size = right.size;
  numbers.triangle.assign(size * size, 0.0);
  for (std::size_t j = 0; j < size; ++j)
    for (std::size_t i = j; i < size; ++i)
      numbers.triangle[j * size + i] = i == j ? 2.0 : 1.0 / static_cast<double>(1 + i + j);
  const std::vector<double> triangle = numbers.triangle;
  const auto device = make_kernel_device(tested_device(), std::move(numbers), {0, 1});
  const std::vector<float> features = values_of(*device, left, size);
  for (std::size_t i = 0; i < left.size; ++i)
    for (std::size_t r = 0; r < size; ++r) {
      double sum = 0;
      for (std::size_t c = 0; c <= r; ++c) sum += triangle[c * size + r] * static_cast<double>(features[i * size + c]);
      EXPECT_NEAR(sum, by_hand(terms, left, i, right, r), 3e-7);
    }
}

TEST(DeviceValues, WavesAndTheirScores) {
  const SomeDocuments right(40, 8), left(13, 9);
  KernelNumbers numbers = numbers_of(right, {});
  numbers.codes = 0;
  numbers.row_codes.clear();
  numbers.wave_factor = 0.25;
  Rng rng(10);
  for (std::size_t j = 0; j < 2 * right.size; ++j) numbers.coefficients.push_back(rng.normal());
  const std::vector<double> coefficients = numbers.coefficients;
  const auto device = make_kernel_device(tested_device(), std::move(numbers), {0, 2});
  const FillDocuments fill = [&](std::size_t first, std::size_t last, float* rows, std::uint32_t*) {
    std::copy_n(left.rows.data() + first * kRowColumns, (last - first) * kRowColumns, rows);
    return true;
  };
  std::vector<double> scores(left.size);
  EXPECT_EQ(device->scores(left.size, fill, scores), "");
  const auto take = [&](std::size_t first, std::size_t last, const float* values) {
    for (std::size_t i = first; i < last; ++i) {
      double score = 0;
      for (std::size_t j = 0; j < right.size; ++j) {
        double angle = 0;
        for (std::size_t k = 0; k < kRowColumns; ++k)
          angle += static_cast<double>(left.rows[i * kRowColumns + k]) *
                   static_cast<double>(right.rows[j * kRowColumns + k]);
        const float* const pair = values + ((i - first) * right.size + j) * 2;
        EXPECT_NEAR(pair[0], 0.25 * std::cos(angle), 1e-7);
        EXPECT_NEAR(pair[1], 0.25 * std::sin(angle), 1e-7);
        score += 0.25 * (coefficients[2 * j] * std::cos(angle) + coefficients[2 * j + 1] * std::sin(angle));
      }
      EXPECT_NEAR(scores[i], score, 1e-12);
    }
  };
  EXPECT_EQ(device->values(left.size, fill, take), "");
}

// Whatever the part of the documents that a row is in, and from one device to the next.
TEST(DeviceValues, TheSameBitsAgain) {
  const SomeDocuments right(50, 11), left(50, 12);
  for (const std::vector<KernelTerm>& terms : tested_kernels()) {
    const auto device = make_kernel_device(tested_device(), numbers_of(right, terms), {0, 2});
    const std::vector<float> once = values_of(*device, left, right.size);
    EXPECT_EQ(values_of(*device, left, right.size), once);
    EXPECT_EQ(values_of(*make_kernel_device(tested_device(), numbers_of(right, terms), {0, 1}), left, right.size),
              once);
  }
}

TEST(DeviceValues, RowsThatCannotBeRead) {
  const SomeDocuments right(5, 13);
  const auto device = make_kernel_device(tested_device(), numbers_of(right, tested_kernels()[0]), {0, 1});
  std::vector<double> scores(3);
  const FillDocuments fails = [](std::size_t, std::size_t, float*, std::uint32_t*) { return false; };
  EXPECT_EQ(device->scores(3, fails, scores), "the rows of the documents could not be read");
}

// So wide that a part comes back in pieces; more parts than are under way at a time.
TEST(DeviceValues, WideRowsAreTakenInOrder) {
  const SomeDocuments right(9000, 17), left(300, 18);
  const std::vector<KernelTerm> terms = {{1, {{Form::product, 1, 3}}}};
  const auto device = make_kernel_device(tested_device(), numbers_of(right, terms, 64), {0, 2});
  std::size_t taken = 0;
  const auto take = [&](std::size_t first, std::size_t last, const float* values) {
    EXPECT_EQ(first, taken);
    taken = last;
    for (std::size_t i = first; i < last; ++i)
      for (std::size_t j = 0; j < right.size; j += 97) {
        const double truth = by_hand(terms, left, i, right, j);
        ASSERT_NEAR(values[(i - first) * right.size + j], truth, 1e-7 * std::abs(truth) + 1e-6);
      }
  };
  EXPECT_EQ(device->values(left.size, left.filler(), take), "");
  EXPECT_EQ(taken, left.size);
}

// What was under way when a call failed is not mistaken for what the next one asks for.
TEST(DeviceValues, ACallAfterOneThatFailed) {
  const SomeDocuments right(30, 19), left(40, 20);
  const auto terms = tested_kernels().back();
  const auto device = make_kernel_device(tested_device(), numbers_of(right, terms), {0, 2});
  const std::vector<float> truth = values_of(*device, left, right.size);
  for (const std::size_t failing : {8, 16, 24, 32}) {
    const FillDocuments fills = [&](std::size_t first, std::size_t last, float* rows, std::uint32_t* codes) {
      return first < failing && left.filler()(first, last, rows, codes);
    };
    EXPECT_EQ(device->values(left.size, fills, [](std::size_t, std::size_t, const float*) {}),
              "the rows of the documents could not be read");
    EXPECT_EQ(values_of(*device, left, right.size), truth);
  }
}

TEST(DeviceValues, WithoutRightHandDocumentsScoresAreZero) {
  const SomeDocuments right(0, 15), left(3, 16);
  for (const std::vector<KernelTerm>& terms : tested_kernels()) {
    const auto device = make_kernel_device(tested_device(), numbers_of(right, terms), {0, 1});
    std::vector<double> scores(left.size, 1.0);
    EXPECT_EQ(device->scores(left.size, left.filler(), scores), "");
    EXPECT_EQ(scores, std::vector<double>(left.size, 0.0));
  }
}

TEST(DeviceValues, NamesOfDevices) {
  const SomeDocuments right(5, 14);
  const auto made = [&](const char* name) {
    return test::message_of(
        [&] {
          make_kernel_device(name, numbers_of(right, tested_kernels()[0]), {0, 1});
        },
        ErrorCode::bad_option);
  };
  EXPECT_EQ(made("gpu"), "device \"gpu\"; expected cpu, cuda or cuda:N (N: 0, 1 ...)");
  EXPECT_EQ(made("cpu"), "the device cpu holds no documents; expected host or cuda");
}

}  // namespace
}  // namespace dorm
