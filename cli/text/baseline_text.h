// SPDX-License-Identifier: Apache-2.0
// A model beside the ranker of --baseline.
#pragma once

#include <string>

#include "base/json.h"
#include "report/pages/evidence.h"

namespace dorm::cli {

/// "baseline     prod 0.6800 on the test queries, where the model has 0.7012: better by 0.0212 ..."
std::string baseline_text(const pages::Evidence& evidence);
Json baseline_json(const pages::Evidence& evidence);

}  // namespace dorm::cli
