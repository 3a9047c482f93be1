// SPDX-License-Identifier: Apache-2.0
// How alike users and items are. Every matrix here is a Gram matrix of vectors of length 1 or 0.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/vector/vector_ops.h"
#include "dorm/error.h"
#include "dorm/recommend/joint.h"

namespace dorm {
namespace {

/// z by user: ratings less the mean of their user.
std::vector<double> centred(const RatingRow& row) {
  const double mean = std::accumulate(row.value.begin(), row.value.end(), 0.0) / static_cast<double>(row.size());
  std::vector<double> z;
  for (const float value : row.value) z.push_back(static_cast<double>(value) - mean);
  return z;
}

// From products of vectors to cosines. A zero vector has similarity 0 to every vector, itself included.
void normalise(Similarities& products) {
  std::vector<double> scale(products.size);
  for (std::size_t i = 0; i < products.size; ++i)
    scale[i] = products.at(i, i) > 0 ? 1 / std::sqrt(products.at(i, i)) : 0.0;
  for (std::size_t i = 0; i < products.size; ++i)
    for (std::size_t j = 0; j < products.size; ++j) products.at(i, j) *= scale[i] * scale[j];
}

}  // namespace

Similarities identity_similarities(std::size_t size) {
  Similarities same(size);
  for (std::size_t i = 0; i < size; ++i) same.at(i, i) = 1;
  return same;
}

Similarities constant_similarities(std::size_t size) {
  Similarities alike(size);
  std::fill(alike.values.begin(), alike.values.end(), 1.0);
  return alike;
}

Similarities attribute_similarities(const IdTable& ids, const SideFeatures& features) {
  const std::size_t width = features.names.size();
  std::vector<std::span<const double>> rows(ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i)
    if (const auto found = features.ids.find(ids[i]))
      rows[i] = std::span(features.values).subspan(*found * width, width);
  Similarities alike(ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i)
    for (std::size_t j = 0; j <= i; ++j)
      if (!rows[i].empty() && !rows[j].empty()) alike.at(i, j) = alike.at(j, i) = dot(rows[i], rows[j]);
  normalise(alike);
  return alike;
}

Similarities user_correlations(const Ratings& known) {
  Similarities alike(known.num_users());
  std::vector<double> dense(known.num_items(), 0.0);
  std::vector<std::vector<double>> z(known.num_users());
  for (std::size_t u = 0; u < z.size(); ++u)
    if (known.of_user(u).size() > 0) z[u] = centred(known.of_user(u));
  for (std::size_t u = 0; u < z.size(); ++u) {
    const RatingRow own = known.of_user(u);
    for (std::size_t k = 0; k < own.size(); ++k) dense[own.index[k]] = z[u][k];
    for (std::size_t v = 0; v <= u; ++v) {
      const RatingRow other = known.of_user(v);
      double sum = 0;
      for (std::size_t k = 0; k < other.size(); ++k) sum += dense[other.index[k]] * z[v][k];
      alike.at(u, v) = alike.at(v, u) = sum;
    }
    for (const std::uint32_t item : own.index) dense[item] = 0;
  }
  normalise(alike);
  return alike;
}

Similarities item_correlations(const Ratings& known) {
  Similarities alike(known.num_items());
  for (std::size_t u = 0; u < known.num_users(); ++u) {
    const RatingRow row = known.of_user(u);
    if (row.size() == 0) continue;
    const std::vector<double> z = centred(row);
    for (std::size_t k = 0; k < row.size(); ++k)
      for (std::size_t m = 0; m < row.size(); ++m) alike.at(row.index[k], row.index[m]) += z[k] * z[m];
  }
  normalise(alike);
  return alike;
}

Similarities mean_of(std::span<const Similarities> parts) {
  if (parts.empty()) throw Error(ErrorCode::bad_input, "a mean of no similarities; expected at least one");
  Similarities mean(parts[0].size);
  for (const Similarities& part : parts) {
    if (part.size != mean.size)
      throw Error(ErrorCode::bad_input,
                  fmt::format("similarities of {} and of {}; expected one size", mean.size, part.size));
    axpy(1 / static_cast<double>(parts.size()), std::span<const double>(part.values), mean.values);
  }
  return mean;
}

Similarities selected(const Similarities& all, std::span<const std::uint32_t> members) {
  Similarities part(members.size());
  for (std::size_t a = 0; a < members.size(); ++a)
    for (std::size_t b = 0; b < members.size(); ++b) part.at(a, b) = all.at(members[a], members[b]);
  return part;
}

JointKernel make_joint_kernel(const Ratings& known, const SideFeatures* user_features,
                              const SideFeatures* item_features) {
  std::vector<Similarities> users, items;
  users.push_back(constant_similarities(known.num_users()));
  users.push_back(identity_similarities(known.num_users()));
  users.push_back(user_correlations(known));
  if (user_features) users.push_back(attribute_similarities(known.users(), *user_features));
  items.push_back(identity_similarities(known.num_items()));
  items.push_back(item_correlations(known));
  if (item_features) items.push_back(attribute_similarities(known.items(), *item_features));
  return {mean_of(users), mean_of(items)};
}

}  // namespace dorm
