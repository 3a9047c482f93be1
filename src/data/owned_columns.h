// SPDX-License-Identifier: Apache-2.0
// Everything of a Dataset except its features, in vectors: what a generator fills, and what is gathered from
// a Dataset (which may be a selection of a larger block) to write it or to put other features beside it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "data/storage.h"
#include "dorm/dataset.h"

namespace dorm {

/// The owned form of TextColumn.
struct OwnedText {
  std::vector<std::uint64_t> end;
  std::vector<char> text;

  void add(std::string_view entry) {
    text.insert(text.end(), entry.begin(), entry.end());
    end.push_back(text.size());
  }
  TextColumn view() const { return {end, text}; }
};

/// Fields mean what they mean in Storage, and are empty in the same cases.
struct OwnedColumns {
  std::vector<float> labels;
  std::vector<std::uint64_t> source_rows;
  OwnedText document_ids;
  std::vector<std::uint32_t> group_of;
  OwnedText group_names;
  std::vector<std::uint64_t> query_end;
  OwnedText query_ids;
  std::vector<double> query_weights;
  OwnedText feature_names;
  std::uint32_t first_feature_id = 1;

  /// Points the spans of `storage` here; the caller keeps this object alive through Storage::owner.
  void attach(Storage& storage) const;
};

/// Source rows become ranks among the gathered documents, so that a selection reads as a file of its own.
OwnedColumns gather_columns(const Dataset& data);

}  // namespace dorm
