// SPDX-License-Identifier: Apache-2.0
// What each file of this folder adds to the module.
#pragma once

#include <nanobind/nanobind.h>

namespace dorm::python {

void bind_dataset(nanobind::module_& module);
void bind_clicks(nanobind::module_& module);
void bind_added_columns(nanobind::module_& module);
void bind_reading(nanobind::module_& module);
void bind_pages(nanobind::module_& module);
void bind_measure(nanobind::module_& module);
void bind_kernel(nanobind::module_& module);
void bind_model(nanobind::module_& module);
void bind_export(nanobind::module_& module);
void bind_train(nanobind::module_& module);
void bind_shards(nanobind::module_& module);
void bind_tune(nanobind::module_& module);
void bind_evaluate(nanobind::module_& module);
void bind_fusion(nanobind::module_& module);
void bind_factorization(nanobind::module_& module);
void bind_matching(nanobind::module_& module);
void bind_implicit(nanobind::module_& module);
void bind_joint(nanobind::module_& module);
void bind_lists(nanobind::module_& module);
void bind_lab(nanobind::module_& module);
void bind_serve(nanobind::module_& module);
void bind_assign(nanobind::module_& module);
void bind_objective(nanobind::module_& module);
void bind_click_evaluation(nanobind::module_& module);
void bind_catalog(nanobind::module_& module);

}  // namespace dorm::python
