// SPDX-License-Identifier: Apache-2.0
// The documents of one query, as a request has them: in JSON, by row or by column, or as bytes.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/vector/vector_ops.h"
#include "data/packed_text.h"

namespace dorm::serve {

/// A document of the request, by id or by its place in the list.
struct DocumentReference {
  std::string id;
  std::optional<std::size_t> index;
};

struct RankRequest {
  std::string model;       // empty: not said
  PackedText features;     // names of the columns; empty: those of the model, in its order
  PackedText ids, groups;  // by document; a shorter one: the others have none
  std::size_t documents = 0, width = 0;
  std::vector<float> values;  // row by row
  std::size_t top = 0;        // 0: all
  bool explain = false;
  std::optional<std::string> one_per;
  std::vector<DocumentReference> pair;  // two, of /v1/explain; empty: none

  DenseRows rows() const { return {values.data(), documents, width, width}; }
};

/// Which fields a body may have beside the documents.
enum class RankFields { rank, explain };

/// Throws Error(bad_input) that says where something is wrong; more than `most` documents are. `body` has room for its
/// padding and is not changed.
RankRequest read_rank_request(std::string& body, RankFields fields, std::size_t most);

/// Rows of float32 behind their number and their length, each of 32 bits, all little-endian; in the memory of `body`.
/// Throws Error(bad_input).
DenseRows read_binary_rows(std::string_view body, std::size_t most);

}  // namespace dorm::serve
