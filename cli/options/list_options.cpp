// SPDX-License-Identifier: Apache-2.0
#include "options/list_options.h"

#include <fmt/format.h>

#include "command_line.h"
#include "data/source_order.h"
#include "dorm/error.h"
#include "options/option_group.h"

namespace dorm::cli {
namespace {

constexpr const char* kGroup = "Positions and topics";

std::string topic_line(const TopicReport& report) {
  return fmt::format("lists          {} under topic limits, {} not proven optimal, largest gap {:.3g}\n", report.lists,
                     report.unproven, report.largest_gap);
}

std::string position_line(const ListArguments& lists, std::size_t positions) {
  return fmt::format("positions      {}, {}\n", positions,
                     lists.one_function ? "one function for all" : "a function for each and a shared one");
}

}  // namespace

void add_topic_options(CLI::App& app, TopicArguments& arguments) {
  app.add_option("--topics", arguments.topics, "CSV docid,topic,weight: lists keep the limits of --limits")
      ->option_text("FILE")
      ->group(kGroup);
  app.add_option("--limits", arguments.limits, "CSV topic,limit: largest weight of a topic in a list")
      ->option_text("FILE")
      ->group(kGroup);
  OptionGroup(app, kGroup)
      .number("--list-seconds", arguments.options.seconds, number_from(0), "S",
              fmt::format("time limit for one list under topic limits; 0: none ({})", arguments.options.seconds));
}

TopicTable load_topics(const TopicArguments& arguments, const Dataset& data) {
  require_option(!arguments.topics.empty(), "--topics FILE", "--limits refers to its topics");
  require_option(!arguments.limits.empty(), "--limits FILE", "--topics needs the limits of the topics");
  arguments.options.validate();
  return read_topics(arguments.topics, arguments.limits, data);
}

void add_list_options(CLI::App& app, ListArguments& arguments) {
  app.add_option("--position-gains", arguments.position_gains,
                 "CSV label,1,2,...: gains of a label at each position; trains a\nfunction per position")
      ->option_text("FILE")
      ->group(kGroup);
  app.add_flag("--one-function", arguments.one_function, "with --position-gains: one function for all positions")
      ->group(kGroup);
  add_topic_options(app, arguments.topics);
  app.add_option("--valid-lists", arguments.valid_lists,
                 "gains or topics of the documents of --valid, if they have a file of\ntheir own")
      ->option_text("FILE")
      ->group(kGroup);
  OptionGroup(app, kGroup)
      .number("--top", arguments.top, whole_from(0), "N",
              "with --topics: length of the lists; 0: the cutoff of the measure (0)");
}

void check_list_arguments(const ListArguments& lists, const TrainingArguments& arguments) {
  if (!lists.given()) {
    require_option(lists.valid_lists.empty(), "--position-gains FILE or --topics FILE", "--valid-lists goes with it");
    return;
  }
  if (!lists.position_gains.empty() && lists.topics.given())
    throw Error(ErrorCode::bad_option, "--position-gains and --topics exclude each other; expected one");
  if (!arguments.reports.empty())
    throw Error(ErrorCode::unsupported,
                "--report supports only score-sorted rankings, not --position-gains or --topics");
}

std::string validated_measure(const ListArguments& lists, const TrainOptions& options) {
  return lists.position_gains.empty() ? options.measure : "position-gain";
}

PositionGainsFile load_gains(const ListArguments& lists, const TrainingData& data) {
  return lists.position_gains.empty() ? PositionGainsFile() : read_position_gains(lists.position_gains, data.train);
}

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

ListTasks tasks_of(const ListArguments& lists, const PositionGainsFile& gains, const TrainingData& data,
                   const std::string& measure) {
  if (!lists.given()) return {data.train, data.valid ? Task(*data.valid) : Task()};
  if (lists.topics.given()) {
    const std::size_t top = lists.top > 0 ? lists.top : cutoff_of(measure);
    ListTasks tasks{Task::topics(data.train, load_topics(lists.topics, data.train), top, lists.topics.options)};
    if (!data.valid) return tasks;
    TopicArguments files = lists.topics;
    if (!lists.valid_lists.empty()) files.topics = lists.valid_lists;
    tasks.validation = Task::topics(*data.valid, load_topics(files, *data.valid), top, lists.topics.options);
    return tasks;
  }
  ListTasks tasks{Task::positions(data.train, gains.gains, lists.one_function)};
  if (!data.valid) return tasks;
  const bool own_file = !lists.valid_lists.empty() || gains.by_label.labels.empty();
  const std::string& file = lists.valid_lists.empty() ? lists.position_gains : lists.valid_lists;
  PositionGains held_out =
      own_file ? read_position_gains(file, *data.valid).gains
               : about_file(lists.position_gains, [&] { return gains_of(gains.by_label, *data.valid); });
  tasks.validation = Task::positions(*data.valid, std::move(held_out), lists.one_function);
  return tasks;
}

std::string list_page(const ListArguments& lists, const PositionGainsFile& gains, const TrainReport& report) {
  if (lists.topics.given()) return report.topics.lists > 0 ? topic_line(report.topics) : "";
  return lists.given() ? position_line(lists, gains.gains.positions) : "";
}

std::string model_text(const Model& model, const std::optional<PositionModel>& positions,
                       const PositionGainsFile& gains) {
  if (!positions) return to_json(model);
  PositionModel whole = *positions;
  whole.gains = gains.by_label;
  return to_json(whole);
}

std::vector<Ranking> ranked_under_topics(const Model& model, const Dataset& data, std::span<const double> scores,
                                         const TopicArguments& arguments, std::size_t top, const Settings& settings) {
  require_option(top > 0, "--top N", "lists under topic limits need a length");
  TopicReport report;
  std::vector<Ranking> rankings =
      rank_topics(model, data, scores, load_topics(arguments, data), top, arguments.options, &report);
  if (report.unproven > 0)
    warn(settings, fmt::format("{} of {} lists were not proven optimal in {} seconds each; largest gap {:.3g}",
                               report.unproven, report.lists, arguments.options.seconds, report.largest_gap));
  return rankings;
}

Ranking sorted_ranking(const Dataset& data, std::size_t q, std::span<const double> scores, std::size_t top) {
  const std::vector<std::uint32_t> order = source_order(data, q);
  if (order.empty()) return top_ranking(scores, top);
  std::vector<double> by_row;
  for (const std::uint32_t i : order) by_row.push_back(scores[i]);
  Ranking ranking = top_ranking(by_row, top);
  for (std::uint32_t& i : ranking) i = order[i];
  return ranking;
}

std::vector<Ranking> sorted_rankings(const Dataset& data, std::span<const double> scores, std::size_t top) {
  std::vector<Ranking> rankings;
  for (std::size_t q = 0; q < data.num_queries(); ++q)
    rankings.push_back(sorted_ranking(data, q, scores.subspan(data.first_document(q), data.query(q).size()), top));
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
