// SPDX-License-Identifier: Apache-2.0
#include "device/host_rows.h"

#include <algorithm>
#include <atomic>
#include <numeric>

#include "base/vector/vector_ops.h"
#include "device/list_device.h"

namespace dorm {
namespace {

class HostRows final : public RowDevice {
 public:
  HostRows(DeviceDocuments documents, RowSource source)
      : documents_(std::move(documents)),
        source_(std::move(source)),
        rows_(documents_.num_documents() * documents_.stride()) {}

  bool fill() {
    std::atomic<bool> filled = true;
    source_.run(documents_.num_queries(), [&](std::size_t q, std::size_t) {
      if (!source_.fill(q, q + 1, true, rows_.data() + documents_.query_begin[q] * documents_.stride())) filled = false;
    });
    return filled;
  }

  DeviceReport report() const override { return {"host", rows_.size() * sizeof(float), documents_.num_queries()}; }

  Trouble survey(const RowSurveyor&, bool& known) override {
    known = false;
    return {};
  }

  Trouble centred_squares(double& sum) override {
    std::vector<double> squares(documents_.num_queries());
    source_.run(squares.size(), [&](std::size_t q, std::size_t) {
      const std::size_t first = documents_.query_begin[q], last = documents_.query_begin[q + 1];
      std::vector<double> mean(documents_.features, 0.0);
      for (std::size_t i = first; i < last; ++i) axpy(1.0 / static_cast<double>(last - first), row(i), mean);
      for (std::size_t i = first; i < last; ++i)
        for (std::size_t j = 0; j < mean.size(); ++j) {
          const double apart = static_cast<double>(row(i)[j]) - mean[j];
          squares[q] += apart * apart;
        }
    });
    sum = std::accumulate(squares.begin(), squares.end(), 0.0);
    return {};
  }

  Trouble scores(std::span<const double> w, std::span<double> out) override {
    source_.run(documents_.num_queries(), [&](std::size_t q, std::size_t) {
      for (std::size_t i = documents_.query_begin[q]; i < documents_.query_begin[q + 1]; ++i) out[i] = dot(row(i), w);
    });
    return {};
  }

  std::unique_ptr<ListDevice> make_lists(DeviceLists lists, Trouble&) override;

  const DeviceDocuments& documents() const { return documents_; }
  const RowSource& source() const { return source_; }
  std::span<const float> row(std::size_t i) const {
    return {rows_.data() + i * documents_.stride(), documents_.features};
  }

 private:
  DeviceDocuments documents_;
  RowSource source_;
  std::vector<float> rows_;
};

class HostLists final : public ListDevice {
 public:
  HostLists(const HostRows& rows, DeviceLists lists)
      : rows_(rows), lists_(std::move(lists)), reference_(rows.documents().num_documents(), 0.0) {
    if (!lists_.linearizes()) return;
    const DeviceDocuments& documents = rows.documents();
    gain_.resize(documents.num_documents());
    rows.source().run(documents.num_queries(), [&](std::size_t q, std::size_t) {
      lists_.gains(q, q + 1, gain_.data() + documents.query_begin[q]);
    });
  }

  Trouble set_reference(std::span<const double> reference) override {
    reference_.assign(reference.begin(), reference.end());
    return {};
  }

  Trouble refer(ReferenceOrder order, std::span<const double> w, std::size_t& changed) override {
    std::vector<char> differs(lists_.num_lists(), 0);
    rows_.source().run(lists_.num_lists(), [&](std::size_t q, std::size_t) {
      Scratch list = scored(q, w);
      const auto by_gain = [&](std::size_t i) { return order == ReferenceOrder::gain ? gain_[list.first + i] : 0.0; };
      std::stable_sort(list.order.begin(), list.order.end(), [&](std::size_t i, std::size_t j) {
        return by_gain(i) != by_gain(j) ? by_gain(i) > by_gain(j) : list.scores[i] > list.scores[j];
      });
      for (std::size_t j = 0; j < list.order.size(); ++j) {
        double& reference = reference_[list.first + list.order[j]];
        differs[q] |= reference != lists_.c[place(q, j)];
        reference = lists_.c[place(q, j)];
      }
    });
    changed = static_cast<std::size_t>(std::count(differs.begin(), differs.end(), 1));
    return {};
  }

