// SPDX-License-Identifier: Apache-2.0
// Files from the network, by the command `curl`, accepted only with the checksum they should have.
#pragma once

#include <string>

namespace dorm::cli {

/// Fetches `url` to `path`, whose folders are made. Throws Error(io) when curl is missing, fails, or brings something
/// with another SHA-256; nothing is then left behind.
void download(const std::string& url, const std::string& path, const std::string& sha256);

}  // namespace dorm::cli
