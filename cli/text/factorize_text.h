// SPDX-License-Identifier: Apache-2.0
// How a factorization is shown.
#pragma once

#include <string>

#include "dorm/recommend/factorize.h"
#include "text/eval_text.h"

namespace dorm::cli {

/// `test` may be null.
std::string factorize_text(const FactorizeResult& result, const Ratings& train, const EvalReport* test,
                           const std::string& path);
std::string factorize_json(const FactorizeResult& result, const Ratings& train, const EvalReport* test,
                           const std::string& path);

}  // namespace dorm::cli
