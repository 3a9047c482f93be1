// SPDX-License-Identifier: Apache-2.0
// What a driver asks shards and what they response, as bytes: a header with format and version of the library, the
// content, a checksum. A request holds all that a shard must know, so that any process that holds its
// documents can response.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dorm/data/scale.h"
#include "dorm/error.h"
#include "dorm/learning/geometry.h"
#include "dorm/oracle.h"

namespace dorm {

/// Numbers of the response are sums or values over the queries of the shard unless it says otherwise.
enum class Topic : std::uint8_t {
  describe,    // text: a model without weights, of features and data summary; numbers: 1 if all features are in [0, 1]
  statistics,  // numbers: of the columns, for scalings that are fitted to all documents (`logarithm`)
  prepare,     // numbers: lists, their total weight, documents of the longest, squares of centred rows, documents
  products,    // numbers: rows of CentredProducts, each from its diagonal on; none where there are too many features
  targets,     // numbers: X'y, rows and targets centred, then the sum of squares of the rows
  normal,      // numbers: X'X w, rows centred
  linearize,   // plane and value: weighted means over the lists at w
  value,       // the same without the plane
  changed,     // numbers: lists whose reference is another at w than at `reference`
  pairs,       // numbers: lists with pairs, their total weight
  hinge,       // plane and value of the pairwise hinge at w
  scatter,     // numbers: squares of the scores by w, centred within queries
  judge,       // numbers: value (NaN: skipped) and weight of every query, at w
};

/// What the lists of a shard are made by: all that decides them but the data.
struct ShardSetup {
  std::string measure, convention, decay = "measure", one_per = {}, given_ties = {};
  Scaling scaling = {};

  std::string text() const;
  static ShardSetup parse(std::string_view text);
};

/// Fields that a topic does not use are left as they are here.
struct ShardRequest {
  Topic topic = Topic::describe;
  bool gains = false;                 // targets and pairs are of gains instead of labels
  bool logarithm = false;             // of statistics
  std::uint64_t step = 1, first = 0;  // of starts: only shards first, first + step, ... count, others response nothing
  Bound bound = Bound::given;
  std::string setup = {};              // ShardSetup::text()
  std::vector<double> reference = {};  // weights that fix the references
  std::vector<double> w = {};

  std::string bytes() const;
  /// Throws Error(bad_input) for bytes of another version, cut short or damaged.
  static ShardRequest parse(std::string_view bytes);
};

struct ShardResponse {
  std::uint32_t shard = 0;
  std::uint64_t request = 0;  // checksum of the request's bytes
  double value = 0;
  Plane plane = {};
  std::vector<double> numbers = {};
  std::string text = {};
  bool failed = false;  // text: why
  ErrorCode code = ErrorCode::internal;

  std::string bytes() const;
  /// Throws Error(bad_input) as ShardRequest::parse().
  static ShardResponse parse(std::string_view bytes);
};

/// Of the bytes of a request, by which its responses know it.
std::uint64_t question_number(std::string_view bytes);

}  // namespace dorm
