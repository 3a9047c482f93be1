// SPDX-License-Identifier: Apache-2.0
// In place of the page, where simdjson was not found when this was built.
#include "dorm/apps/explore.h"
#include "dorm/error.h"

namespace dorm::explore {

struct Explorer::State {};

bool can_judge() { return false; }

Explorer::Explorer(Options) {
  throw Error(ErrorCode::unsupported, "this build has no server: it was made without simdjson (libsimdjson-dev)");
}
Explorer::~Explorer() = default;
void Explorer::add_routes(serve::Router&) const {}

}  // namespace dorm::explore
