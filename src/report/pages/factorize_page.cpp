// SPDX-License-Identifier: Apache-2.0
// The page of a recommender: is it better than what everybody likes, how it was found, and what it recommends.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/vector/linear_algebra.h"
#include "dorm/apps/pages.h"
#include "report/pages/evidence.h"
#include "report/pages/provenance.h"

namespace dorm::pages {
namespace {

constexpr std::size_t kExampleUsers = 6;
constexpr std::size_t kExampleItems = 5;

std::string item_name(const FactorModel& model, std::size_t item) {
  const std::string_view title = model.title(item);
  return title.empty() ? model.items[item] : fmt::format("{} ({})", title, model.items[item]);
}

/// By item of the training ratings: how often it was rated, and its mean, drawn to the mean of all by five ratings.
struct ItemScores {
  std::vector<double> count, mean;
};
ItemScores item_scores(const Ratings& train) {
  constexpr double kDamping = 5;
  ItemScores scores{std::vector<double>(train.num_items()), std::vector<double>(train.num_items())};
  double total = 0;
  for (std::size_t i = 0; i < train.num_items(); ++i)
    for (const float value : train.of_item(i).value) total += value;
  const double all = total / static_cast<double>(std::max<std::size_t>(1, train.size()));
  for (std::size_t i = 0; i < train.num_items(); ++i) {
    const RatingRow row = train.of_item(i);
    double sum = kDamping * all;
    for (const float value : row.value) sum += value;
    scores.count[i] = static_cast<double>(row.size());
    scores.mean[i] = sum / (kDamping + static_cast<double>(row.size()));
  }
  return scores;
}

/// One score per rating of `test`, by the item's; items that training does not know have the smallest.
std::vector<double> by_item(const Ratings& train, const Ratings& test, const std::vector<double>& of_item) {
  const double least = of_item.empty() ? 0 : *std::min_element(of_item.begin(), of_item.end());
  std::vector<double> known(test.num_items(), least);
  for (std::size_t i = 0; i < test.num_items(); ++i)
    if (const auto found = train.items().find(test.items()[i])) known[i] = of_item[*found];
  std::vector<double> scores;
  for (std::size_t u = 0; u < test.num_users(); ++u)
    for (const std::uint32_t item : test.of_user(u).index) scores.push_back(known[item]);
  return scores;
}

std::optional<Evidence> held_out_evidence(const FactorizationReportData& report_data, std::size_t threads) {
  if (!report_data.held_out || report_data.held_out->size() == 0) return std::nullopt;
  const FactorModel& model = report_data.judged ? *report_data.judged : report_data.result.model;
  const std::vector<std::string> measures = {model.options.measure};
  const EvaluateOptions options{.convention = model.options.convention, .threads = threads};
  const auto figure = [&](const std::vector<double>& scores) {
    return evaluate(model, *report_data.held_out, scores, measures, options).measures[0];
  };
  Evidence evidence{.figure = figure(score(model, *report_data.held_out)), .on = report_data.held_out_name};
  const ItemScores items = item_scores(report_data.train);
  evidence.yardsticks.push_back(
      {.name = "popularity", .figure = figure(by_item(report_data.train, *report_data.held_out, items.count))});
  evidence.yardsticks.push_back({.name = "mean rating of the item",
                                 .figure = figure(by_item(report_data.train, *report_data.held_out, items.mean))});
  evidence.remarks.push_back(fmt::format("{} held-out ratings of {} users; measures are of each user's list of them.",
                                         report_data.held_out->size(), evidence.figure.queries));
  test_yardsticks(evidence);
  return evidence;
}

report::Section convergence_of(const FactorizeReport& report, const FactorModel& model) {
  report::Section section{"Convergence"};
  report::Series items{.name = "after the items"}, users{.name = "after the users"};
  report::Table table{.caption = "Half steps, each a convex problem",
                      .columns = {report::count_column("round"), report::text_column("of"),
                                  report::significant_column("before", 6), report::significant_column("after", 6),
                                  report::significant_column("gap", 2), report::significant_column("seconds", 3)}};
  for (const HalfStep& step : report.half_steps) {
    report::Series& line = step.items ? items : users;
    line.x.push_back(static_cast<double>(step.round));
    line.y.push_back(step.after);
    table.rows.push_back({step.round, step.items ? "items" : "users", step.before, step.after, step.gap, step.seconds});
  }
  if (!items.x.empty()) {
    section.blocks.emplace_back(report::Plot{.title = "Objective by round",
                                             .x = {.label = "round", .whole = true},
                                             .y = {.label = "objective"},
                                             .series = {std::move(items), std::move(users)}});
    section.blocks.emplace_back(std::move(table));
  }
  report::Series validation{.name = "validation"};
  for (const FactorRound& round : report.rounds)
    if (std::isfinite(round.validation)) {
      validation.x.push_back(static_cast<double>(round.round));
      validation.y.push_back(round.validation);
    }
  if (!validation.x.empty())
    section.blocks.emplace_back(report::Plot{.title = fmt::format("Validation {} by round", model.options.measure),
                                             .x = {.label = "round, 0: the start", .whole = true},
                                             .y = {.label = model.options.measure},
                                             .series = {std::move(validation)}});
  if (section.blocks.empty())
    section.blocks.emplace_back(report::Paragraph{"No rounds: the model is the squared-loss start."});
  return section;
}

std::vector<double> gram_of(const FactorMatrix& factors, std::size_t begin, std::size_t width) {
  std::vector<double> gram(width * width);
  for (std::size_t r = 0; r < factors.rows; ++r) {
    const auto row = factors.row(r).subspan(begin, width);
    for (std::size_t i = 0; i < width; ++i)
      for (std::size_t j = 0; j < width; ++j) gram[i * width + j] += row[i] * row[j];
  }
  return gram;
}

/// Singular values of the learnt part of U V': the roots of the eigenvalues of G^1/2 H G^1/2, G and H being the Gram
/// matrices of the two.
std::vector<double> spectrum_of(const FactorModel& model) {
  const std::size_t n = model.layout.rank, begin = model.layout.item_begin();
  const SymmetricEigen users = symmetric_eigen(gram_of(model.user_factors, begin, n), n);
  const std::vector<double> items = gram_of(model.item_factors, begin, n);
  std::vector<double> product(n * n);
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < n; ++b) {
      double sum = 0;
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) sum += users.vector(a)[i] * items[i * n + j] * users.vector(b)[j];
      product[a * n + b] = std::sqrt(std::max(0.0, users.values[a]) * std::max(0.0, users.values[b])) * sum;
    }
  std::vector<double> values = symmetric_eigen(product, n).values;
  std::reverse(values.begin(), values.end());
  for (double& value : values) value = std::sqrt(std::max(0.0, value));
  return values;
}

