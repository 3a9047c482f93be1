// SPDX-License-Identifier: Apache-2.0
// `dorm recommend top`: the items that a model ranks first for a user.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <sstream>
#include <type_traits>

#include "base/json.h"
#include "command.h"
#include "command_line.h"
#include "dorm/apps/report.h"
#include "dorm/error.h"
#include "dorm/recommend/recommender.h"
#include "dorm/write.h"
#include "input/input.h"
#include "input/ratings_input.h"
#include "options/option_group.h"
#include "options/written_files.h"
#include "run/output.h"
#include "text/help.h"

namespace dorm::cli {
namespace {

constexpr const char* kTopDescription =
    "Recommend items to users by a model of dorm recommend train.\n"
    "\n"
    "Prints the best items of each user, without those the user has rated. New users are folded in without\n"
    "retraining, from --ratings; given alone, it selects the users of that file. Scores order the items of one\n"
    "user; they are not ratings. Titles of items are shown where the model or --item-names has them.";

constexpr const char* kTopExamples =
    "Examples:\n"
    "  dorm recommend top m.factors --user 42 --top 10\n"
    "  dorm recommend top m.factors --all --format jsonl\n"
    "  dorm recommend top m.factors --user newcomer --ratings their-ratings.csv\n"
    "  dorm recommend top m.factors --ratings new-users.csv --item-names titles.csv\n"
    "  dorm recommend top m.factors --similar-to 50\n"
    "  dorm recommend top m.implicit --user ann --because 3\n";

constexpr std::array<CatalogEntry, 3> kRecommendFormats = {{
    {.name = "text",
     .usage = "text",
     .help = "user, rank, item, score, title if known, reasons; tab-separated, with a header"},
    {.name = "csv", .usage = "csv", .help = "the same, comma-separated"},
    {.name = "jsonl", .usage = "jsonl", .help = "one JSON object per user: user, items of {item, score, title}"},
}};

struct TopArguments {
  std::string model, user, users, ratings, user_features, user_columns, similar_to, item_names, format = "text",
                                                                                                layout = "auto";
  std::string output = "-", candidates, exclude;
  std::size_t top = 10, because = 0;
  bool all = false, with_seen = false, for_spreadsheets = false;

