// SPDX-License-Identifier: Apache-2.0
#include "list_options.h"

#include <fmt/format.h>

#include "dorm/error.h"
#include "output.h"
#include "stop.h"
#include "text/train_text.h"
#include "training_view.h"
#include "usage.h"

namespace dorm::cli {
namespace {

constexpr const char* kGroup = "Positions and topics";

void refuse(bool given, const char* option) {
  if (given)
    throw Error(ErrorCode::bad_option, fmt::format("{} is not supported beside --position-gains and --topics", option));
}

/// The number after @ in the measure's name.
std::size_t cutoff_of(const std::string& measure) {
  const std::string name = make_trainable(measure)->name();
  const std::size_t at = name.find('@');
  if (at == std::string::npos)
    throw Error(ErrorCode::bad_option,
                fmt::format("--topics needs the length of the lists; expected --top N, or a measure such as "
                            "ndcg@10 instead of {}",
                            name));
  return static_cast<std::size_t>(std::stoul(name.substr(at + 1)));
}

std::string topic_line(const TopicReport& report) {
  return fmt::format("lists        {} under topic limits, {} not proven the best, largest gap {:.3g}\n", report.lists,
                     report.unproven, report.largest_gap);
}

void finish(const TrainResult& result, const std::string& model_text, const std::string& page,
            const TrainingArguments& arguments, const Settings& settings, int signal) {
  write_text(arguments.model, model_text);
  for (const std::string& warning : result.report.warnings) warn(settings, warning);
  if (signal != 0) warn(settings, "interrupted; the model is the best so far");
  if (arguments.model != "-") {
    nlohmann::ordered_json json = train_json(result, arguments.model);
    json["interrupted"] = signal != 0;
    print(settings.json ? json.dump(2) + "\n" : train_text(result, arguments.model) + page);
  }
  if (signal != 0) throw Stopped{signal};
}

}  // namespace

void add_topic_options(CLI::App& app, TopicArguments& arguments) {
  app.add_option("--topics", arguments.topics, "CSV docid,topic,weight: lists keep the limits of --limits")
      ->option_text("FILE")
      ->group(kGroup);
  app.add_option("--limits", arguments.limits, "CSV topic,limit: most of a topic that a list may take")
      ->option_text("FILE")
      ->group(kGroup);
  app.add_option("--list-seconds", arguments.options.seconds,
                 fmt::format("time for one list under topic limits; 0: no limit ({})", arguments.options.seconds))
      ->option_text("S")
      ->group(kGroup);
}

TopicTable load_topics(const TopicArguments& arguments, const Dataset& data) {
  require_option(!arguments.topics.empty(), "--topics FILE", "--limits speaks of its topics");
  require_option(!arguments.limits.empty(), "--limits FILE", "--topics needs the limits of its topics");
  arguments.options.validate();
  return read_topics(arguments.topics, arguments.limits, data);
}

void add_list_options(CLI::App& app, ListArguments& arguments) {
  app.add_option("--position-gains", arguments.position_gains,
                 "CSV label,1,2,...: what a label gains at each position;\ntrains a function per position")
      ->option_text("FILE")
      ->group(kGroup);
  app.add_flag("--one-function", arguments.one_function, "with --position-gains: the same function for all positions")
      ->group(kGroup);
  add_topic_options(app, arguments.topics);
  app.add_option("--top", arguments.top, "with --topics: length of the lists; 0: as the measure says (0)")
      ->option_text("N")
      ->group(kGroup);
}

void train_lists(const TrainingArguments& arguments, const ListArguments& lists, const TrainingData& data,
                 const Settings& settings) {
  refuse(!arguments.valid.empty(), "--valid");
  refuse(!arguments.memory.empty(), "--memory");
  refuse(!arguments.options.checkpoint.empty(), "--checkpoint");
  if (!lists.position_gains.empty() && lists.topics.given())
    throw Error(ErrorCode::bad_option, "--position-gains and --topics exclude each other; expected one");
  TrainOptions options = arguments.options;
  options.threads = settings.threads;
  const StopRequest stop;
  TrainResult result;
  std::string model_text, page;
  {
    TrainingView view(settings.quiet, options.measure, options.tolerance);
    const TrainObserver observer = [&](const TrainProgress& progress) {
      view.update(progress);
      return stop.signal() == 0;
    };
    if (lists.topics.given()) {
      const TopicTable topics = load_topics(lists.topics, data.train);
      const std::size_t top = lists.top > 0 ? lists.top : cutoff_of(options.measure);
      TopicReport report;
      result = train_topics(data.train, topics, top, options, lists.topics.options, &report, observer);
      model_text = to_json(result.model);
      page = topic_line(report);
    } else {
      const PositionGainsFile file = read_position_gains(lists.position_gains, data.train);
      PositionResult trained = train_positions(data.train, file.gains, options, lists.one_function, observer);
      trained.model.gains = file.by_label;
      result = {trained.model.shared, trained.report};
      model_text = to_json(trained.model);
      page = fmt::format("positions    {}, {}\n", file.gains.positions,
                         lists.one_function ? "one function for all" : "a function for each beside a shared one");
    }
  }
  finish(result, model_text, page, arguments, settings, stop.signal());
}

std::vector<Ranking> ranked_under_topics(const Model& model, const Dataset& data, std::span<const double> scores,
                                         const TopicArguments& arguments, std::size_t top, const Settings& settings) {
  require_option(top > 0, "--top N", "lists under topic limits have a length");
  TopicReport report;
  std::vector<Ranking> rankings =
      rank_topics(model, data, scores, load_topics(arguments, data), top, arguments.options, &report);
  if (report.unproven > 0)
    warn(settings, fmt::format("{} of {} lists were not proven the best in {} seconds each; largest gap {:.3g}",
                               report.unproven, report.lists, arguments.options.seconds, report.largest_gap));
  return rankings;
}

std::vector<Ranking> sorted_rankings(const Dataset& data, std::span<const double> scores, std::size_t top) {
  std::vector<Ranking> rankings;
  for (std::size_t q = 0; q < data.num_queries(); ++q)
    rankings.push_back(top_ranking(scores.subspan(data.first_document(q), data.query(q).size()), top));
  return rankings;
}

std::vector<double> scores_of_rankings(const Dataset& data, const std::vector<Ranking>& rankings) {
  std::vector<double> scores(data.num_documents());
  for (std::size_t q = 0; q < rankings.size(); ++q)
    for (std::size_t rank = 0; rank < rankings[q].size(); ++rank)
      scores[data.first_document(q) + rankings[q][rank]] = -static_cast<double>(rank + 1);
  return scores;
}

void add_position_gain(const LabelGains& known, const std::string& gains_file, const Dataset& data,
                       const std::vector<Ranking>& rankings, const EvaluateOptions& options, EvaluationTable& table) {
  if (gains_file.empty() && known.labels.empty())
    throw Error(ErrorCode::bad_option,
                "the model was trained for gains of single documents; expected --position-gains FILE");
  const PositionGains gains = gains_file.empty() ? gains_of(known, data) : read_position_gains(gains_file, data).gains;
  table.measures.insert(table.measures.begin(), evaluate_positions(data, gains, rankings, options));
}

}  // namespace dorm::cli
