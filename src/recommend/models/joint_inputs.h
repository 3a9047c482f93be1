// SPDX-License-Identifier: Apache-2.0
// What the similarities of a model are made from.
#pragma once

#include "dorm/recommend/joint_model.h"

namespace dorm {

inline JointInputs inputs_of(const JointModel& model) {
  return {.user_features = model.user_features.names.empty() ? nullptr : &model.user_features,
          .item_features = model.item_features.names.empty() ? nullptr : &model.item_features,
          .users = model.own_users.size == 0 ? nullptr : &model.own_users,
          .items = model.own_items.size == 0 ? nullptr : &model.own_items};
}

inline JointKernelText joint_kernel_of(const JointModel& model) { return {model.kernel, inputs_of(model)}; }

}  // namespace dorm
