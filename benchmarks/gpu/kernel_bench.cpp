// SPDX-License-Identifier: Apache-2.0
// Kernels and scores on a device beside those of the CPU: seconds, transfers and set-up included, the fastest of some
// runs, and the largest difference, relative to the largest number.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "base/rng.h"
#include "base/stopwatch.h"
#include "dorm/error.h"
#include "dorm/model.h"
#include "dorm/synth.h"
#include "model/kernel/feature_map.h"
#include "model/kernel/gram_cache.h"
#include "model/kernel/pick.h"

namespace dorm {
namespace {

constexpr std::size_t kRuns = 3;

struct Timed {
  double seconds = 0;
  std::vector<double> numbers;
};

/// make() gives what is compared, after the clock has stopped: a function that returns numbers.
template <class Make>
Timed fastest(const Make& make) {
  Timed out{INFINITY, {}};
  for (std::size_t run = 0; run < kRuns; ++run) {
    const Stopwatch watch;
    const auto numbers = make();
    out.seconds = std::min(out.seconds, watch.seconds());
    if (run == 0) out.numbers = numbers();
  }
  return out;
}

template <class Make>
void line(const std::string& name, const ComputeOptions& here, const ComputeOptions& there, const Make& make) {
  const Timed cpu = fastest([&] { return make(here); }), device = fastest([&] { return make(there); });
  double largest = 0, difference = 0;
  for (std::size_t k = 0; k < cpu.numbers.size(); ++k) {
    largest = std::max(largest, std::abs(cpu.numbers[k]));
    difference = std::max(difference, std::abs(cpu.numbers[k] - device.numbers[k]));
  }
  fmt::print("{:<42} {:>9.3f} {:>9.3f} {:>7.1f} {:>10.1e}\n", name, cpu.seconds, device.seconds,
             cpu.seconds / device.seconds, difference / largest);
  std::fflush(stdout);
}

/// Every so many-th row of features.
std::vector<double> some_features(const Dataset& data) {
  const Documents documents(data);
  std::vector<double> out;
  std::vector<float> row(data.num_features());
  for (std::size_t i = 0; i < documents.size(); i += std::max<std::size_t>(1, documents.size() / 500)) {
    documents.load(i, row);
    out.insert(out.end(), row.begin(), row.end());
  }
  return out;
}

void features_line(const char* approximation, std::size_t size, const Kernel& kernel, const Documents& documents,
                   const ComputeOptions& here, const ComputeOptions& there) {
  const std::string name = fmt::format("{}:{}", approximation, size);
  const std::string text = name + (std::string_view(approximation) == "nystroem" ? ",landmarks=uniform" : "");
  const auto map = fit_feature_map(parse_approximation(text), kernel, documents, 1, here.threads);
  line(fmt::format("{}, {} documents", name, documents.size()), here, there, [&](const ComputeOptions& place) {
    const Dataset made = apply_feature_map(*map, documents, place);
    return [made] { return some_features(made); };
  });
}

void gram_line(const Kernel& kernel, const Dataset& data, std::size_t count, const ComputeOptions& here,
               const ComputeOptions& there) {
  std::vector<std::size_t> queries;
  for (std::size_t q = 0; q < data.num_queries() && data.first_document(q + 1) <= count; ++q) queries.push_back(q);
  const Documents documents(data.select(queries));
  line(fmt::format("Gram matrix of {} documents", documents.size()), here, there, [&](const ComputeOptions& place) {
    const GramCache gram(columns_at(place, kernel, documents), documents, 0, place.threads);
    std::vector<double> some;
    gram.each_row([&](std::size_t i, const float* row) {
      if (i % 100 == 0) some.insert(some.end(), row, row + gram.columns());
    });
    return [some] { return some; };
  });
}

void run(const std::string& device, std::size_t threads, std::size_t documents, std::size_t columns, std::size_t size,
         std::size_t gram) {
  const Dataset data = synthesize({.queries = std::max<std::size_t>(1, documents / 100),
                                   .features = columns,
                                   .documents_median = 100,
                                   .documents_spread = 0,
                                   .seed = 7,
                                   .threads = threads});
  Model linear;
  linear.scaling = fit_scaling(ScalingKind::zscore, data, threads);
  Rng rng(3);
  for (std::size_t j = 0; j < data.num_features(); ++j) {
    linear.features.push_back(data.feature_name(j));
    linear.weights.push_back(rng.normal());
  }
  const ComputeOptions here{.threads = threads}, there{.threads = threads, .device = device};
  const Stopwatch watch;
  const Dataset first = data.select(std::vector<std::size_t>{0});
  score(linear, first, there);
  const double woken = watch.seconds();
  const Documents scaled(apply_scaling(linear.scaling, data, threads));
  const auto kernel = make_kernel(fmt::format("rbf:gamma={}", 0.5 / static_cast<double>(columns)), scaled);
  std::vector<std::uint32_t> support(std::min(size, scaled.size()));
  for (std::size_t j = 0; j < support.size(); ++j)
    support[j] = static_cast<std::uint32_t>(j * (scaled.size() / support.size()));
  KernelExpansion expansion;
  expansion.kernel = kernel->spec();
  expansion.support = pick_documents(scaled, support, *kernel);
  for (std::size_t j = 0; j < support.size(); ++j) expansion.coefficients.push_back(rng.normal());
  score_expansion(expansion, first, there);
  fmt::print("{} documents x {} columns; {} beside {} threads; first calls {:.2f} and {:.2f} s\n", scaled.size(),
             columns, device, threads, woken, watch.seconds() - woken);
  fmt::print("{:<42} {:>9} {:>9} {:>7} {:>10}\n", "seconds", "cpu", device, "ratio", "difference");
  features_line("nystroem", size, *kernel, scaled, here, there);
  features_line("fourier", size, *kernel, scaled, here, there);
  gram_line(*kernel, scaled.data(), gram, here, there);
  const auto scores_of = [](std::vector<double> scores) { return [scores] { return scores; }; };
  line(fmt::format("scores by {} documents", support.size()), here, there,
       [&](const ComputeOptions& place) { return scores_of(score_expansion(expansion, scaled.data(), place)); });
  line("scores of a linear model", here, there,
       [&](const ComputeOptions& place) { return scores_of(score(linear, data, place)); });
}

}  // namespace
}  // namespace dorm

int main(int argc, char** argv) try {
  if (argc < 3) {
    fmt::print(stderr, "usage: gpu_kernel_bench DEVICE THREADS [DOCUMENTS [COLUMNS [SIZE [GRAM_DOCUMENTS]]]]\n");
    return 2;
  }
  const auto number = [&](int index, std::size_t otherwise) {
    return argc > index ? std::strtoull(argv[index], nullptr, 10) : otherwise;
  };
  dorm::run(argv[1], number(2, 1), number(3, 200000), number(4, 136), number(5, 1000), number(6, 20000));
} catch (const dorm::Error& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
