// SPDX-License-Identifier: Apache-2.0
// dorm._core: the library as Python sees it. Everything a user meets is in python/dorm.
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

}  // namespace

NB_MODULE(_core, module) {
  module.attr("__version__") = DORM_VERSION;
  nb::register_exception_translator([](const std::exception_ptr& pointer, void*) {
    try {
      std::rethrow_exception(pointer);
    } catch (const dorm::InterruptedEarly& error) {
      PyErr_SetString(PyExc_KeyboardInterrupt, error.what());
    } catch (const dorm::Error& error) {
      PyErr_SetString(python_type(error.code()), error.what());
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
