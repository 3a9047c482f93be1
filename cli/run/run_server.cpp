// SPDX-License-Identifier: Apache-2.0
#include "run/run_server.h"

#include <cstdlib>

#include "dorm/apps/serve.h"

namespace dorm::cli {

void run_to_the_end(serve::Server& server) {
  if (!server.run()) std::_Exit(EXIT_SUCCESS);  // destructors would wait for them
}

}  // namespace dorm::cli
