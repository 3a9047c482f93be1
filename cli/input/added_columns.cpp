// SPDX-License-Identifier: Apache-2.0
#include "input/added_columns.h"

#include <fmt/format.h>

#include "command_line.h"
#include "dorm/data/query_columns.h"
#include "dorm/learning/sets.h"
#include "options/option_group.h"
#include "text/help.h"

namespace dorm::cli {
namespace {

const std::vector<std::string> kDefaultSimilarities = {"mean:attribute", "max:attribute"};

std::string similarity_help() {
  std::string known;
  for (const CatalogEntry& entry : set_similarity_catalog())
    known += fmt::format("{}{}", known.empty() ? "" : ", ", entry.usage);
  return fmt::format("what a column says: {};\nmay be repeated ({})", known, fmt::join(kDefaultSimilarities, ", "));
}

}  // namespace

void add_column_options(CLI::App& app, AddedColumns& arguments) {
  const OptionGroup added(app, "Added columns");
  added.add("--sets", arguments.sets, "FILE",
            "documents of the same features, labels not needed: those of a\nquery are the set that its documents are "
            "compared with");
  added.add("--similarity", arguments.similarities, "NAME", similarity_help())->take_all()->allow_extra_args(false);
  added.flag("--only-added", arguments.only, "leave the columns of IN out; with --sets");
  added.add("--user-features", arguments.users, "FILE",
            "query id and features of its user; text becomes an indicator for\neach value");
  added.add("--user-columns", arguments.user_columns, "LIST",
            "columns of that table, such as 2-4; the numbers at its end, or\nits last column");
}

void check_added_columns(const AddedColumns& arguments) {
  require_option(!arguments.sets.empty() || (arguments.similarities.empty() && !arguments.only), "--sets FILE",
                 "expected beside --similarity and --only-added");
  require_option(!arguments.users.empty() || arguments.user_columns.empty(), "--user-features FILE",
                 "expected beside --user-columns");
  for (const std::string& similarity : arguments.similarities) check_set_similarity(similarity);
}

Dataset add_columns(const Dataset& data, const AddedColumns& arguments, const InputArguments& input,
                    const Settings& settings) {
  Dataset out = data;
  if (!arguments.sets.empty()) {
    InputArguments as_data = input;
    as_data.qrels.clear();
    const Dataset sets = load(arguments.sets, as_data, settings, {.like = &data.input(), .labels = false}).data;
    const std::vector<std::string>& similarities =
        arguments.similarities.empty() ? kDefaultSimilarities : arguments.similarities;
    out = about_file(arguments.sets, [&] {
      return with_set_columns(out, sets, similarities, {.only_added = arguments.only, .threads = settings.threads});
    });
  }
  if (arguments.users.empty()) return out;
  const SideFeatures users = read_side_features(arguments.users, arguments.user_columns);
  std::size_t unknown = 0;
  out = about_file(arguments.users, [&] { return with_user_columns(out, users, &unknown, settings.threads); });
  if (unknown > 0)
    warn(settings, fmt::format("{}: {} of {} queries have no row; their user columns are 0", arguments.users, unknown,
                               out.num_queries()));
  return out;
}

}  // namespace dorm::cli
