// SPDX-License-Identifier: Apache-2.0
#include "recommend/joint/joint_features.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "base/vector/vector_ops.h"
#include "dorm/error.h"

namespace dorm {
namespace {

void check_sizes(const JointKernel& kernel, const Ratings& ratings) {
  if (ratings.size() == 0) throw Error(ErrorCode::bad_input, "no ratings to learn from");
  if (kernel.users.size < ratings.num_users() || kernel.items.size < ratings.num_items())
    throw Error(ErrorCode::bad_input,
                fmt::format("similarities of {} users and {} items for ratings of {} and {}; expected one "
                            "row for each",
                            kernel.users.size, kernel.items.size, ratings.num_users(), ratings.num_items()));
}

}  // namespace

JointFeatures::JointFeatures(const JointKernel& kernel, const Ratings& ratings) {
  check_sizes(kernel, ratings);
  std::vector<std::uint32_t> local(ratings.num_items());
  for (std::uint32_t i = 0; i < ratings.num_items(); ++i) {
    if (ratings.of_item(i).size() == 0) continue;
    local[i] = static_cast<std::uint32_t>(items_.size());
    items_.push_back(i);
  }
  DatasetBuilder builder;
  for (std::uint32_t u = 0; u < ratings.num_users(); ++u) {
    const RatingRow row = ratings.of_user(u);
    if (row.size() == 0) continue;
    const std::string id = std::to_string(u);
    for (std::size_t k = 0; k < row.size(); ++k) {
      builder.add({row.value[k], id}, SparseRow{});
      query_of_.push_back(static_cast<std::uint32_t>(users_.size()));
      item_of_.push_back(local[row.index[k]]);
    }
    users_.push_back(u);
  }
  data_ = builder.finish();
  user_alike_ = selected(kernel.users, users_);
  item_alike_ = selected(kernel.items, items_);
}

JointRanker JointFeatures::ranker(std::span<const double> w) const {
  JointRanker pairs;
  for (std::size_t i = 0; i < query_of_.size(); ++i)
    if (w[i] != 0) pairs.push_back({users_[query_of_[i]], items_[item_of_[i]], w[i]});
  return pairs;
}

double JointFeatures::inner(const Plane& x, const Plane& y) const {
  if (x.columns.empty() || y.columns.empty()) return 0;
  // In one order, whichever comes first: the sum is then symmetric to the last bit.
  const bool swapped = std::tie(y.columns, y.direction) < std::tie(x.columns, x.direction);
  const Plane &a = swapped ? y : x, &b = swapped ? x : y;
  double sum = 0;
  for (std::size_t k = 0; k < a.columns.size(); ++k) {
    const std::span<const double> alike = item_alike_.row(item_of_[a.columns[k]]);
    double row = 0;
    for (std::size_t m = 0; m < b.columns.size(); ++m)
      row += alike[item_of_[b.columns[m]]] * static_cast<double>(b.direction[m]);
    sum += static_cast<double>(a.direction[k]) * row;
  }
  return user_alike_.at(query_of_[a.columns[0]], query_of_[b.columns[0]]) * sum;
}

double JointFeatures::centred_norm(std::size_t) const {
  double sum = 0;
  for (std::size_t q = 0; q < users_.size(); ++q) {
    const std::size_t first = data_.first_document(q), end = data_.first_document(q + 1);
    double diagonal = 0, all = 0;
    for (std::size_t i = first; i < end; ++i) {
      diagonal += item_alike_.at(item_of_[i], item_of_[i]);
      for (std::size_t j = first; j < end; ++j) all += item_alike_.at(item_of_[i], item_of_[j]);
    }
    sum += user_alike_.at(q, q) * std::max(0.0, diagonal - all / static_cast<double>(end - first));
  }
  return sum / static_cast<double>(query_of_.size());
}

void JointFeatures::add_query(std::span<const std::uint32_t> documents, std::span<const double> coefficients,
                              std::span<double> scores) const {
  std::vector<double> of_item(items_.size(), 0.0);
  for (std::size_t k = 0; k < documents.size(); ++k)
    axpy(coefficients[k], item_alike_.row(item_of_[documents[k]]), of_item);
  const std::span<const double> alike = user_alike_.row(query_of_[documents[0]]);
  for (std::size_t q = 0; q < users_.size(); ++q) {
    if (alike[q] == 0) continue;
    for (std::size_t i = data_.first_document(q); i < data_.first_document(q + 1); ++i)
      scores[i] += alike[q] * of_item[item_of_[i]];
  }
}

void JointFeatures::add_documents(std::span<const std::uint32_t> documents, std::span<const double> coefficients,
                                  std::span<double> w) const {
  for (std::size_t k = 0; k < documents.size(); ++k) w[documents[k]] += coefficients[k];
  for (std::size_t begin = 0, end = 0; begin < documents.size(); begin = end) {
    while (end < documents.size() && query_of_[documents[end]] == query_of_[documents[begin]]) ++end;
    add_query(documents.subspan(begin, end - begin), coefficients.subspan(begin, end - begin),
              w.subspan(query_of_.size()));
  }
}

}  // namespace dorm
