// SPDX-License-Identifier: Apache-2.0
#include "dorm/recommend/vectors.h"

#include <algorithm>

#include "base/numeric.h"
#include "base/parallel.h"
#include "dorm/error.h"
#include "recommend/factor/best_items.h"

namespace dorm {
namespace {

/// Rows in float32, with a number behind each where `last` has one.
std::vector<float> rows_of(const FactorMatrix& matrix, std::span<const double> last) {
  std::vector<float> out;
  out.reserve(matrix.rows * (matrix.width + !last.empty()));
  for (std::size_t r = 0; r < matrix.rows; ++r) {
    for (const double x : matrix.row(r)) out.push_back(static_cast<float>(x));
    if (!last.empty()) out.push_back(static_cast<float>(last[r]));
  }
  return out;
}

}  // namespace

RecommenderVectors vectors_of(const FactorModel& model, bool) {
  const std::vector<double> ones(model.users.size(), 1.0);
  return {model.layout.width() + 1, rows_of(model.user_factors, ones), rows_of(model.item_factors, model.offsets)};
}

RecommenderVectors vectors_of(const ImplicitModel& model, bool als_alone) {
  if (model.als_weight == 0)
    throw Error(ErrorCode::unsupported, "the scores of this model are those of EASE, which has no vectors");
  if (model.ease_weight != 0 && !als_alone)
    throw Error(ErrorCode::unsupported,
                "the scores of this model are an average with EASE, which has no vectors; the factors of ALS can be "
                "written alone");
  return {model.item_factors.width, rows_of(model.user_factors, {}), rows_of(model.item_factors, {})};
}

RecommenderVectors vectors_of(const JointModel&, bool) {
  throw Error(ErrorCode::unsupported, "the scores of a joint kernel are sums over pairs, which have no vectors");
}

VectorCheck check_vectors(const Recommending& model, const RecommenderVectors& vectors, std::size_t n,
                          std::size_t threads) {
  const std::size_t users = model.users().size(), items = model.items().size();
  std::vector<char> changed(users);
  std::vector<double> shared(users);
  parallel_for(users, thread_count(threads), [&](std::size_t u, std::size_t) {
    const Taste taste = model.known(u);
    const std::vector<Recommendation> own = top_items(model, taste, {n});
    const auto user = std::span(vectors.users).subspan(u * vectors.width, vectors.width);
    std::vector<Recommendation> found;
    for (std::uint32_t i = 0; i < items; ++i) {
      if (std::binary_search(taste.seen.begin(), taste.seen.end(), i)) continue;
      const auto item = std::span(vectors.items).subspan(i * vectors.width, vectors.width);
      float product = 0;
      for (std::size_t k = 0; k < vectors.width; ++k) product += user[k] * item[k];
      found.push_back({i, static_cast<double>(product)});
    }
    found = best_of(std::move(found), n);
    std::size_t both = 0;
    for (std::size_t k = 0; k < own.size(); ++k) {
      changed[u] |= static_cast<char>(own[k].item != found[k].item);
      both += static_cast<std::size_t>(std::count_if(
          found.begin(), found.end(), [&](const Recommendation& each) { return each.item == own[k].item; }));
    }
    shared[u] = own.empty() ? 1 : real(both) / real(own.size());
  });
  VectorCheck out;
  out.users = users;
  for (std::size_t u = 0; u < users; ++u) {
    out.changed += changed[u] != 0;
    out.shared += shared[u];
  }
  out.shared /= real(std::max<std::size_t>(1, users));
  return out;
}

}  // namespace dorm
