// SPDX-License-Identifier: Apache-2.0
// Features that come from columns of categories, dates and formatted numbers, as targets spell them.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/quote.h"
#include "dorm/error.h"
#include "model/export/formats.h"

namespace dorm {

bool EncodedFeature::is_others() const { return encoding->rule == Encode::onehot && place == encoding->values.size(); }

bool EncodedFeature::is_gap() const {
  return encoding->rule == Encode::indicator ||
         (encoding->rule == Encode::onehot && !is_others() && encoding->values[place].empty());
}

EncodedFeatures::EncodedFeatures(const Model& model, const ExportOptions& options) : by_feature(model.features.size()) {
  if (model.data.input.encodings.empty()) return;
  std::map<std::string_view, std::size_t> feature_of;
  for (std::size_t j = 0; j < model.features.size(); ++j)
    if (!options.names.contains(model.features[j])) feature_of.emplace(model.features[j], j);
  for (const ColumnEncoding& encoding : model.data.input.encodings) {
    Rule rule{&encoding, {}};
    bool any = false;
    for (const std::string& name : encoded_names(encoding)) {
      const auto found = feature_of.find(name);
      const std::size_t place = rule.features.size();
      rule.features.push_back(found == feature_of.end() ? kNone : found->second);
      if (found == feature_of.end()) continue;
      by_feature[found->second] = EncodedFeature{&encoding, place};
      any = true;
    }
    if (!any) continue;
    rules.push_back(std::move(rule));
    const bool reads = encoding.rule != Encode::indicator;
    if (reads && std::find(columns.begin(), columns.end(), encoding.column) == columns.end())
      columns.push_back(encoding.column);
  }
}

std::size_t marked_feature(const Model& model, const ColumnEncoding& indicator) {
  const auto found = std::find(model.features.begin(), model.features.end(), indicator.column);
  if (found == model.features.end())
    throw Error(ErrorCode::unsupported,
                fmt::format("the model marks gaps of {}, which is no feature of it", in_quotes(indicator.column)));
  return static_cast<std::size_t>(found - model.features.begin());
}

bool takes_query_minimum(const Model& model, std::size_t feature, const ExportOptions& options) {
  const std::string& name = model.features[feature];
  return model.data.input.missing_rule(name) == Missing::query_min && !options.names.contains(name);
}

bool may_lack(const Model& model, std::size_t feature) {
  return model.data.input.missing_rule(model.features[feature]) != Missing::error;
}

}  // namespace dorm
