// SPDX-License-Identifier: Apache-2.0
// What `dorm` itself lacks: it becomes dorm-all, the program beside it that has every verb, with the same arguments.
// There is no second process, so that signals, standard streams and the exit status are those of the verb.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "base/module.h"
#include "command.h"
#include "dorm/error.h"
#include "run/recommender_text.h"
#include "text/messages.h"

namespace dorm::cli {
namespace {

constexpr const char* kProgram = "dorm-all";

/// Beside this program, whatever links led to it.
std::filesystem::path program() {
  std::error_code unknown;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", unknown);
  return (unknown ? own_folder() : self.parent_path()) / kProgram;
}

/// Returns only where there is no such program.
void become_program(const Settings& settings) {
  const QuietPipe as_started;  // the other program asks how broken pipes are to end
  ::execv(program().c_str(), settings.arguments);
}

[[noreturn]] void refuse(const std::string& what) {
  throw Error(ErrorCode::unsupported,
              fmt::format("{} takes the program {}, which cannot be started ({}); make build makes it beside dorm, and "
                          "installations have both",
                          what, program().string(), std::strerror(errno)));
}

/// Without the other program all that `app` has is a line of the overview.
Action elsewhere(CLI::App& app, const Settings& settings) {
  become_program(settings);
  if (app.get_name() == settings.verb) refuse("dorm " + settings.verb);
  app.description(fmt::format("needs {}, which is not installed", kProgram));
  return {};
}

}  // namespace

std::string recommender_text(const std::string& file, const Settings& settings) {
  become_program(settings);
  refuse(fmt::format("{}: a recommender", file));
}

Action declare_compare(CLI::App& app, const Settings& settings) { return elsewhere(app, settings); }
Action declare_explore(CLI::App& app, const Settings& settings) { return elsewhere(app, settings); }
Action declare_serve(CLI::App& app, const Settings& settings) { return elsewhere(app, settings); }
Action declare_clicks_gains(CLI::App& app, const Settings& settings) { return elsewhere(app, settings); }
Action declare_clicks_propensity(CLI::App& app, const Settings& settings) { return elsewhere(app, settings); }
Action declare_clicks_evaluate(CLI::App& app, const Settings& settings) { return elsewhere(app, settings); }
Action declare_clicks_interleave(CLI::App& app, const Settings& settings) { return elsewhere(app, settings); }
Action declare_clicks_simulate(CLI::App& app, const Settings& settings) { return elsewhere(app, settings); }
Action declare_recommend_train(CLI::App& app, const Settings& settings) { return elsewhere(app, settings); }
Action declare_recommend_top(CLI::App& app, const Settings& settings) { return elsewhere(app, settings); }
Action declare_recommend_evaluate(CLI::App& app, const Settings& settings) { return elsewhere(app, settings); }
Action declare_recommend_export(CLI::App& app, const Settings& settings) { return elsewhere(app, settings); }
Action declare_recommend_compare(CLI::App& app, const Settings& settings) { return elsewhere(app, settings); }
Action declare_lab_experiment(CLI::App& app, const Settings& settings) { return elsewhere(app, settings); }
Action declare_lab_match(CLI::App& app, const Settings& settings) { return elsewhere(app, settings); }

}  // namespace dorm::cli
