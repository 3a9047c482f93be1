// SPDX-License-Identifier: Apache-2.0
// `dorm clicks interleave`: interleaved lists of two rankings, and the preference of users.
#include "dorm/clicks/interleave.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <ostream>
#include <set>

#include "base/json.h"
#include "base/number.h"
#include "base/numeric.h"
#include "base/quote.h"
#include "base/rng.h"
#include "command.h"
#include "command_line.h"
#include "dorm/apps/report.h"
#include "dorm/error.h"
#include "dorm/read.h"
#include "input/click_log_input.h"
#include "input/rankers.h"
#include "options/option_group.h"
#include "options/written_files.h"
#include "run/output.h"
#include "text/eval_text.h"
#include "text/help.h"

namespace dorm::cli {
namespace {

constexpr const char* kInterleaveDescription =
    "Interleave the lists of two rankers, and test which one users prefer.\n"
    "\n"
    "generate draws lists for the queries that two TREC runs have in common: session, qid, docid, position and\n"
    "the ranker that a click counts for (optimised: the credit of a click, above 0 for the first run). Show\n"
    "them, log the clicks, and analyse the log: sessions won and lost, a sign test, its power, and the number\n"
    "of sessions for a power of 0.8. plan computes that number before the experiment.";

constexpr const char* kInterleaveExamples =
    "Examples:\n"
    "  dorm clicks interleave generate old.run new.run -o lists.csv --lists 100\n"
    "  dorm clicks interleave generate old.run new.run -o lists.csv --method optimised --length 8\n"
    "  dorm clicks interleave analyse log.csv\n"
    "  dorm clicks interleave analyse log.csv --credit-column credit --json\n"
    "  dorm clicks interleave plan --share 0.52 --ties 0.6\n";

struct InterleaveArguments {
  std::string action;
  std::vector<std::string> files;
  std::string output, credit_column;
  InterleaveOptions options;
  EvaluateOptions evaluation;
  std::uint64_t lists = 1;
  double share = 0, ties = 0, power = 0.8, level = 0.05;
  ClickLogArguments reading;
};

/// Documents by decreasing score, equal ones as in the run; by query, in the order of the run.
struct RunLists {
  std::vector<std::string> queries;
  std::map<std::string, std::vector<RunEntry>> of_query;

