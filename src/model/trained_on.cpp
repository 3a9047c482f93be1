// SPDX-License-Identifier: Apache-2.0
#include "model/trained_on.h"

#include <algorithm>
#include <cstdint>

namespace dorm {
namespace {

double share_by_fingerprint(const Model& model, std::uint64_t fingerprint) {
  double share = model.data.fingerprint == fingerprint ? 1 : 0;
  if (model.tested && model.tested->fingerprint == fingerprint) share = std::max(share, 1 - model.tested->share);
  for (const ModelPart& part : model.parts)
    if (part.ranker) share = std::max(share, share_by_fingerprint(*part.ranker, fingerprint));
  return share;
}

}  // namespace

double share_trained_on(const Model& model, const Dataset& data, std::size_t threads) {
  return data.has_labels() ? share_by_fingerprint(model, data.fingerprint(threads)) : 0;
}

}  // namespace dorm
