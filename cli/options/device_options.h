// SPDX-License-Identifier: Apache-2.0
// Where documents are scored, for `rank` and `eval`.
#pragma once

#include <string_view>

#include "command.h"
#include "dorm/base/compute.h"

namespace dorm::cli {

struct DeviceArguments {
  ComputeOptions place;

  /// Refuses a name that is none of a device. The device host, which tests run on, is no option of the help.
  void check() const;
  /// With the threads of all verbs.
  ComputeOptions with(const Settings& settings) const { return {settings.threads, place.device, place.memory}; }
  /// Throws Error(unsupported) where `what`, e.g. "models by position are", would be scored on another device.
  void require_cpu(std::string_view what) const;
};

void add_device_options(CLI::App& app, DeviceArguments& arguments, const char* heading);

}  // namespace dorm::cli
