// SPDX-License-Identifier: Apache-2.0
// Who may ask: the token, and the name by which a server on this machine is called.
#pragma once

#include <string>
#include <string_view>

namespace dorm::serve {

/// Whether both are the same, in a time that depends on the length of `given` alone.
bool same_secret(std::string_view given, std::string_view secret);

/// Whether an Authorization header bears the token: "Bearer TOKEN".
bool bears_token(std::string_view authorization, std::string_view token);

/// Whether a Host header names this machine itself: localhost, a loopback address, with any port. A page of the web
/// that has its own name resolve to 127.0.0.1 sends that name.
bool names_this_machine(std::string_view host);

/// Whether an address in numbers is one that only this machine can reach.
bool is_loopback(std::string_view address);

}  // namespace dorm::serve