report::Section factors_section(const FactorizationReportData& report_data) {
  const FactorModel& model = report_data.result.model;
  report::Section section{"Factors"};
  if (model.layout.rank == 0) {
    section.blocks.emplace_back(report::Paragraph{"No learnt factors: scores are those of the items alone."});
    return section;
  }
  const std::vector<double> values = spectrum_of(model);
  report::Bars bars{.title = "Spectrum of the factors", .value = {.label = "singular value"}, .groups = {{}}};
  for (std::size_t k = 0; k < values.size(); ++k) bars.categories.push_back(std::to_string(k + 1));
  bars.groups[0].values = values;
  bars.caption = "Of users times items. Values that are small next to the first add little: fewer factors would do.";
  section.blocks.emplace_back(std::move(bars));
  report::Bars stars{
      .title = "Training ratings by value", .value = {.label = "ratings", .whole = true}, .groups = {{}}};
  std::vector<std::pair<float, double>> counts;
  for (std::size_t u = 0; u < report_data.train.num_users(); ++u)
    for (const float value : report_data.train.of_user(u).value) {
      auto found = std::find_if(counts.begin(), counts.end(), [&](const auto& c) { return c.first == value; });
      if (found == counts.end() && counts.size() <= 20) found = counts.insert(counts.end(), {value, 0.0});
      if (found != counts.end()) ++found->second;
    }
  if (counts.size() > 20) return section;  // no grades
  std::sort(counts.begin(), counts.end());
  for (const auto& [value, count] : counts) {
    stars.categories.push_back(fmt::format("{:g}", value));
    stars.groups[0].values.push_back(count);
  }
  section.blocks.emplace_back(std::move(stars));
  return section;
}