  Trouble pull_back(std::span<const double> coefficients, GroupSums& out) override {
    sum_pieces(out, [&](std::size_t q, double* sums) {
      const auto [first, last] = documents_of(q);
      for (std::size_t i = first; i < last; ++i)
        if (coefficients[i] != 0) axpy(coefficients[i], rows_.row(i), std::span(sums, features()));
    });
    return {};
  }

  Trouble linearize(std::span<const double> w, GroupSums& out) override {
    sum_pieces(out, [&](std::size_t q, double* sums) { add_list(q, w, sums); });
    return {};
  }

 private:
  /// A list with its scores, in the order of documents.
  struct Scratch {
    std::size_t first;
    std::vector<double> scores;
    std::vector<std::size_t> order;
  };

  std::size_t features() const { return rows_.documents().features; }
  std::pair<std::size_t, std::size_t> documents_of(std::size_t q) const {
    const std::vector<std::uint64_t>& begin = rows_.documents().query_begin;
    return {begin[lists_.query[q]], begin[lists_.query[q] + 1]};
  }
  std::size_t place(std::size_t q, std::size_t position) const {
    return lists_.table[q] + std::min<std::size_t>(position, lists_.cutoff[q]);
  }

  Scratch scored(std::size_t q, std::span<const double> w) const {
    const auto [first, last] = documents_of(q);
    Scratch list{first, std::vector<double>(last - first), std::vector<std::size_t>(last - first)};
    std::iota(list.order.begin(), list.order.end(), std::size_t{0});
    for (const std::size_t i : list.order) list.scores[i] = dot(rows_.row(first + i), w);
    return list;
  }

  // The most violated ranking sorts by g - kappa b: its coefficients against z0, pulled back.
  void add_list(std::size_t q, std::span<const double> w, double* sums) const {
    Scratch list = scored(q, w);
    std::vector<double> keys = list.scores;
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] -= lists_.kappa[q] * gain_[list.first + i];
    std::stable_sort(list.order.begin(), list.order.end(),
                     [&](std::size_t i, std::size_t j) { return keys[i] > keys[j]; });
    const double share = lists_.share[q];
    double loss = lists_.ideal[q], value = 0;
    for (std::size_t j = 0; j < list.order.size(); ++j) {
      const std::size_t i = list.order[j], at = place(q, j);
      const double delta = reference_[list.first + i] - lists_.c[at];
      loss -= lists_.a[at] * gain_[list.first + i];
      value -= delta * list.scores[i];
      if (delta != 0) axpy(share * delta, rows_.row(list.first + i), std::span(sums, features()));
    }
    sums[features()] += share * (loss + value);
    sums[features() + 1] += share * loss;
  }

  /// body(list, sums): `features` of the direction, then value and loss; pieces are added in order.
  template <class Body>
  void sum_pieces(GroupSums& out, const Body& body) const {
    const std::size_t size = features() + 2;
    std::vector<double> sums(lists_.num_pieces() * size, 0.0);
    rows_.source().run(lists_.num_pieces(), [&](std::size_t piece, std::size_t) {
      for (std::size_t q = lists_.piece_begin[piece]; q < lists_.piece_begin[piece + 1]; ++q)
        body(q, &sums[piece * size]);
    });
    out.value.assign(lists_.num_groups(), 0.0);
    out.loss.assign(lists_.num_groups(), 0.0);
    out.direction.assign(lists_.num_groups() * features(), 0.0);
    for (std::size_t group = 0; group < lists_.num_groups(); ++group)
      for (std::size_t piece = lists_.group_begin[group]; piece < lists_.group_begin[group + 1]; ++piece) {
        const double* const sum = &sums[piece * size];
        for (std::size_t j = 0; j < features(); ++j) out.direction[group * features() + j] += sum[j];
        out.value[group] += sum[features()];
        out.loss[group] += sum[features() + 1];
      }
  }

  const HostRows& rows_;
  DeviceLists lists_;
  std::vector<double> gain_, reference_;  // by document
};

std::unique_ptr<ListDevice> HostRows::make_lists(DeviceLists lists, Trouble&) {
  return std::make_unique<HostLists>(*this, std::move(lists));
}

}  // namespace

std::unique_ptr<RowDevice> make_host_rows(DeviceDocuments documents, RowSource source, std::string& trouble) {
  auto made = std::make_unique<HostRows>(std::move(documents), std::move(source));
  if (made->fill()) return made;
  trouble = "the rows of the documents could not be read";
  return nullptr;
}

}  // namespace dorm
