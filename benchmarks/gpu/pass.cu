// SPDX-License-Identifier: Apache-2.0
// What a visit of all lists costs on a GPU, over the time of reading the rows once (half of a copy on the GPU), and
// what it gives against the same numbers on the host.
//
//   gpu_pass [--lists 31000] [--documents 120] [--features 136] [--cutoff 10] [--groups 256] [--repeats 50]
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "base/parallel.h"
#include "base/rng.h"
#include "device/host_rows.h"
#include "device/list_device.h"

namespace dorm {
namespace {

struct Shape {
  std::size_t lists = 31000, documents = 120, features = 136, cutoff = 10, groups = 256, repeats = 50;
};

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

DeviceDocuments make_documents(const Shape& shape) {
  DeviceDocuments documents;
  documents.features = shape.features;
  documents.scaling.kind = RowScaling::Kind::log_standard;
  for (std::size_t q = 1; q <= shape.lists; ++q) documents.query_begin.push_back(q * shape.documents);
  for (std::size_t part = 0; part <= 16; ++part) documents.part_begin.push_back(shape.lists * part / 16);
  return documents;
}

DeviceLists make_lists(const Shape& shape) {
  DeviceLists lists;
  const std::size_t table = std::min(shape.cutoff, shape.documents);
  for (std::size_t j = 0; j <= table; ++j) {
    const double weight = j < shape.cutoff && j < shape.documents ? 1 / std::log2(static_cast<double>(j) + 2) : 0;
    lists.c.push_back(weight);
    lists.a.push_back(weight);
  }
  for (std::size_t q = 0; q < shape.lists; ++q) {
    lists.query.push_back(static_cast<std::uint32_t>(q));
    lists.ideal.push_back(1);
    lists.kappa.push_back(1);
    lists.table.push_back(0);
    lists.cutoff.push_back(static_cast<std::uint32_t>(table));
  }
  lists.gains = [documents = shape.documents](std::size_t first, std::size_t last, double* out) {
    for (std::size_t i = first * documents; i < last * documents; ++i) {
      const double u = Rng(i).uniform();
      *out++ = std::exp2(std::floor(5 * u * u * u)) - 1;
    }
  };
  const std::size_t in_piece = std::max<std::size_t>(1, kDocumentsOfPiece / shape.documents);
  for (std::size_t group = 0; group < shape.groups; ++group) {
    const std::size_t first = shape.lists * group / shape.groups, last = shape.lists * (group + 1) / shape.groups;
    for (std::size_t q = first; q < last; ++q) lists.share.push_back(1.0 / static_cast<double>(last - first));
    for (std::size_t q = first; q < last; q += in_piece)
      lists.piece_begin.push_back(static_cast<std::uint32_t>(std::min(q + in_piece, last)));
    lists.group_begin.push_back(static_cast<std::uint32_t>(lists.num_pieces()));
  }
  return lists;
}

/// The fastest of some runs, in milliseconds.
template <class Body>
double milliseconds(std::size_t repeats, const Body& body) {
  std::vector<double> times;
  for (std::size_t k = 0; k < repeats + 3; ++k) {
    const double start = now();
    body();
    if (k >= 3) times.push_back(now() - start);
  }
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
  return 1e3 * times[times.size() / 2];
}

double copy_milliseconds(std::size_t bytes, std::size_t repeats) {
  void *from = nullptr, *to = nullptr;
  if (cudaMalloc(&from, bytes) != cudaSuccess || cudaMalloc(&to, bytes) != cudaSuccess) return NAN;
  cudaMemset(from, 1, bytes);
  const double time = milliseconds(repeats, [&] {
    cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice);
    cudaDeviceSynchronize();
  });
  cudaFree(from);
  cudaFree(to);
  return time / 2;  // half of it reads
}

double largest_difference(const std::vector<double>& x, const std::vector<double>& y) {
  double largest = 0, scale = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    largest = std::max(largest, std::abs(x[i] - y[i]));
    scale = std::max(scale, std::abs(y[i]));
  }
  return largest / scale;
}

/// Rows that are scaled already: what the host holds is what the GPU is sent.
RowSource source_of(const DeviceDocuments& documents, const std::vector<float>& rows) {
  const std::size_t stride = documents.stride();
  RowSource source;
  source.fill = [&documents, &rows, stride](std::size_t first, std::size_t last, bool, float* out) {
    std::copy(rows.data() + documents.query_begin[first] * stride, rows.data() + documents.query_begin[last] * stride,
              out);
    return true;
  };
  source.run = [](std::size_t count, const std::function<void(std::size_t, std::size_t)>& body) {
    parallel_for(count, 0, body);
  };
  source.workers = thread_count(0);
  return source;
}