/// Users evenly spaced over the table, with what they rated highest and what they are recommended.
report::Section examples_section(const FactorizationReportData& report_data) {
  const FactorModel& model = report_data.result.model;
  report::Table table{.caption = "Some users",
                      .columns = report::text_columns({"user", "rated highest", "recommended"})};
  const std::size_t users = model.users.size(), shown = std::min(kExampleUsers, users);
  for (std::size_t k = 0; k < shown; ++k) {
    const std::size_t user = k * users / shown;
    std::string liked, recommended;
    if (const auto found = report_data.train.users().find(model.users[user])) {
      const RatingRow row = report_data.train.of_user(*found);
      std::vector<std::size_t> order(row.size());
      std::iota(order.begin(), order.end(), std::size_t{0});
      std::stable_sort(order.begin(), order.end(),
                       [&](std::size_t a, std::size_t b) { return row.value[a] > row.value[b]; });
      for (std::size_t i = 0; i < std::min(kExampleItems, order.size()); ++i) {
        const auto item = model.items.find(report_data.train.items()[row.index[order[i]]]);
        if (item) liked += (liked.empty() ? "" : "; ") + item_name(model, *item);
      }
    }
    for (const Recommendation& item : recommend(model, user, kExampleItems))
      recommended += (recommended.empty() ? "" : "; ") + item_name(model, item.item);
    table.rows.push_back({model.users[user], liked, recommended});
  }
  return {"Recommendations", {std::move(table)}};
}

}  // namespace

report::Report factorize_page(const FactorizationReportData& report_data, const Origin& origin) {
  const FactorModel& model = report_data.result.model;
  const FactorizeReport& report = report_data.result.report;
  report::Report page{.title = fmt::format("A recommender for {}", model.options.measure),
                      .summary = fmt::format("{} ratings of {} items by {} users{}.", report_data.train.size(),
                                             report_data.train.num_items(), report_data.train.num_users(),
                                             report_data.ratings_name.empty() ? "" : ", " + report_data.ratings_name),
                      .footer = footer_text()};
  const std::optional<Evidence> evidence = held_out_evidence(report_data, origin.threads);
  if (evidence) {
    page.verdict = verdict_of(*evidence);
    page.highlights.push_back({evidence->figure.name, fmt::format("{:.4f}", evidence->figure.mean), evidence->on});
    for (const Yardstick& yardstick : evidence->yardsticks)
      page.highlights.push_back({yardstick.name, fmt::format("{:.4f}", yardstick.figure.mean)});
  } else {
    page.verdict = report::Notice{report::Notice::Kind::plain,
                                  "No ratings were held out: this page does not show how well the model recommends."};
  }
  page.highlights.push_back({"factors", std::to_string(model.layout.rank), fmt::format("{} rounds", model.rounds)});
  page.highlights.push_back({"training", fmt::format("{:.3g} s", report.seconds), report.status});
  if (evidence) page.sections.push_back(evidence_section(*evidence));
  page.sections.push_back(examples_section(report_data));
  page.sections.push_back(convergence_of(report, model));
  page.sections.push_back(factors_section(report_data));
  if (report_data.interrupted)
    page.sections.front().blocks.insert(
        page.sections.front().blocks.begin(),
        report::Notice{.text = "training was interrupted; the model is the best so far"});
  std::vector<report::Fact> facts = {{"lambda", fmt::format("{:g}", model.options.lambda),
                                      fmt::format("of the start {:g}", model.options.start_lambda)},
                                     {"bound", model.options.bound}};
  if (!report_data.model_name.empty()) facts.push_back({"model", report_data.model_name});
  page.sections.push_back(provenance_section(origin, model.options.seed, std::move(facts)));
  return page;
}

}  // namespace dorm::pages
