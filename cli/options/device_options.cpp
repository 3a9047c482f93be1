// SPDX-License-Identifier: Apache-2.0
#include "options/device_options.h"

#include <fmt/format.h>

#include "device/row_device.h"
#include "dorm/error.h"
#include "options/option_group.h"

namespace dorm::cli {

void DeviceArguments::check() const {
  if (place.device != "host") check_device_name(place.device);
}

void DeviceArguments::require_cpu(std::string_view what) const {
  if (place.on_device())
    throw Error(ErrorCode::unsupported,
                fmt::format("{} not scored on the device {}; expected the device cpu", what, place.device));
}

void add_device_options(CLI::App& app, DeviceArguments& arguments, const char* heading) {
  OptionGroup(app, heading)
      .add("--device", arguments.place.device, "NAME", "compute device: cpu, cuda (an NVIDIA GPU) or cuda:N (cpu)");
  app.add_option_function<std::string>(
         "--memory", [&arguments](const std::string& text) { arguments.place.memory = parse_bytes("--memory", text); },
         "memory limit of the device (its free memory)")
      ->option_text("SIZE")
      ->group(heading);
}

}  // namespace dorm::cli
