// SPDX-License-Identifier: Apache-2.0
// Features that come from columns of categories, dates and formatted numbers, as targets spell them.
#include <fmt/format.h>

#include <algorithm>

#include "data/encode/encoding_words.h"
#include "dorm/error.h"
#include "model/export/formats.h"

namespace dorm {

std::optional<EncodedFeature> encoded_feature(const Model& model, std::size_t feature, const ExportOptions& options) {
  const std::string& name = model.features[feature];
  if (options.names.contains(name)) return std::nullopt;  // someone else makes it
  for (const ColumnEncoding& encoding : model.data.input.encodings) {
    const std::vector<std::string> names = encoded_names(encoding);
    const auto found = std::find(names.begin(), names.end(), name);
    if (found != names.end()) return EncodedFeature{&encoding, static_cast<std::size_t>(found - names.begin())};
  }
  return std::nullopt;
}

bool EncodedFeature::is_others() const { return encoding->rule == Encode::onehot && place == encoding->values.size(); }

bool EncodedFeature::is_gap() const {
  return encoding->rule == Encode::indicator ||
         (encoding->rule == Encode::onehot && !is_others() && encoding->values[place].empty());
}

}  // namespace dorm
