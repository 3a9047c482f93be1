// SPDX-License-Identifier: Apache-2.0
// Every name a user can pass.
#include "dorm/base/catalog.h"

#include "bindings.h"
#include "dorm/export.h"
#include "dorm/lab/collaborative.h"
#include "dorm/lab/experiment.h"
#include "dorm/learning/baseline.h"
#include "dorm/learning/sets.h"
#include "dorm/oracle.h"
#include "dorm/recommend/joint_model.h"
#include "dorm/solver.h"
#include "dorm/train.h"

namespace dorm::python {
namespace {

namespace nb = nanobind;

std::vector<CatalogEntry> target_catalog() {
  std::vector<CatalogEntry> targets;
  for (const ExportTarget& target : export_targets()) targets.push_back(target.entry);
  return targets;
}

nb::list entries(std::span<const CatalogEntry> catalog) {
  nb::list out;
  for (const CatalogEntry& entry : catalog)
    out.append(nb::make_tuple(nb::str(entry.name.data(), entry.name.size()),
                              nb::str(entry.usage.data(), entry.usage.size()),
                              nb::str(entry.help.data(), entry.help.size()), entry.trainable));
  return out;
}

}  // namespace

void bind_catalog(nb::module_& module) {
  module.def(
      "catalog",
      [] {
        nb::dict all;
        all["measure"] = entries(measure_catalog());
        all["convention"] = entries(convention_catalog());
        all["ties"] = entries(tie_catalog());
        all["scale"] = entries(scaling_catalog());
        all["decay"] = entries(decay_catalog());
        all["bound"] = entries(bound_choices());
        all["initial"] = entries(initial_model_catalog());
        all["solver"] = entries(solver_catalog());
        all["similarity"] = entries(set_similarity_catalog());
        all["target"] = entries(target_catalog());
        all["method"] = entries(method_catalog());
        all["recommender"] = entries(collaborative_catalog());
        all["joint"] = entries(joint_method_catalog());
        all["experiment"] = entries(experiment_catalog());
        return all;
      },
      "Every name that can be passed, as (name, usage, help, trainable) by kind.");
}

}  // namespace dorm::python