  explicit RunLists(std::vector<RunEntry> run) {
    for (RunEntry& entry : run) {
      std::vector<RunEntry>& own = of_query[entry.query];
      if (own.empty()) queries.push_back(entry.query);
      own.push_back(std::move(entry));
    }
    for (auto& [query, entries] : of_query)
      std::stable_sort(entries.begin(), entries.end(),
                       [](const RunEntry& a, const RunEntry& b) { return a.score > b.score; });
  }
};

std::vector<std::uint32_t> numbers_of(const std::vector<RunEntry>& entries, IdTable& names) {
  std::vector<std::uint32_t> out;
  for (const RunEntry& entry : entries) out.push_back(names.add(entry.document));
  return out;
}

Ranker run_of(const std::string& argument) {
  Ranker ranker = load_ranker(argument);
  if (!std::holds_alternative<std::vector<RunEntry>>(ranker.what))
    throw Error(ErrorCode::bad_input, {ranker.file},
                fmt::format("expected a TREC run, as dorm rank --format trec writes it; this is of the kind {}",
                            ranker.kind()));
  return ranker;
}

void write_lists(const InterleaveArguments& arguments, const std::vector<Ranker>& rankers, std::ostream& out) {
  const bool draft = arguments.options.method == "team-draft";
  const RunLists a(std::get<std::vector<RunEntry>>(rankers[0].what)),
      b(std::get<std::vector<RunEntry>>(rankers[1].what));
  out << report::csv_line(std::vector<std::string>{"session", "qid", "docid", "position", draft ? "ranker" : "credit"});
  Rng random(arguments.evaluation.seed);
  std::uint64_t session = 0;
  for (const std::string& query : a.queries) {
    const auto other = b.of_query.find(query);
    if (other == b.of_query.end()) continue;
    IdTable names;
    const std::vector<std::uint32_t> first = numbers_of(a.of_query.at(query), names),
                                     second = numbers_of(other->second, names);
    const std::vector<Interleaving> all = interleavings(first, second, arguments.options);
    for (std::uint64_t i = 0; i < arguments.lists; ++i) {
      const Interleaving& list = draw_interleaving(all, random.uniform());
      ++session;
      for (std::size_t k = 0; k < list.documents.size(); ++k)
        out << report::csv_line(std::vector<std::string>{
            std::to_string(session), query, names[list.documents[k]], std::to_string(k + 1),
            draft ? rankers[list.credit[k] > 0 ? 0 : 1].name : fmt::format("{}", list.credit[k])});
    }
  }
  if (session == 0) throw Error(ErrorCode::bad_input, "the runs have no query in common; expected the same query ids");
}

void generate(const InterleaveArguments& arguments, const Settings&) {
  if (arguments.files.size() != 2)
    throw Error(ErrorCode::bad_option, fmt::format("generate of {} runs; expected two", arguments.files.size()));
  require_option(!arguments.output.empty(), "-o FILE", "expected a file to write, or - for standard output");
  std::vector<Ranker> rankers = {run_of(arguments.files[0]), run_of(arguments.files[1])};
  make_names_distinct(rankers);
  write_file(arguments.output, [&](std::ostream& out) { write_lists(arguments, rankers, out); });
}

/// The credit of each session, and the rankers that receive it.
struct SessionCredits {
  std::vector<double> values;
  std::vector<std::string> teams;  // sorted by name; empty: credits are numbers
};

double parse_credit(const ClickSession::Shown& shown, const std::string& log, std::uint64_t line) {
  double credit = 0;
  if (dorm::parse_number(shown.context, credit) != NumberKind::finite)
    throw Error(ErrorCode::bad_input, {log, line, 0},
                fmt::format("in the page that begins here the credit of document {} is {}; expected a number",
                            in_quotes(shown.document), in_quotes(shown.context)));
  return credit;
}

SessionCredits read_credits(const InterleaveArguments& arguments, const std::string& log, const Settings& settings) {
  ClickLogOptions reading = click_log_options(arguments.reading, "", "", settings);
  const bool numbers = !arguments.credit_column.empty();
  if (numbers) reading.columns.context = {arguments.credit_column};
  SessionCredits out;
  std::map<std::string, std::vector<std::uint32_t>> clicks_of;  // team: sessions, once per click
  for_each_session(log, reading, [&](const ClickSession& session) {
    double credit = 0;
    for (const ClickSession::Shown& shown : session.shown) {
      if (numbers) {
        const double value = parse_credit(shown, log, session.line);
        if (shown.clicked) credit += value;
        continue;
      }
      if (shown.ranker.empty()) continue;  // of neither
      std::vector<std::uint32_t>& own = clicks_of[shown.ranker];
      if (clicks_of.size() > 2)
        throw Error(
            ErrorCode::bad_input, {log, session.line, 0},
            fmt::format("the page that begins here names a third ranker, {}; expected two, and an empty ranker for "
                        "documents of neither",
                        in_quotes(shown.ranker)));
      if (shown.clicked) own.push_back(static_cast<std::uint32_t>(out.values.size()));
    }
    out.values.push_back(credit);
  });
  if (numbers) return out;
  if (clicks_of.size() != 2)
    throw Error(ErrorCode::bad_input, {log},
                fmt::format("{} rankers in the log; expected two, in the column {}", clicks_of.size(),
                            arguments.reading.options.columns.ranker));
  double sign = 1;
  for (const auto& [team, sessions] : clicks_of) {
    for (const std::uint32_t session : sessions) out.values[session] += sign;
    out.teams.push_back(team);
    sign = -1;
  }
  return out;
}

Json interleaving_json(const InterleavingResult& result, const SessionCredits& credits,
                       const InterleaveArguments& arguments) {
  const PairedTest& test = result.test;
  return {{"rankers", credits.teams},
          {"sessions", test.queries},
          {"wins", test.wins},
          {"losses", test.losses},
          {"ties", test.ties},
          {"share", result.share},
          {"preference", result.preference},
          {"credit", {{"mean", test.mean_difference}, {"low", test.low}, {"high", test.high}}},
          {"p_sign", test.p_sign},
          {"level", arguments.level},
          {"power", result.power},
          {"sessions_needed", result.sessions_needed}};
}

std::string needed_text(double sessions) {
  return std::isinf(sessions) ? std::string("no number of sessions is enough")
                              : fmt::format("{:.0f} sessions", sessions);
}

std::string interleaving_text(const InterleavingResult& result, const SessionCredits& credits,
                              const InterleaveArguments& arguments) {
  const PairedTest& test = result.test;
  const std::string a = credits.teams.empty() ? "credit above 0" : credits.teams[0];
  const std::string b = credits.teams.empty() ? "credit below 0" : credits.teams[1];
  std::string text = aligned({{"sessions", std::to_string(test.queries)},
                              {fmt::format("won by {}", a), std::to_string(test.wins)},
                              {fmt::format("won by {}", b), std::to_string(test.losses)},
                              {"undecided", std::to_string(test.ties)}});
  text += fmt::format("\nsign test, p: {}; {} won {} of the decided sessions\n", report::p_value_text(test.p_sign), a,
                      std::isnan(result.share) ? "none" : fmt::format("{:.1f} %", 100 * result.share));
  text += fmt::format("clicks per session for {} rather than {}: {:+.4f} {}\n", a, b, test.mean_difference,
                      interval_text(test.low, test.high));
  return text + fmt::format("for this difference the power is {:.2f} at level {:g}; power 0.80 takes {}\n",
                            result.power, arguments.level, needed_text(result.sessions_needed));
}

void analyse(const InterleaveArguments& arguments, const Settings& settings) {
  if (arguments.files.size() != 1)
    throw Error(ErrorCode::bad_option, fmt::format("analyse of {} logs; expected one", arguments.files.size()));
  const std::string& log = arguments.files.front();
  EvaluateOptions options = arguments.evaluation;
  options.threads = settings.threads;
  const SessionCredits credits = read_credits(arguments, log, settings);
  const InterleavingResult result =
      about_file(log, [&] { return analyse_interleaving(credits.values, options, arguments.level); });
  print(settings.json ? printable_json(interleaving_json(result, credits, arguments), 2) + "\n"
                      : interleaving_text(result, credits, arguments));
}

void plan(const InterleaveArguments& arguments, const Settings& settings) {
  require_option(arguments.share > 0, "--share X", "the share of decided sessions that the better ranker wins");
  const double decided = decided_sessions_needed(arguments.share, arguments.power, arguments.level);
  const double sessions = std::ceil(decided / (1 - arguments.ties));
  const double exact = std::isinf(decided) ? 0 : sign_test_power(decided, arguments.share, arguments.level);
  if (settings.json) {
    const Json out = {{"share", arguments.share}, {"ties", arguments.ties}, {"power", arguments.power},
                      {"level", arguments.level}, {"decided", decided},     {"sessions", sessions},
                      {"exact_power", exact}};
    print(printable_json(out, 2) + "\n");
  } else if (std::isinf(decided)) {
    print("a share of 0.5 is no difference: no number of sessions is enough\n");
  } else {
    print(fmt::format("{:.0f} sessions, of which {:.0f} are decided: power {:.3f} at level {:g}\n", sessions, decided,
                      exact, arguments.level));
  }
}

void run_interleave(const InterleaveArguments& arguments, const Settings& settings) {
  if (arguments.action == "generate") return generate(arguments, settings);
  if (arguments.action == "analyse") return analyse(arguments, settings);
  if (arguments.action == "plan") return plan(arguments, settings);
  throw Error(ErrorCode::bad_option,
              fmt::format("unknown action {}; expected generate, analyse or plan", in_quotes(arguments.action)));
}

}  // namespace

Action declare_clicks_interleave(CLI::App& app, const Settings& settings) {
  auto arguments = std::make_shared<InterleaveArguments>();
  InterleaveArguments& to = *arguments;
  const OptionGroup lists(app, "Lists"), test(app, "Test"), output(app, "Output");
  app.add_option("ACTION", to.action, "generate, analyse or plan");
  app.add_option("FILE", to.files, "generate: two TREC runs, [NAME=]FILE; analyse: a click log");
  lists.add("--method", to.options.method, "NAME", "method of interleaving; see below (team-draft)");
  lists.add("--credit", to.options.credit, "NAME",
            "of optimised: credit of a click; inverse: 1 / rank in the first run\n- 1 / rank in the second; linear: "
            "difference of the ranks\n(inverse)");
  lists.number("--length", to.options.length, whole_from(1, 20), "N",
               fmt::format("length of a list ({})", to.options.length));
  lists.number("--lists", to.lists, whole_from(1, 1e9), "N", "lists of each query (1)");
  lists.number("--seed", to.evaluation.seed, whole_from(0), "N", "of the lists, and of the bootstrap (0)");
  test.add("--credit-column", to.credit_column, "NAME",
           "column of the log with the credit of a click, as in lists of optimised;\nelse --ranker-column names the "
           "ranker");
  test.number("--level", to.level, number_within(0, 1), "X", "of the two-sided sign test (0.05)");
  test.number("--bootstrap", to.evaluation.bootstrap, whole_from(0, 1e7), "N",
              "resamples of the sessions for the interval; 0: none (1000)");
  test.number("--confidence", to.evaluation.confidence, number_within(0, 1), "X", "of the interval (0.95)");
  test.number("--share", to.share, number_within(0, 1), "X",
              "plan: the share of decided sessions that the better ranker wins");
  test.number("--ties", to.ties, number_from(0, 0.999999), "X", "plan: the share of sessions without a winner (0)");
  test.number("--power", to.power, number_within(0, 1), "X", "plan: power of the test (0.8)");
  written(output.add("-o,--output", to.output, "FILE", "generate: where to write; - is standard output"));
  add_click_log_options(app, to.reading);
  app.description(kInterleaveDescription);
  app.footer(fmt::format("{}\n{}", kInterleaveExamples, catalog_text("Methods", interleave_catalog())));
  return [arguments, &settings] { run_interleave(*arguments, settings); };
}

}  // namespace dorm::cli
