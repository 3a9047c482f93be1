// SPDX-License-Identifier: Apache-2.0
#include "model/features/device_rows.h"

#include "base/parallel.h"
#include "dorm/error.h"

namespace dorm {

void require_dense(const LinearFeatures& features) {
  if (!features.data().dense())
    throw Error(ErrorCode::unsupported,
                "a device holds dense rows, but these features are compressed (mostly zero); expected the device cpu");
}

FillRows rows_for_device(const LinearFeatures& features, std::vector<std::size_t> queries, std::size_t threads) {
  std::vector<std::size_t> begin = {0};
  for (const std::size_t q : queries) begin.push_back(begin.back() + features.data().query(q).size());
  const std::size_t stride = (features.dimension() + 3) / 4 * 4;
  return [&features, queries = std::move(queries), begin = std::move(begin), stride, threads](
             std::size_t first, std::size_t last, float* rows) {
    try {
      parallel_for(last - first, threads, [&](std::size_t k, std::size_t) {
        features.copy_rows(queries[first + k], rows + (begin[first + k] - begin[first]) * stride, stride);
      });
      return true;
    } catch (...) {
      return false;
    }
  };
}

}  // namespace dorm
