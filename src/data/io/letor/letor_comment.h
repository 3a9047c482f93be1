// SPDX-License-Identifier: Apache-2.0
// What the comment behind a LETOR row says about its document.
#pragma once

#include <string_view>

namespace dorm {

struct CommentNames {
  std::string_view document, group;  // empty: not named
};

/// `docid = X` and `group = Y`, blanks around '=' optional, anywhere in the comment; without a docid the first word is
/// the document's id.
CommentNames names_in_comment(std::string_view comment);

}  // namespace dorm