  bool names_users() const { return !user.empty() || !users.empty() || all; }
};

[[noreturn]] void throw_unknown(const std::string& file, const std::string& what, const std::string& id,
                                std::size_t known, const std::string& hint) {
  throw Error(ErrorCode::bad_input, {file},
              fmt::format("unknown {} \"{}\"; the model knows {} {}s{}", what, id, known, what, hint));
}

/// Which items may be recommended: those of --candidates, or all, without those of --exclude; empty: all. Ids that the
/// model does not know are counted in a warning.
std::vector<char> allowed_items(const IdTable& items, const TopArguments& arguments, const Settings& settings) {
  if (arguments.candidates.empty() && arguments.exclude.empty()) return {};
  std::vector<char> allowed(items.size(), arguments.candidates.empty());
  const auto mark = [&](const std::string& file, char value) {
    if (file.empty()) return;
    std::size_t unknown = 0;
    for (const std::string& id : read_lines(file)) {
      if (const auto item = items.find(id))
        allowed[*item] = value;
      else
        ++unknown;
    }
    if (unknown > 0) warn(settings, fmt::format("{}: {} items are not known to the model", file, unknown));
  };
  mark(arguments.candidates, 1);
  mark(arguments.exclude, 0);
  return allowed;
}

Json named_item(const Recommending& model, const Recommendation& each, const char* number) {
  Json out = {{"item", model.items()[each.item]}, {number, each.score}};
  if (!model.title(each.item).empty()) out["title"] = model.title(each.item);
  return out;
}

Json reasons_json(const Recommending& model, const Taste& taste, std::size_t item, std::size_t n) {
  const Explanation reasons = explain(model, taste, item, n);
  Json because = Json::array();
  for (const Recommendation& each : reasons.because) because.push_back(named_item(model, each, "part"));
  return {{"because", std::move(because)}, {"rest", reasons.rest}};
}

/// Items that add to the score, by title where there is one: "Star Wars 0.41; Alien 0.2".
std::string reasons_text(const Recommending& model, const Taste& taste, std::size_t item, std::size_t n) {
  std::vector<std::string> texts;
  for (const Recommendation& each : explain(model, taste, item, n).because)
    if (each.score > 0)
      texts.push_back(fmt::format(
          "{} {:.3g}", model.title(each.item).empty() ? model.items()[each.item] : model.title(each.item), each.score));
  return fmt::format("{}", fmt::join(texts, "; "));
}

std::uint32_t user_number(const IdTable& users, const std::string& file, const std::string& id) {
  const auto user = users.find(id);
  if (!user) throw_unknown(file, "user", id, users.size(), " (--ratings FILE folds in new ones from what they rated)");
  return *user;
}

std::vector<std::uint32_t> wanted_users(const IdTable& known, const TopArguments& arguments,
                                        const std::vector<std::string>& folded_in) {
  std::vector<std::uint32_t> users;
  if (!arguments.names_users() && arguments.similar_to.empty())
    for (const std::string& id : folded_in) users.push_back(user_number(known, arguments.model, id));
  if (arguments.all)
    for (std::uint32_t u = 0; u < known.size(); ++u) users.push_back(u);
  if (!arguments.user.empty()) users.push_back(user_number(known, arguments.model, arguments.user));
  if (!arguments.users.empty())
    for (const std::string& id : read_lines(arguments.users)) users.push_back(user_number(known, arguments.model, id));
  return users;
}

/// Items with their reasons; `taste` is null where items are like an item.
void write_list(const Recommending& model, const std::string& name, const Taste* taste,
                const std::vector<Recommendation>& list, const TopArguments& arguments, std::ostream& out) {
  const std::string& format = arguments.format;
  const auto shown = [&](const std::string& id) { return arguments.for_spreadsheets ? report::disarmed(id) : id; };
  const bool reasons = taste != nullptr && arguments.because > 0;
  if (format == "jsonl") {
    Json items = Json::array();
    for (const Recommendation& each : list) {
      items.push_back(named_item(model, each, "score"));
      if (reasons) items.back().update(reasons_json(model, *taste, each.item, arguments.because));
    }
    out << printable_json({{"user", name}, {"items", std::move(items)}}) << '\n';
    return;
  }
  for (std::size_t rank = 0; rank < list.size(); ++rank) {
    const std::uint32_t item = list[rank].item;
    std::vector<std::string> fields = {shown(name), std::to_string(rank + 1), shown(model.items()[item]),
                                       fmt::format("{}", list[rank].score)};
    if (model.has_titles()) fields.push_back(shown(std::string(model.title(item))));
    if (reasons) fields.push_back(shown(reasons_text(model, *taste, item, arguments.because)));
    out << (format == "csv" ? report::csv_line(fields) : fmt::format("{}\n", fmt::join(fields, "\t")));
  }
}

void check(const TopArguments& arguments) {
  require_option(!arguments.model.empty(), "MODEL", "expected a model of dorm recommend train");
  const int asked = !arguments.user.empty() + !arguments.users.empty() + arguments.all + !arguments.similar_to.empty();
  if (asked > 1)
    throw Error(ErrorCode::bad_option,
                "several selections of users; expected one of --user ID, --users FILE, --all or "
                "--similar-to ITEM");
  if (std::none_of(kRecommendFormats.begin(), kRecommendFormats.end(),
                   [&](const CatalogEntry& entry) { return entry.name == arguments.format; }))
    throw_unknown_name("format", arguments.format, kRecommendFormats);
  require_option(arguments.because == 0 || arguments.similar_to.empty(),
                 "--user ID, --users FILE, --ratings FILE or --all",
                 "--because gives the reasons of recommendations to users");
  require_option(!arguments.for_spreadsheets || arguments.format == "csv", "--format csv", "--spreadsheet is for CSV");
}

/// No user is selected: the message has an example from the model.
[[noreturn]] void throw_no_user(const IdTable& users, const IdTable& items, const TopArguments& arguments) {
  throw Error(ErrorCode::bad_option,
              fmt::format("no user is selected; expected one of --user ID, --users FILE, --ratings FILE, --all or "
                          "--similar-to ITEM; {} knows {} users and {} items, for example --user {}",
                          arguments.model, users.size(), items.size(), users[0]));
}

/// Adds the users of the ratings to the model; their ids.
template <class RatingsModel>
std::vector<std::string> fold_in(RatingsModel& model, const TopArguments& arguments, const Settings& settings) {
  if (arguments.ratings.empty()) return {};
  std::optional<SideFeatures> features;
  if (!arguments.user_features.empty()) features = read_side_features(arguments.user_features, arguments.user_columns);
  const Ratings ratings = std::is_same_v<RatingsModel, ImplicitModel>
                              ? load_events(arguments.ratings, {}, settings).weights
                              : load_ratings(arguments.ratings, arguments.layout, settings);
  const std::size_t ignored = fold_in_users(model, ratings, features ? &*features : nullptr, settings.threads);
  if (ignored > 0)
    warn(settings,
         fmt::format("{}: {} of {} ratings are of {} the model {}, and are ignored", arguments.ratings, ignored,
                     ratings.size(), std::is_same_v<RatingsModel, JointModel> ? "users or items" : "items",
                     std::is_same_v<RatingsModel, JointModel> ? "was trained on or does not know" : "does not know"));
  std::vector<std::string> ids;
  for (std::size_t u = 0; u < ratings.num_users(); ++u)
    if (ratings.of_user(u).size() > 0) ids.push_back(ratings.users()[u]);
  return ids;
}

void print_lists(const Recommending& model, const std::vector<std::string>& folded_in, const TopArguments& arguments,
                 const Settings& settings) {
  std::ostringstream out;
  std::vector<std::string> head = {arguments.similar_to.empty() ? "user" : "to", "rank", "item", "score"};
  if (model.has_titles()) head.emplace_back("title");
  if (arguments.because > 0) head.emplace_back("because");
  if (arguments.format != "jsonl") out << fmt::format("{}\n", fmt::join(head, arguments.format == "csv" ? "," : "\t"));
  const std::vector<char> allowed = allowed_items(model.items(), arguments, settings);
  if (!arguments.similar_to.empty()) {
    const auto item = model.items().find(arguments.similar_to);
    if (!item) throw_unknown(arguments.model, "item", arguments.similar_to, model.items().size(), "");
    std::vector<Recommendation> list = model.like_item(*item, allowed.empty() ? arguments.top : model.items().size());
    std::erase_if(list, [&](const Recommendation& each) { return !allowed.empty() && allowed[each.item] == 0; });
    list.resize(std::min(list.size(), arguments.top));
    write_list(model, arguments.similar_to, nullptr, list, arguments, out);
  }
  const std::vector<std::uint32_t> users = wanted_users(model.users(), arguments, folded_in);
  const auto lists = top_items(model, users, {arguments.top, arguments.with_seen, allowed}, settings.threads);
  for (std::size_t u = 0; u < users.size(); ++u) {
    const Taste taste = model.known(users[u]);
    write_list(model, model.users()[users[u]], &taste, lists[u], arguments, out);
  }
  write_text(arguments.output, std::move(out).str());
}

template <class RatingsModel>
void recommend_by(RatingsModel& model, const TopArguments& arguments, const Settings& settings) {
  if (!arguments.names_users() && arguments.similar_to.empty() && arguments.ratings.empty()) {
    const auto known = recommending(model);
    throw_no_user(known->users(), known->items(), arguments);
  }
  const std::vector<std::string> folded_in = fold_in(model, arguments, settings);
  if (!arguments.item_names.empty()) set_titles(model, read_titles(arguments.item_names));
  print_lists(*recommending(model), folded_in, arguments, settings);
}

void run_top(TopArguments arguments, const Settings& settings) {
  if (settings.json) arguments.format = "jsonl";
  check(arguments);
  auto loaded = load_recommender(arguments.model);
  std::visit([&](auto& model) { recommend_by(model, arguments, settings); }, loaded);
}

}  // namespace

Action declare_recommend_top(CLI::App& app, const Settings& settings) {
  auto arguments = std::make_shared<TopArguments>();
  const OptionGroup whom(app, "Users"), output(app, "Output");
  app.add_option("MODEL", arguments->model, "model of dorm recommend train");
  whom.add("--user", arguments->user, "ID", "one user");
  whom.add("--users", arguments->users, "FILE", "users, one id per line");
  whom.flag("--all", arguments->all, "every user of the model");
  whom.add("--similar-to", arguments->similar_to, "ITEM", "items similar to this one, by cosine");
  whom.add("--ratings", arguments->ratings, "FILE",
           "ratings or events of new users, who are folded in; alone: recommend to them");
  add_layout_option(app, arguments->layout, "Users");
  whom.add("--user-features", arguments->user_features, "FILE", "features of new users");
  whom.add("--user-columns", arguments->user_columns, "LIST", "columns of that file");
  output.number("--top", arguments->top, whole_from(1), "N", "number of items (10)");
  output.add("--item-names", arguments->item_names, "FILE",
             "titles of the items: id and title on each line (those of the model)");
  output.add("--candidates", arguments->candidates, "FILE", "recommend these items alone: one id per line");
  output.add("--exclude", arguments->exclude, "FILE", "recommend none of these items: one id per line");
  output.number("--because", arguments->because, whole_from(1), "N",
                "with the reasons: the N items of the user that add most to each score");
  output.flag("--with-seen", arguments->with_seen, "include items that the user has rated");
  output.add("--format", arguments->format, "NAME", "text, csv or jsonl; see below (text)");
  output.flag("--spreadsheet", arguments->for_spreadsheets,
              "with --format csv: write ' before ids that a spreadsheet would take\nfor formulas (= + - @)");
  written(output.add("-o,--output", arguments->output, "FILE", "where to write; - is standard output (-)"));
  app.description(kTopDescription);
  app.footer(fmt::format("{}\n{}", kTopExamples, catalog_text("Formats", kRecommendFormats)));
  return [arguments, &settings] { run_top(*arguments, settings); };
}

}  // namespace dorm::cli
