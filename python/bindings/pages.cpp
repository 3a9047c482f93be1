// SPDX-License-Identifier: Apache-2.0
// Pages about trainings, the same that the command writes.
#include "dorm/pages.h"

#include <nanobind/stl/string.h>

#include "bindings.h"
#include "training.h"

namespace dorm::python {
namespace {

namespace nb = nanobind;
using namespace nb::literals;

report::Report page_of(const Training& training, const std::string& train_name, const std::string& valid_name) {
  const pages::TrainingStory story{.train = training.train,
                                   .valid = training.valid ? &*training.valid : nullptr,
                                   .result = training.result,
                                   .trace = training.trace,
                                   .train_name = train_name,
                                   .valid_name = valid_name,
                                   .interrupted = training.interrupted};
  return pages::train_page(story);
}

}  // namespace

void bind_pages(nb::module_& module) {
  nb::class_<report::Report>(module, "Page", "A document of tables and plots.")
      .def("html", &report::to_html)
      .def(
          "write", [](const report::Report& page, const std::string& path) { report::write_report(page, path); },
          "path"_a, "As HTML, Markdown or CSV, by the extension.");
  nb::class_<Training>(module, "Training", "A training with its data: what a page about it is made from.")
      .def_static(
          "of",
          [](const Model& model, const Dataset& data) {
            return Training{.train = data, .result = {.model = model, .report = {}}};
          },
          "model"_a, "data"_a, "A model whose training is not known, on some data.")
      .def("page", &page_of, "train_name"_a, "valid_name"_a, nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace dorm::python
