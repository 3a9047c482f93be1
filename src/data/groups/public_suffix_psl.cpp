// SPDX-License-Identifier: Apache-2.0
#include <libpsl.h>

#include "data/groups/public_suffix.h"
#include "dorm/data/one_per.h"

namespace dorm {

std::size_t registered_begin(const std::string& host) {
  const char* const domain = psl_registrable_domain(psl_builtin(), host.c_str());  // points into host, or is null
  return domain ? static_cast<std::size_t>(domain - host.c_str()) : 0;
}

std::string public_suffixes() { return std::string("libpsl ") + psl_get_version(); }

}  // namespace dorm