int run(const Shape& shape) {
  DeviceDocuments documents = make_documents(shape);
  const DeviceLists lists = make_lists(shape);
  const std::size_t stride = documents.stride();
  std::vector<float> rows(documents.num_documents() * stride, 0.0F);
  parallel_for(shape.lists, 0, [&](std::size_t q, std::size_t) {
    Rng rng(q + 7);
    for (std::size_t i = documents.query_begin[q]; i < documents.query_begin[q + 1]; ++i)
      for (std::size_t j = 0; j < shape.features; ++j) rows[i * stride + j] = static_cast<float>(rng.uniform() - 0.5);
  });
  std::vector<double> reference(documents.num_documents(), 0.0), w(shape.features);
  for (std::size_t q = 0; q < shape.lists; ++q)
    for (std::size_t j = 0; j < std::min(shape.cutoff, shape.documents); ++j)
      reference[documents.query_begin[q] + (j * 7) % shape.documents] = lists.c[j];
  Rng rng(3);
  for (double& x : w) x = rng.normal();

  { const WakingDevice awake("cuda"); }
  std::string trouble;
  for (int again = 0; again < 2; ++again) {
    const double start = now();
    const auto scaled = make_row_device("cuda", documents, source_of(documents, rows), {});
    std::printf("rows to the GPU, scaled there: %.1f ms", 1e3 * (now() - start));
    double squares = 0;
    const double before = now();
    require_no_trouble(scaled->centred_squares(squares));
    std::printf(", their spread %.1f ms\n", 1e3 * (now() - before));
  }
  documents.scaling = {};
  const double start = now();
  const auto gpu = make_row_device("cuda", documents, source_of(documents, rows), {});
  const double transfer = now() - start;
  const auto there = gpu->make_lists(lists, trouble);
  require_no_trouble(trouble);
  require_no_trouble(there->set_reference(reference));
  GroupSums first, again;
  require_no_trouble(there->linearize(w, first));
  const double pass = milliseconds(shape.repeats, [&] { require_no_trouble(there->linearize(w, again)); });
  std::vector<double> scores(documents.num_documents());
  const double scoring = milliseconds(3, [&] { require_no_trouble(gpu->scores(w, scores)); });
  const double bound = copy_milliseconds(rows.size() * sizeof(float), shape.repeats);
  std::printf(
      "%zu x %zu x %zu, cutoff %zu, %zu groups, %zu pieces: transfer %.1f ms, pass %.3f ms, bound %.3f ms, "
      "ratio %.2f, scores to host %.1f ms\n",
      shape.lists, shape.documents, shape.features, shape.cutoff, shape.groups, lists.num_pieces(), 1e3 * transfer,
      pass, bound, pass / bound, scoring);
  std::printf("repeats equal: %s\n", first.direction == again.direction && first.value == again.value ? "yes" : "NO");
  const auto host = make_host_rows(documents, source_of(documents, rows), trouble);
  const auto here = host->make_lists(lists, trouble);
  require_no_trouble(here->set_reference(reference));
  GroupSums expected;
  require_no_trouble(here->linearize(w, expected));
  const double direction = largest_difference(first.direction, expected.direction);
  const double value = largest_difference(first.value, expected.value);
  std::printf("against the host: direction %.2g, value %.2g\n", direction, value);
  std::size_t changed = 0, changed_here = 0;
  const double referring = milliseconds(3, [&] { require_no_trouble(there->refer(ReferenceOrder::gain, w, changed)); });
  require_no_trouble(there->set_reference(reference));
  require_no_trouble(there->refer(ReferenceOrder::gain, w, changed));
  require_no_trouble(here->refer(ReferenceOrder::gain, w, changed_here));
  std::printf("references %.2f ms; %zu changed, on the host %zu\n", referring, changed, changed_here);
  return direction < 1e-9 && value < 1e-9 && changed == changed_here ? 0 : 1;
}

}  // namespace
}  // namespace dorm

int main(int count, char** words) {
  dorm::Shape shape;
  for (int k = 1; k + 1 < count; k += 2) {
    const std::size_t value = std::strtoull(words[k + 1], nullptr, 10);
    if (!std::strcmp(words[k], "--lists")) shape.lists = value;
    if (!std::strcmp(words[k], "--documents")) shape.documents = value;
    if (!std::strcmp(words[k], "--features")) shape.features = value;
    if (!std::strcmp(words[k], "--cutoff")) shape.cutoff = value;
    if (!std::strcmp(words[k], "--groups")) shape.groups = value;
    if (!std::strcmp(words[k], "--repeats")) shape.repeats = value;
  }
  return dorm::run(shape);
}
