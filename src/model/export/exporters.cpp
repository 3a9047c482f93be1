// SPDX-License-Identifier: Apache-2.0
// The formats that a model can be exported to.
#include <array>

#include "dorm/model.h"
#include "model/export/formats.h"

namespace dorm {
namespace {

constexpr std::array kExporters{
    Exporter{{.name = "svmlight",
              .usage = "svmlight",
              .help = "the weights of a linear model as svm_rank_classify and svm_classify read them"},
             export_svmlight},
    Exporter{{.name = "sql", .usage = "sql", .help = "the score as an SQL expression; features are columns"},
             export_sql},
};

constexpr auto kNames = [] {
  std::array<CatalogEntry, kExporters.size()> names{};
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = kExporters[i].entry;
  return names;
}();

}  // namespace

std::span<const Exporter> exporter_catalog() { return kExporters; }

const Exporter& find_exporter(std::string_view name) {
  for (const Exporter& exporter : kExporters)
    if (exporter.entry.name == name) return exporter;
  throw_unknown_name("format", name, kNames);
}

}  // namespace dorm
