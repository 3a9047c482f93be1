// SPDX-License-Identifier: Apache-2.0
// Models for other tools, and what their arithmetic makes of data.
#include "dorm/export.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "arrays.h"
#include "bindings.h"
#include "dorm/write.h"

namespace dorm::python {
namespace {

using namespace nb::literals;

ExportOptions options_of(const std::string& name, const std::map<std::string, std::string>& names, bool fold,
                         bool non_negative) {
  return {.name = name, .names = {names.begin(), names.end()}, .fold = fold, .non_negative = non_negative};
}

nb::dict exported_to(const Model& model, const std::string& target, const ExportOptions& options) {
  const ExportTarget& found = find_export_target(target);
  const Exported exported = export_model(model, found, options);
  nb::list files;
  for (const ExportedFile& file : exported.files)
    files.append(nb::make_tuple(file.path, nb::bytes(file.bytes.data(), file.bytes.size())));
  nb::dict out;
  out["files"] = files;
  out["folder"] = found.folder;
  out["binary"] = found.binary;
  out["features"] = exported.features;
  out["notes"] = exported.notes;
  return out;
}

/// The scores by the target, then how they differ from the model's; top: of a query.
nb::tuple checked_by(const Model& model, const Dataset& data, const std::string& target, const ExportOptions& options,
                     std::size_t top) {
  const Exported exported = export_model(model, find_export_target(target), options);
  const std::vector<double> ours = score(model, data);
  std::vector<double> theirs = served_scores(exported.served, model, data);
  const ServedDifference difference = served_difference(data, ours, theirs, exported.served.pruned, top);
  return nb::make_tuple(to_numpy(std::vector<double>(ours)), to_numpy(std::move(theirs)), difference.largest,
                        difference.scale, difference.queries, difference.changed_queries);
}

}  // namespace

void bind_export(nb::module_& module) {
  module.def(
      "export_model",
      [](const Model& model, const std::string& target, const std::string& name,
         const std::map<std::string, std::string>& names, bool fold,
         bool non_negative) { return exported_to(model, target, options_of(name, names, fold, non_negative)); },
      "model"_a, "target"_a, "name"_a, "names"_a, "fold"_a, "non_negative"_a);
  module.def(
      "check_export",
      [](const Model& model, const Dataset& data, const std::string& target,
         const std::map<std::string, std::string>& names, bool fold, bool non_negative, std::size_t top) {
        return checked_by(model, data, target, options_of("dorm", names, fold, non_negative), top);
      },
      "model"_a, "data"_a, "target"_a, "names"_a, "fold"_a, "non_negative"_a, "top"_a);
  module.def(
      "write_file",
      [](const std::string& path, const nb::bytes& content) {
        write_atomically(
            path, [&](std::ostream& out) { out.write(content.c_str(), static_cast<std::streamsize>(content.size())); });
      },
      "path"_a, "content"_a, "The file appears whole or not at all.");
}

}  // namespace dorm::python
