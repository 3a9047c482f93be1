// SPDX-License-Identifier: Apache-2.0
// `dorm export`: a model in the format of another tool.
#include <memory>
#include <sstream>

#include "command.h"
#include "dorm/error.h"
#include "dorm/model.h"
#include "help.h"
#include "input.h"
#include "option_group.h"
#include "output.h"
#include "usage.h"
#include "written_files.h"

namespace dorm::cli {
namespace {

constexpr const char* kExportDescription =
    "Write a model in the format of another tool.\n"
    "\n"
    "A scaling is folded into the weights where it is a line in each feature; models that the format cannot\n"
    "express (kernels, scalings within each query, positions) are refused.";

constexpr const char* kExportExamples =
    "Examples:\n"
    "  dorm export m.json --to svmlight -o m.svm\n";

struct ExportArguments {
  std::string model, format, output = "-";
};

void run_export(const ExportArguments& arguments) {
  require_option(!arguments.model.empty(), "MODEL", "expected a model written by dorm train");
  require_option(!arguments.format.empty(), "--to NAME", "expected a format");
  const Exporter& exporter = find_exporter(arguments.format);
  const AnyModel any = load_any_model(arguments.model);
  const auto* model = std::get_if<Model>(&any);
  if (!model)
    throw Error(ErrorCode::unsupported, {arguments.model},
                "the model has a function per position, which no format for export can say");
  std::ostringstream text;
  about_file(
      arguments.model, [&] { exporter.write(*model, text); }, ErrorCode::unsupported);
  write_text(arguments.output, text.str());
}

}  // namespace

Action declare_export(CLI::App& app, const Settings&) {
  auto arguments = std::make_shared<ExportArguments>();
  app.add_option("MODEL", arguments->model, "model written by dorm train or dorm tune");
  const OptionGroup output(app, "Output");
  output.add("--to", arguments->format, "NAME", "format; see below");
  written(output.add("-o,--output", arguments->output, "FILE", "file to write; - is standard output (-)"));
  std::vector<CatalogEntry> formats;
  for (const Exporter& exporter : exporter_catalog()) formats.push_back(exporter.entry);
  app.description(kExportDescription);
  app.footer(kExportExamples + ("\n" + catalog_text("Formats", formats)));
  return [arguments] { run_export(*arguments); };
}

}  // namespace dorm::cli
