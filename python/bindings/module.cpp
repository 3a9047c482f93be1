// SPDX-License-Identifier: Apache-2.0
// dorm._core: the library as Python sees it. Everything a user meets is in python/dorm.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <utility>
#include <vector>

#include "bindings.h"
#include "dorm/train.h"

namespace nb = nanobind;

namespace {

PyObject* python_type(dorm::ErrorCode code) {
  switch (code) {
    case dorm::ErrorCode::io:
      return PyExc_OSError;
    case dorm::ErrorCode::unsupported:
      return PyExc_NotImplementedError;
    case dorm::ErrorCode::internal:
      return PyExc_RuntimeError;
    case dorm::ErrorCode::bad_input:
    case dorm::ErrorCode::bad_option:
    case dorm::ErrorCode::unknown_name:
      break;
  }
  return PyExc_ValueError;
}

const char* argument_of(dorm::Remedy::Kind kind) {
  using Kind = dorm::Remedy::Kind;
  switch (kind) {
    case Kind::label_column:
      return "label_column";
    case Kind::query_column:
      return "query_column";
    case Kind::document_column:
      return "document_column";
    case Kind::encode_columns:
      return "encode";
    case Kind::treat_missing:
      return "missing";
    case Kind::ignore_columns:
    case Kind::query_text:
    case Kind::title:
      return "ignore_columns";
    case Kind::query_ids:
      break;
  }
  return "query_ids";
}

std::string value_of(const std::string& argument, const std::vector<std::string>& columns) {
  if (argument == "query_ids") return "[...]";
  nb::object value = nb::cast(columns);
  if (argument != "ignore_columns") value = nb::str(",").attr("join")(value);
  return columns.empty() ? "'mean'" : nb::cast<std::string>(nb::repr(value));
}

/// The message with what would help, as arguments of the readers.
std::string with_arguments(const dorm::Error& error) {
  std::vector<std::pair<std::string, std::vector<std::string>>> arguments;
  for (const dorm::Remedy& remedy : error.remedies()) {
    const std::string name = argument_of(remedy.kind);
    if (arguments.empty() || arguments.back().first != name) arguments.emplace_back(name, std::vector<std::string>());
    for (const std::string& column : remedy.columns) arguments.back().second.push_back(column);
  }
  std::string said;
  try {
    for (const auto& [name, columns] : arguments)
      said += (said.empty() ? "; pass " : ", ") + name + "=" + value_of(name, columns);
  } catch (const std::exception&) {  // a name that is no UTF-8
    said.clear();
  }
  return error.what() + said;
}

}  // namespace

NB_MODULE(_core, module) {
  module.attr("__version__") = DORM_VERSION;
  nb::register_exception_translator([](const std::exception_ptr& pointer, void*) {
    try {
      std::rethrow_exception(pointer);
    } catch (const dorm::InterruptedEarly& error) {
      PyErr_SetString(PyExc_KeyboardInterrupt, error.what());
    } catch (const dorm::Error& error) {
      const std::string text = with_arguments(error);  // may quote bytes of a file that are no UTF-8
      const auto message = nb::steal(PyUnicode_DecodeUTF8(text.data(), std::ssize(text), "backslashreplace"));
      PyErr_SetObject(python_type(error.code()), message.ptr());
    } catch (const std::bad_cast&) {  // of a value in a dict or tuple
      PyErr_SetString(PyExc_ValueError, "an argument has another type than expected, or is a number out of its range");
    }
  });
  dorm::python::bind_dataset(module);
  dorm::python::bind_reading(module);
  dorm::python::bind_clicks(module);
  dorm::python::bind_pages(module);
  dorm::python::bind_measure(module);
  dorm::python::bind_kernel(module);
  dorm::python::bind_model(module);
  dorm::python::bind_export(module);
  dorm::python::bind_train(module);
  dorm::python::bind_shards(module);
  dorm::python::bind_tune(module);
  dorm::python::bind_evaluate(module);
  dorm::python::bind_fusion(module);
  dorm::python::bind_factorization(module);
  dorm::python::bind_matching(module);
  dorm::python::bind_implicit(module);
  dorm::python::bind_joint(module);
  dorm::python::bind_lists(module);
  dorm::python::bind_lab(module);
  dorm::python::bind_serve(module);
  dorm::python::bind_assign(module);
  dorm::python::bind_objective(module);
  dorm::python::bind_click_evaluation(module);
  dorm::python::bind_added_columns(module);
  dorm::python::bind_catalog(module);
}
