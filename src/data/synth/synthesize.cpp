// SPDX-License-Identifier: Apache-2.0
// Puts generated documents together. Every query has a generator of its own, so queries are made in parallel and the
// result does not depend on the number of threads.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "base/numeric.h"
#include "base/page_buffer.h"
#include "base/parallel.h"
#include "base/validate.h"
#include "data/owned_columns.h"
#include "data/synth/exact_math.h"
#include "data/synth/web_model.h"
#include "dorm/error.h"
#include "dorm/synth.h"

namespace dorm {
namespace {

enum ListStream : std::uint64_t { length_stream = 11, document_stream, site_stream };

constexpr double kSparseBelow = 0.25;
constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 46;

struct Generated {
  OwnedColumns columns;
  PageBuffer<float> values;
  PageBuffer<std::uint32_t> sparse_columns;
  std::vector<std::uint64_t> row_end;
};

std::vector<std::uint64_t> query_ends(const SynthOptions& options) {
  constexpr double kLog2OfE = 1.4426950408889634;
  std::vector<std::uint64_t> ends(options.queries);
  std::uint64_t end = 0;
  for (std::uint64_t q = 0; q < options.queries; ++q) {
    Rng rng = derived_rng(options.seed, length_stream, q);
    const double length =
        std::floor(options.documents_median * exact_exp2(options.documents_spread * kLog2OfE * near_normal(rng)) + 0.5);
    end += static_cast<std::uint64_t>(std::clamp(length, real(options.documents_min), real(options.documents_max)));
    ends[q] = end;
  }
  return ends;
}

void add_names(const SynthOptions& options, OwnedColumns& columns) {
  std::uint64_t begin = 0;
  for (std::uint64_t q = 0; q < options.queries; ++q) {
    columns.query_ids.push_back(std::to_string(q + 1));
    for (std::uint64_t i = 0; i < columns.query_end[q] - begin; ++i)
      columns.document_ids.push_back(fmt::format("d{:06}-{:03}", q + 1, i + 1));
    begin = columns.query_end[q];
  }
}

// Site s of a query has a share of its documents proportional to 1 / (s + 1); which site has which share
// depends on the query.
void add_sites(const SynthOptions& options, OwnedColumns& columns) {
  std::vector<double> cumulative(options.groups);
  double total = 0;
  for (std::uint64_t s = 0; s < options.groups; ++s) cumulative[s] = total += 1.0 / real(s + 1);
  for (std::uint64_t s = 0; s < options.groups; ++s) columns.group_names.push_back(fmt::format("site{:04}", s + 1));
  columns.group_of.reserve(columns.query_end.back());
  for (std::uint64_t q = 0; q < options.queries; ++q) {
    Rng rng = derived_rng(options.seed, site_stream, q);
    const std::uint64_t turn = rng.below(options.groups);
    while (columns.group_of.size() < columns.query_end[q]) {
      const auto found = std::upper_bound(cumulative.begin(), cumulative.end() - 1, rng.uniform() * total);
      const auto site = static_cast<std::uint64_t>(found - cumulative.begin());
      columns.group_of.push_back(static_cast<std::uint32_t>(1 + (site + turn) % options.groups));
    }
  }
}

// Grades by the order of the utilities, so that the mix holds over all documents but varies between queries.
std::vector<float> grades(const std::vector<double>& utility) {
  std::vector<std::size_t> order(utility.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t x, std::size_t y) { return utility[x] != utility[y] ? utility[x] > utility[y] : x < y; });
  constexpr std::array<double, 4> kAtLeast = {0.01, 0.03, 0.16, 0.48};  // shares of grades >= 4, 3, 2, 1
  std::vector<float> labels(utility.size(), 0.0f);
  std::size_t next = 0;
  for (std::size_t g = 0; g < kAtLeast.size(); ++g) {
    const auto end = static_cast<std::size_t>(kAtLeast[g] * real(utility.size()) + 0.5);
    for (; next < end; ++next) labels[order[next]] = static_cast<float>(4 - g);
  }
  return labels;
}

void fill_query(const WebModel& model, const SynthOptions& options, std::size_t q, Generated& out,
                std::vector<double>& utility) {
  WebModel::QueryState state = model.begin_query(q);
  Rng rng = derived_rng(options.seed, document_stream, q);
  const bool dense = out.row_end.empty();
  const std::uint64_t width = dense ? dense_stride(options.features) : model.nonzeros();
  for (std::uint64_t d = q == 0 ? 0 : out.columns.query_end[q - 1]; d < out.columns.query_end[q]; ++d) {
    const std::span<float> row(out.values.data() + d * width, width);
    if (dense) {
      std::fill(row.begin() + static_cast<std::ptrdiff_t>(options.features), row.end(), 0.0f);
      utility[d] = model.dense_document(state, rng, row);
    } else {
      utility[d] = model.sparse_document(state, rng, {out.sparse_columns.data() + d * width, width}, row);
      out.row_end[d] = (d + 1) * width;
    }
  }
}

}  // namespace

void SynthOptions::validate() const {
  require(queries >= 1 && queries <= 100'000'000, "queries", real(queries), "1 to 100000000");
  require(features >= 1 && features <= 10'000'000, "features", real(features), "1 to 10000000");
  require(documents_median >= 1 && documents_median <= 1e6, "documents_median", documents_median, "1 to 1000000");
  require(documents_spread >= 0 && documents_spread <= 5, "documents_spread", documents_spread, "0 to 5");
  require(documents_min >= 1, "documents_min", real(documents_min), "at least 1");
  require(documents_max >= documents_min && documents_max <= 100'000'000, "documents_max", real(documents_max),
          "documents_min to 100000000");
  require(density > 0 && density <= 1, "density", density, "above 0, at most 1");
  require(noise >= 0 && noise <= 1000, "noise", noise, "0 to 1000");
  require(query_effect >= 0 && query_effect <= 1000, "query_effect", query_effect, "0 to 1000");
  require(groups <= 1'000'000, "groups", real(groups), "0 to 1000000");
}

Dataset synthesize(const SynthOptions& options) {
  options.validate();
  const WebModel model(options);
  const bool dense = options.density >= kSparseBelow;
  auto made = std::make_shared<Generated>();
  OwnedColumns& columns = made->columns;
  columns.query_end = query_ends(options);
  const std::uint64_t documents = columns.query_end.back();
  const std::uint64_t width = dense ? dense_stride(options.features) : model.nonzeros();
  if (documents > kMaxBytes / sizeof(float) / width)
    throw Error(ErrorCode::bad_option,
                fmt::format("synth: {} documents of {} values are more than memory holds; expected fewer queries, "
                            "documents or features",
                            documents, width));
  made->values = PageBuffer<float>(documents * width);
  if (!dense) {
    made->sparse_columns = PageBuffer<std::uint32_t>(documents * width);
    made->row_end.resize(documents);
  }
  std::vector<double> utility(documents);
  parallel_for(options.queries, options.threads,
               [&](std::size_t q, std::size_t) { fill_query(model, options, q, *made, utility); });
  columns.labels = grades(utility);
  add_names(options, columns);
  if (options.groups > 0) add_sites(options, columns);

  auto storage = std::make_shared<Storage>();
  columns.attach(*storage);
  storage->dense = dense;
  storage->num_features = options.features;
  storage->stride = dense ? width : 0;
  storage->values = made->values.span();
  storage->columns = made->sparse_columns.span();
  storage->row_end = made->row_end;
  storage->owner = std::move(made);
  return Dataset(std::move(storage));
}

}  // namespace dorm
