// SPDX-License-Identifier: Apache-2.0
// In place of the server, where simdjson was not found when this was built.
#include "dorm/apps/serve.h"
#include "dorm/error.h"

namespace dorm::serve {

struct Server::State {};

bool available() { return false; }

std::string read_token(const std::string&) { return {}; }

Server::Server(Options) {
  throw Error(ErrorCode::unsupported, "this build has no server: it was made without simdjson (libsimdjson-dev)");
}
Server::~Server() = default;
std::string Server::url() const { return {}; }
bool Server::run() { return true; }
void Server::stop() {}

}  // namespace dorm::serve
