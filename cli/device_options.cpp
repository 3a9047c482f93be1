// SPDX-License-Identifier: Apache-2.0
#include "device_options.h"

#include <fmt/format.h>

#include "device/row_device.h"
#include "dorm/error.h"
#include "option_group.h"

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
      .add("--device", arguments.place.device, "NAME",
           "what scores the documents: cpu, cuda (an NVIDIA GPU) or\ncuda:N (cpu)");
  app.add_option_function<std::string>(
         "--device-memory",
         [&arguments](const std::string& text) { arguments.place.device_bytes = parse_bytes("--device-memory", text); },
         "most memory of the device to take (what is free there)")
      ->option_text("SIZE")
      ->group(heading);
}

}  // namespace dorm::cli
