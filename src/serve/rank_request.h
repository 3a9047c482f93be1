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
#include "dorm/fusion/runs.h"

namespace dorm::serve {

/// A document of the request, by id or by its place in the list.
struct DocumentReference {
  std::string id;
  std::optional<std::size_t> index;
};

/// A value that is no number: of a table it would be an empty cell, or text. true and false are text.
struct RequestCell {
  enum class Kind { absent, null, text };
  std::size_t document, column;
  Kind kind;
  std::string text = {};
};

/// What one retriever lists, for a fused model.
struct RetrieverList {
  std::string run;
  PackedText ids;
  std::vector<double> scores;
};

struct RankRequest {
  enum class Form { values, named, columns };  // values of documents by place or by name, or lists by name

  std::string model;       // empty: not said
  std::string query;       // id, of one among several
  PackedText features;     // names of the columns; empty: those of the model, in its order
  PackedText ids, groups;  // by document; a shorter one: the others have none
  std::size_t documents = 0, width = 0;
  Form form = Form::values;
  std::vector<float> values;       // row by row
  std::vector<RequestCell> cells;  // of the values that are NaN, row by row
  std::size_t top = 0;             // 0: all
  bool explain = false;
  std::optional<std::string> one_per;
  std::vector<DocumentReference> pair;  // two, of /v1/explain; empty: none
  std::vector<RetrieverList> lists;     // instead of documents, which join_lists_of() makes of them
  SideFeatures query_features;          // beside lists: one row
  std::vector<RankRequest> queries;     // instead of documents of its own; their top, one_per and names may be here

  DenseRows rows() const { return {values.data(), documents, width, width}; }
};

/// Which fields a body may have beside the documents.
enum class RankFields { rank, explain };

/// Throws Error(bad_input) that says where something is wrong; more than `most` documents are. `body` has room for its
/// padding and is not changed. `texts`: numbers have their text as a cell, too, for columns that are no numbers.
RankRequest read_rank_request(std::string& body, RankFields fields, std::size_t most, bool texts = false);

/// Documents and values from the lists, joined as the model wants them; nothing to do without lists. Throws
/// Error(bad_input) for runs that the model does not have, query features that are missing, and more than `most`
/// documents.
void join_lists_of(RankRequest& request, const FusionInput* input, const std::string& model, std::size_t most);

/// Rows of float32 behind their number and their length, each of 32 bits, all little-endian; in the memory of `body`.
/// Throws Error(bad_input).
DenseRows read_binary_rows(std::string_view body, std::size_t most);

}  // namespace dorm::serve
