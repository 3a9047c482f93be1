// SPDX-License-Identifier: Apache-2.0
// `dorm recommend export`: vectors of users and items, and what search over them finds.
#include <fmt/format.h>

#include <memory>

#include "base/json.h"
#include "command.h"
#include "command_line.h"
#include "dorm/error.h"
#include "dorm/recommend/vectors.h"
#include "input/input.h"
#include "options/option_group.h"
#include "options/written_files.h"
#include "run/output.h"
#include "text/help.h"

namespace dorm::cli {
namespace {

constexpr const char* kVectorsDescription =
    "Write vectors of users and items for a search by inner product.\n"
    "\n"
    "The best items of a user are those of the largest inner products. --check searches all items for every user\n"
    "of the model, in the precision of the target, and compares the lists with those of the model. Joint kernels\n"
    "and EASE have no vectors and are refused; --als-alone writes the factors of ALS of an average with EASE.";

constexpr const char* kVectorsExamples =
    "Examples:\n"
    "  dorm recommend export m.factors --to npz -o vectors.npz\n"
    "  dorm recommend export m.implicit --to pgvector --als-alone --check -o vectors.sql\n"
    "  dorm recommend export m.factors --to elasticsearch --name films -o bulk.ndjson\n";

struct VectorArguments {
  std::string model, target, output = "-", name = "dorm";
  bool als_alone = false, check = false;
  std::size_t top = 10;
};

std::string check_text(const VectorCheck& check, const VectorArguments& arguments, const Settings& settings) {
  if (settings.json)
    return printable_json({{"target", arguments.target},
                           {"users", check.users},
                           {"changed_users", check.changed},
                           {"top", arguments.top},
                           {"shared", check.shared}},
                          2) +
           "\n";
  return fmt::format(
      "check   exact search over the vectors, {} users\ntop {:<4}changes for {} users; {:.1f} % of the "
      "items are the same\n",
      check.users, arguments.top, check.changed, 100 * check.shared);
}

void run_vectors(const VectorArguments& arguments, const Settings& settings) {
  require_option(!arguments.model.empty(), "MODEL", "expected a model of dorm recommend train");
  require_option(!arguments.target.empty(), "--to TARGET", "expected a target");
  const Recommender loaded = load_recommender(arguments.model);
  const auto model = std::visit([](const auto& each) { return recommending(each); }, loaded);
  const auto* events = std::get_if<ImplicitModel>(&loaded);
  if (events && events->ease_weight != 0 && events->als_weight != 0 && !arguments.als_alone)
    throw Error(ErrorCode::unsupported, {arguments.model},
                "the scores of this model are an average with EASE, which has no vectors; --als-alone writes the "
                "factors of ALS, and --check says what that changes");
  const RecommenderVectors vectors = about_file(
      arguments.model,
      [&] { return std::visit([&](const auto& each) { return vectors_of(each, arguments.als_alone); }, loaded); },
      ErrorCode::unsupported);
  write_file(arguments.output,
             [&](std::ostream& out) { write_vectors(*model, vectors, arguments.target, arguments.name, out); });
  if (!arguments.check) return;
  const std::string text =
      check_text(check_vectors(*model, vectors, arguments.top, settings.threads), arguments, settings);
  if (arguments.output == "-")
    say(text);
  else
    print(text);
}

}  // namespace

Action declare_recommend_export(CLI::App& app, const Settings& settings) {
  auto arguments = std::make_shared<VectorArguments>();
  app.add_option("MODEL", arguments->model, "model of dorm recommend train: factors or implicit");
  const OptionGroup output(app, "Output"), checking(app, "Check");
  output.add("--to", arguments->target, "TARGET", "what to write; see below");
  written(output.add("-o,--output", arguments->output, "FILE", "file to write; - is standard output (-)"));
  output.add("--name", arguments->name, "NAME", "begins the names of tables and indices (dorm)");
  output.flag("--als-alone", arguments->als_alone, "of an average with EASE: the factors of ALS");
  checking.flag("--check", arguments->check, "compare what search over the vectors finds with the lists of the model");
  checking.number("--top", arguments->top, whole_from(1), "N", "length of these lists (10)");
  app.description(kVectorsDescription);
  app.footer(fmt::format("{}\n{}", kVectorsExamples, catalog_text("Targets", vector_targets())));
  return [arguments, &settings] { run_vectors(*arguments, settings); };
}

}  // namespace dorm::cli
