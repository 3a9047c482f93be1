// SPDX-License-Identifier: Apache-2.0
// Tensors of the Open Inference Protocol as the documents of one query: one tensor of rows, or a tensor
// for each feature.
#pragma once

#include <string>
#include <string_view>

#include "serve/rank_request.h"

namespace dorm::serve {

struct InferenceRequest {
  std::string id;              // echoed
  RankRequest rows;            // documents, and features where tensors name them
  bool binary_scores = false;  // the answer's tensor as bytes behind its JSON
};

/// `json_bytes`: the header Inference-Header-Content-Length; where it is not empty, tensors may lie as bytes behind so
/// much JSON. Throws Error(bad_input).
InferenceRequest read_inference_request(std::string& body, std::string_view json_bytes, std::size_t most);

}  // namespace dorm::serve
