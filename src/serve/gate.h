// SPDX-License-Identifier: Apache-2.0
// Who may ask: the token, and the name by which a server on this machine is called.
#pragma once

#include <string>
#include <string_view>

#include "serve/exchange.h"

namespace dorm::serve {

/// Whether both are the same, in a time that depends on the length of `given` alone.
bool same_secret(std::string_view given, std::string_view secret);

/// Whether an Authorization header bears the token: "Bearer TOKEN".
bool bears_token(std::string_view authorization, std::string_view token);

/// Whether a Host header names this machine itself: localhost, a loopback address, with any port. A page of the web
/// that has its own name resolve to 127.0.0.1 sends that name.
bool names_this_machine(std::string_view host);

/// Whether a page of another site asks, as far as browsers say: by an Origin that is not this machine, or by
/// Sec-Fetch-Site for a request that may change something.
bool comes_from_elsewhere(const Request& request);

/// Throws Error(bad_option) unless a header can hold it and it is too long to be guessed: 16 or more printable
/// characters without blanks. It does not say what was found.
void check_token(std::string_view token);

/// Whether an address in numbers is one that only this machine can reach.
bool is_loopback(std::string_view address);

}  // namespace dorm::serve
