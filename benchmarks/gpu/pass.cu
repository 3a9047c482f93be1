// SPDX-License-Identifier: Apache-2.0
// What a visit of all lists costs on a card, over the time of reading the rows once (half of a copy on the card), and
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
#include <string>
#include <vector>

#include "base/device/host_lists.h"
#include "base/device/list_device.h"
#include "base/parallel.h"
#include "base/rng.h"

namespace dorm {
namespace {

struct Shape {
  std::size_t lists = 31000, documents = 120, features = 136, cutoff = 10, groups = 256, repeats = 50;
};

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

DeviceLists make_lists(const Shape& shape) {
  DeviceLists lists;
  lists.features = shape.features;
  Rng rng(1);
  const std::size_t table = std::min(shape.cutoff, shape.documents);
  for (std::size_t j = 0; j <= table; ++j) {
    const double weight = j < shape.cutoff && j < shape.documents ? 1 / std::log2(static_cast<double>(j) + 2) : 0;
    lists.c.push_back(weight);
    lists.a.push_back(weight);
  }
  for (std::size_t q = 0; q < shape.lists; ++q) {
    lists.list_begin.push_back(lists.list_begin.back() + shape.documents);
    for (std::size_t i = 0; i < shape.documents; ++i) {
      const double u = rng.uniform();
      lists.gain.push_back(std::exp2(std::floor(5 * u * u * u)) - 1);
    }
    lists.ideal.push_back(1);
    lists.kappa.push_back(1);
    lists.table.push_back(0);
    lists.cutoff.push_back(static_cast<std::uint32_t>(table));
  }
  for (std::size_t group = 0; group < shape.groups; ++group) {
    const std::size_t first = shape.lists * group / shape.groups, last = shape.lists * (group + 1) / shape.groups;
    for (std::size_t q = first, documents = 0; q < last; ++q) {
      lists.share.push_back(1.0 / static_cast<double>(last - first));
      documents += shape.documents;
      if (documents >= 1024 || q + 1 == last) {
        lists.piece_begin.push_back(static_cast<std::uint32_t>(q + 1));
        documents = 0;
      }
    }
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

int run(const Shape& shape) {
  const DeviceLists lists = make_lists(shape);
  const std::size_t stride = lists.stride();
  std::vector<float> rows(lists.num_documents() * stride, 0.0F);
  parallel_for(shape.lists, 0, [&](std::size_t q, std::size_t) {
    Rng rng(q + 7);
    for (std::size_t i = lists.list_begin[q]; i < lists.list_begin[q + 1]; ++i)
      for (std::size_t j = 0; j < shape.features; ++j) rows[i * stride + j] = static_cast<float>(rng.uniform() - 0.5);
  });
  const FillRows fill = [&](std::size_t first, std::size_t last, float* out) {
    const std::size_t from = lists.list_begin[first] * stride, count = lists.list_begin[last] * stride - from;
    parallel_for(64, 0, [&](std::size_t k, std::size_t) {
      std::copy(&rows[from + count * k / 64], rows.data() + from + count * (k + 1) / 64, out + count * k / 64);
    });
    return true;
  };
  std::vector<double> reference(lists.num_documents(), 0.0), w(shape.features);
  for (std::size_t q = 0; q < shape.lists; ++q)
    for (std::size_t j = 0; j < std::min(shape.cutoff, shape.documents); ++j)
      reference[lists.list_begin[q] + (j * 7) % shape.documents] = lists.c[j];
  Rng rng(3);
  for (double& x : w) x = rng.normal();

  cudaFree(nullptr);
  double start = now();
  const auto card = make_list_device("cuda", lists, fill, {0, 0});
  const double transfer = now() - start;
  require_no_trouble(card->set_reference(reference));
  GroupSums first, again;
  require_no_trouble(card->linearize(w, first));
  const double pass = milliseconds(shape.repeats, [&] { require_no_trouble(card->linearize(w, again)); });
  std::vector<double> scores(lists.num_documents());
  const double scoring = milliseconds(3, [&] { require_no_trouble(card->scores(w, scores)); });
  const double bound = copy_milliseconds(rows.size() * sizeof(float), shape.repeats);
  std::printf(
      "%zu x %zu x %zu, cutoff %zu, %zu groups, %zu pieces: transfer %.1f ms, pass %.3f ms, bound %.3f ms, "
      "ratio %.2f, scores to host %.1f ms\n",
      shape.lists, shape.documents, shape.features, shape.cutoff, shape.groups, lists.num_pieces(), 1e3 * transfer,
      pass, bound, pass / bound, scoring);
  std::printf("repeats equal: %s\n", first.direction == again.direction && first.value == again.value ? "yes" : "NO");
  std::string trouble;
  const auto host = make_host_lists(lists, fill, {0, 0}, trouble);
  require_no_trouble(host->set_reference(reference));
  GroupSums here;
  require_no_trouble(host->linearize(w, here));
  const double direction = largest_difference(first.direction, here.direction);
  const double value = largest_difference(first.value, here.value);
  std::printf("against the host: direction %.2g, value %.2g\n", direction, value);
  return direction < 1e-9 && value < 1e-9 ? 0 : 1;
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
