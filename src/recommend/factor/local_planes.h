// SPDX-License-Identifier: Apache-2.0
// The planes of one user: vectors of equal length with their loss, dual weight and Gram matrix.
//
// Weights are >= 0 and add up to at most 1. From `capacity` planes on, those without weight are forgotten for new ones;
// where all have some, up to four times as many are kept, and then the two lightest are replaced by their mean, which
// keeps the dual point where it is.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "base/vector/vector_ops.h"
#include "learning/solver/simplex_qp.h"

namespace dorm {

template <class Real>
class LocalPlanes {
 public:
  std::size_t size() const { return loss_.size(); }
  std::span<const Real> vector(std::size_t k) const { return std::span(vectors_).subspan(k * length_, length_); }
  double loss(std::size_t k) const { return loss_[k]; }
  double gram(std::size_t k, std::size_t j) const { return gram_[k * stride_ + j]; }
  std::span<double> alpha() { return alpha_; }
  std::span<const double> alpha() const { return alpha_; }

  void clear() {
    vectors_.clear();
    loss_.clear();
    alpha_.clear();
  }

  /// False when the plane is stored already. Makes room first, which moves planes to other slots.
  bool add(std::span<const Real> vector, double loss, std::size_t capacity) {
    length_ = vector.size();
    for (std::size_t k = 0; k < size(); ++k)
      if (loss_[k] == loss && std::equal(vector.begin(), vector.end(), this->vector(k).begin())) return false;
    if (size() >= capacity) make_room(capacity);
    vectors_.insert(vectors_.end(), vector.begin(), vector.end());
    loss_.push_back(loss);
    alpha_.push_back(0);
    widen();
    refresh_row(size() - 1);
    return true;
  }

  /// Maximises <h, d> - scale/2 d' G d over the weights alpha + d; h = gradient at alpha, updated.
  void improve(std::span<double> h, double scale, double tolerance, std::vector<double>& alpha) const {
    if (!(scale > 0)) return;
    for (double& x : h) x /= scale;
    improve_simplex({gram_.data(), size(), stride_}, 1.0, h, alpha,
                    {SimplexKind::capped, tolerance / scale, 20 + 10 * size()});
    for (double& x : h) x *= scale;
  }

  /// Adds the same vector to all planes: the reference they are measured against has moved.
  void shift(std::span<const double> change) {
    for (std::size_t k = 0; k < size(); ++k)
      for (std::size_t i = 0; i < length_; ++i)
        vectors_[k * length_ + i] = static_cast<Real>(vectors_[k * length_ + i] + change[i]);
    for (std::size_t k = 0; k < size(); ++k) refresh_row(k);
  }

 private:
  void make_room(std::size_t capacity) {
    const auto lightest_plane = [this] {
      return static_cast<std::size_t>(std::min_element(alpha_.begin(), alpha_.end()) - alpha_.begin());
    };
    std::size_t lightest = lightest_plane();
    while (size() >= capacity && alpha_[lightest] == 0) {
      erase(lightest);
      lightest = lightest_plane();
    }
    if (size() < 4 * capacity) return;
    std::size_t next = lightest == 0 ? 1 : 0;
    for (std::size_t k = 0; k < size(); ++k)
      if (k != lightest && alpha_[k] < alpha_[next]) next = k;
    merge(lightest, next);
    erase(lightest);
  }

  void merge(std::size_t from, std::size_t into) {
    const double total = alpha_[from] + alpha_[into], share = alpha_[from] / total;
    for (std::size_t i = 0; i < length_; ++i) {
      Real& x = vectors_[into * length_ + i];
      x = static_cast<Real>((1 - share) * x + share * vectors_[from * length_ + i]);
    }
    loss_[into] = (1 - share) * loss_[into] + share * loss_[from];
    alpha_[into] = total;
    alpha_[from] = 0;
    refresh_row(into);
  }

  // The last plane takes the freed slot.
  void erase(std::size_t slot) {
    const std::size_t last = size() - 1;
    if (slot != last) {
      std::copy_n(&vectors_[last * length_], length_, &vectors_[slot * length_]);
      loss_[slot] = loss_[last];
      alpha_[slot] = alpha_[last];
      for (std::size_t k = 0; k < last; ++k) {
        const double product = gram_[last * stride_ + (k == slot ? last : k)];
        gram_[slot * stride_ + k] = gram_[k * stride_ + slot] = product;
      }
    }
    vectors_.resize(last * length_);
    loss_.pop_back();
    alpha_.pop_back();
  }

  void widen() {
    if (size() <= stride_) return;
    const std::size_t stride = std::max<std::size_t>(4, 2 * stride_);
    std::vector<double> wider(stride * stride);
    for (std::size_t k = 0; k + 1 < size(); ++k) std::copy_n(&gram_[k * stride_], size() - 1, &wider[k * stride]);
    gram_ = std::move(wider);
    stride_ = stride;
  }

  void refresh_row(std::size_t k) {
    for (std::size_t j = 0; j < size(); ++j)
      gram_[k * stride_ + j] = gram_[j * stride_ + k] = dot(vector(k), vector(j));
  }

  std::size_t length_ = 0, stride_ = 0;
  std::vector<Real> vectors_;
  std::vector<double> loss_, alpha_, gram_;
};

}  // namespace dorm
