// SPDX-License-Identifier: Apache-2.0
// Everything of a Dataset except its features, in vectors: what a generator fills, and what is gathered from a Dataset
// (which may be a selection of a larger block) to write it or to put other features beside it.
#pragma once

#include <cstdint>
#include <vector>

#include "data/packed_text.h"
#include "data/storage.h"
#include "dorm/dataset.h"

namespace dorm {

/// Fields mean what they mean in Storage, and are empty in the same cases.
struct OwnedColumns {
  std::vector<float> labels;
  bool labelled = true;
  std::vector<std::uint64_t> source_rows;
  PackedText document_ids;
  std::vector<std::uint32_t> group_of;
  PackedText group_names;
  std::vector<std::uint64_t> query_end;
  PackedText query_ids;
  std::vector<double> query_weights;
  PackedText feature_names;
  std::uint32_t first_feature_id = 1;
  std::vector<std::uint32_t> feature_numbers;
  std::uint64_t feature_range = 0;
  std::shared_ptr<const InputDescription> input = {};

  /// Points the spans of `storage` here; the caller keeps this object alive through Storage::owner.
  void attach(Storage& storage) const;
};

/// Source rows are renumbered among the gathered documents, as if a selection had been a file of its own.
OwnedColumns gather_columns(const Dataset& data);

}  // namespace dorm
