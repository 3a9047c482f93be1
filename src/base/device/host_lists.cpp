// SPDX-License-Identifier: Apache-2.0
#include "base/device/host_lists.h"

#include <algorithm>
#include <numeric>

#include "base/device/cuda_module.h"
#include "base/parallel.h"
#include "base/vector_ops.h"

namespace dorm {
namespace {

class HostLists final : public ListDevice {
 public:
  HostLists(DeviceLists lists, std::size_t threads)
      : lists_(std::move(lists)),
        threads_(threads),
        rows_(lists_.num_documents() * lists_.stride()),
        reference_(lists_.num_documents(), 0.0) {}

  bool fill(const FillRows& fill) { return fill(0, lists_.num_lists(), rows_.data()); }

  DeviceReport report() const override { return {"host", rows_.size() * sizeof(float), lists_.num_lists()}; }

  Trouble set_reference(std::span<const double> reference) override {
    reference_.assign(reference.begin(), reference.end());
    return {};
  }

  Trouble scores(std::span<const double> w, std::span<double> out) override {
    parallel_for(lists_.num_pieces(), threads_, [&](std::size_t piece, std::size_t) {
      const auto [first, last] = documents_of(piece);
      for (std::size_t i = first; i < last; ++i) out[i] = score(i, w);
    });
    return {};
  }

  Trouble pull_back(std::span<const double> coefficients, GroupSums& out) override {
    sum_pieces(out, [&](std::size_t piece, double* sums) {
      const auto [first, last] = documents_of(piece);
      for (std::size_t i = first; i < last; ++i)
        if (coefficients[i] != 0) axpy(coefficients[i], row(i), std::span(sums, lists_.features));
    });
    return {};
  }

  Trouble linearize(std::span<const double> w, GroupSums& out) override {
    sum_pieces(out, [&](std::size_t piece, double* sums) {
      Scratch scratch;
      for (std::size_t q = lists_.piece_begin[piece]; q < lists_.piece_begin[piece + 1]; ++q)
        add_list(q, w, sums, scratch);
    });
    return {};
  }

 private:
  struct Scratch {
    std::vector<double> scores, keys;
    std::vector<std::size_t> order;
  };

  std::pair<std::size_t, std::size_t> documents_of(std::size_t piece) const {
    return {lists_.list_begin[lists_.piece_begin[piece]], lists_.list_begin[lists_.piece_begin[piece + 1]]};
  }
  std::span<const float> row(std::size_t i) const { return {&rows_[i * lists_.stride()], lists_.features}; }
  double score(std::size_t i, std::span<const double> w) const { return dot(row(i), w); }

  // The most violated ranking sorts by g - kappa b: its coefficients against z0, pulled back.
  void add_list(std::size_t q, std::span<const double> w, double* sums, Scratch& scratch) const {
    const std::size_t first = lists_.list_begin[q], size = lists_.list_begin[q + 1] - first;
    scratch.scores.resize(size);
    scratch.keys.resize(size);
    scratch.order.resize(size);
    std::iota(scratch.order.begin(), scratch.order.end(), std::size_t{0});
    for (std::size_t i = 0; i < size; ++i) {
      scratch.scores[i] = score(first + i, w);
      scratch.keys[i] = scratch.scores[i] - lists_.kappa[q] * lists_.gain[first + i];
    }
    const std::vector<double>& keys = scratch.keys;
    std::stable_sort(scratch.order.begin(), scratch.order.end(),
                     [&](std::size_t i, std::size_t j) { return keys[i] > keys[j]; });
    const double share = lists_.share[q];
    double loss = lists_.ideal[q], value = 0;
    for (std::size_t j = 0; j < size; ++j) {
      const std::size_t i = scratch.order[j], at = lists_.table[q] + std::min<std::size_t>(j, lists_.cutoff[q]);
      const double delta = reference_[first + i] - lists_.c[at];
      loss -= lists_.a[at] * lists_.gain[first + i];
      value -= delta * scratch.scores[i];
      if (delta != 0) axpy(share * delta, row(first + i), std::span(sums, lists_.features));
    }
    sums[lists_.features] += share * (loss + value);
    sums[lists_.features + 1] += share * loss;
  }

  /// body(piece, sums): `features` of the direction, then value and loss; pieces are added in order.
  template <class Body>
  void sum_pieces(GroupSums& out, const Body& body) const {
    const std::size_t size = lists_.features + 2;
    std::vector<double> sums(lists_.num_pieces() * size, 0.0);
    parallel_for(lists_.num_pieces(), threads_,
                 [&](std::size_t piece, std::size_t) { body(piece, &sums[piece * size]); });
    out.value.assign(lists_.num_groups(), 0.0);
    out.loss.assign(lists_.num_groups(), 0.0);
    out.direction.assign(lists_.num_groups() * lists_.features, 0.0);
    for (std::size_t group = 0; group < lists_.num_groups(); ++group)
      for (std::size_t piece = lists_.group_begin[group]; piece < lists_.group_begin[group + 1]; ++piece) {
        const double* const sum = &sums[piece * size];
        for (std::size_t j = 0; j < lists_.features; ++j) out.direction[group * lists_.features + j] += sum[j];
        out.value[group] += sum[lists_.features];
        out.loss[group] += sum[lists_.features + 1];
      }
  }

  DeviceLists lists_;
  std::size_t threads_;
  std::vector<float> rows_;
  std::vector<double> reference_;
};

}  // namespace

std::unique_ptr<ListDevice> make_host_lists(DeviceLists lists, const FillRows& fill, const DeviceLimits& limits,
                                            std::string& trouble) {
  auto made = std::make_unique<HostLists>(std::move(lists), limits.threads);
  if (made->fill(fill)) return made;
  trouble = "the rows of the documents could not be read";
  return nullptr;
}

}  // namespace dorm
