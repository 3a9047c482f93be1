// SPDX-License-Identifier: Apache-2.0
// A server that runs as long as the command does.
#pragma once

namespace dorm::serve {
class Server;
}

namespace dorm::cli {

/// Until it is stopped. Requests that are still being worked on by then end with the process, in here.
void run_to_the_end(serve::Server& server);

}  // namespace dorm::cli
