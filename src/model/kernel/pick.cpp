// SPDX-License-Identifier: Apache-2.0
#include "model/kernel/pick.h"

namespace dorm {

Dataset pick_documents(const Documents& documents, std::span<const std::uint32_t> which, const Kernel& kernel) {
  DatasetBuilder builder;
  std::vector<float> row(documents.num_features());
  for (const std::uint32_t document : which) {
    const auto name = [&](IdKind kind) {
      return kernel.reads(kind) ? documents.id(kind, document) : std::string_view("");
    };
    documents.load(document, row);
    builder.add({0.0f, kernel.reads(IdKind::query) ? name(IdKind::query) : "support", name(IdKind::document),
                 name(IdKind::group)},
                row);
  }
  std::vector<std::string> names;
  for (std::size_t j = 0; j < documents.num_features(); ++j) names.push_back(documents.data().feature_name(j));
  builder.set_feature_names(std::move(names));
  return builder.finish();
}

}  // namespace dorm
