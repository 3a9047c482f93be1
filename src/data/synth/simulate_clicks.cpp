// SPDX-License-Identifier: Apache-2.0
// Pages of production rankers, shown to simulated users.
#include "dorm/clicks/simulate_clicks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "base/numeric.h"
#include "data/synth/click_model.h"
#include "data/synth/exact_math.h"
#include "dorm/error.h"

namespace dorm {
namespace {

enum ClickStream : std::uint64_t { ranker_stream = 31, session_stream };

constexpr std::array<CatalogEntry, 4> kClickModels{{
    {.name = "pbm", .usage = "pbm", .help = "position-based: a look depends on the position alone"},
    {.name = "cascade", .usage = "cascade", .help = "users read from the top and may stop after a click"},
    {.name = "ubm", .usage = "ubm", .help = "user browsing: a look depends on the last click above, too"},
    {.name = "trust", .usage = "trust", .help = "position-based, with more clicks on high positions"},
}};

/// 2^label - 1 over that of the largest label; labels below 0 are 0.
std::vector<double> relevance_of(const Dataset& data) {
  std::vector<double> relevance;
  double largest = 0;
  for (std::size_t q = 0; q < data.num_queries(); ++q)
    for (const float label : data.query(q).labels) {
      relevance.push_back(exact_exp2(std::clamp(static_cast<double>(label), 0.0, 1000.0)) - 1);
      largest = std::max(largest, relevance.back());
    }
  for (double& rel : relevance) rel = largest > 0 ? rel / largest : 0;
  return relevance;
}

/// The pages that rankers make of a query: the documents that each shows, from the top.
class PageMaker {
 public:
  PageMaker(const Dataset& data, const ClickSimulation& options, std::span<const std::vector<double>> scores)
      : data_(data), options_(options), scores_(scores), relevance_(relevance_of(data)) {
    for (const std::vector<double>& of_ranker : scores)
      if (of_ranker.size() != data.num_documents())
        throw Error(ErrorCode::bad_input, fmt::format("{} scores of a ranker for {} documents; expected one for each",
                                                      of_ranker.size(), data.num_documents()));
  }

  std::size_t rankers() const { return scores_.empty() ? options_.rankers : scores_.size(); }

  std::vector<std::size_t> page(std::size_t q, std::size_t ranker) const {
    const std::size_t first = data_.first_document(q), last = data_.first_document(q + 1);
    std::vector<double> score(last - first);
    if (scores_.empty()) {
      Rng rng = derived_rng(options_.seed, ranker_stream + 2 * ranker, q);
      for (std::size_t i = 0; i < score.size(); ++i)
        score[i] = relevance_[first + i] + options_.ranker_noise * near_normal(rng);
    } else {
      std::copy_n(scores_[ranker].begin() + static_cast<std::ptrdiff_t>(first), score.size(), score.begin());
    }
    std::vector<std::size_t> order(score.size());
    std::iota(order.begin(), order.end(), first);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return score[a - first] > score[b - first]; });
    order.resize(std::min<std::size_t>(order.size(), options_.top));
    return order;
  }

  PageOfResults results(const std::vector<std::size_t>& page) const {
    std::vector<double> relevance;
    for (const std::size_t document : page) relevance.push_back(relevance_[document]);
    return {options_, std::move(relevance)};
  }

 private:
  const Dataset& data_;
  const ClickSimulation& options_;
  std::span<const std::vector<double>> scores_;
  std::vector<double> relevance_;
};

using ClickTaker = std::function<void(const SimulatedClick&)>;

/// One query: the pages of all rankers are made once.
class QuerySimulation {
 public:
  QuerySimulation(const PageMaker& maker, std::size_t q) : query_(q) {
    for (std::size_t ranker = 0; ranker < maker.rankers(); ++ranker) {
      pages_.push_back(maker.page(q, ranker));
      results_.push_back(maker.results(pages_.back()));
    }
  }

  void expect(const ClickSimulation& options, const ClickTaker& visit) const {
    const double impressions = real(options.sessions) / real(pages_.size());
    for (std::size_t ranker = 0; ranker < pages_.size(); ++ranker) {
      const PageOfResults::Expected expected = results_[ranker].expected();
      for (std::size_t i = 0; i < pages_[ranker].size(); ++i)
        visit(shown(0, ranker, i, impressions, impressions * expected.click[i]));
    }
  }

  void draw(const ClickSimulation& options, const ClickTaker& visit) const {
    Rng rng = derived_rng(options.seed, session_stream, query_);
    std::vector<bool> clicked;
    for (std::uint64_t s = 0; s < options.sessions; ++s) {
      const std::size_t ranker = pages_.size() == 1 ? 0 : rng.below(pages_.size());
      results_[ranker].draw(rng, clicked);
      const std::uint64_t session = query_ * options.sessions + s + 1;
      for (std::size_t i = 0; i < pages_[ranker].size(); ++i)
        visit(shown(session, ranker, i, 1, clicked[i] ? 1.0 : 0.0));
    }
  }

  void add_looks(std::vector<double>& looks, std::vector<double>& pages) const {
    for (const PageOfResults& results : results_) {
      const std::vector<double> look = results.expected().look;
      looks.resize(std::max(looks.size(), look.size()), 0.0);
      pages.resize(looks.size(), 0.0);
      for (std::size_t i = 0; i < look.size(); ++i) {
        looks[i] += look[i];
        pages[i] += 1;
      }
    }
  }

 private:
  SimulatedClick shown(std::uint64_t session, std::size_t ranker, std::size_t i, double impressions,
                       double clicks) const {
    return {
        session,     query_, pages_[ranker][i], static_cast<std::uint32_t>(i + 1), static_cast<std::uint32_t>(ranker),
        impressions, clicks};
  }

  std::size_t query_;
  std::vector<std::vector<std::size_t>> pages_;
  std::vector<PageOfResults> results_;
};

}  // namespace

std::span<const CatalogEntry> click_model_catalog() { return kClickModels; }
std::string_view name_of(ClickModel model) { return kClickModels[static_cast<std::size_t>(model)].name; }
ClickModel parse_click_model(std::string_view name) {
  for (std::size_t i = 0; i < kClickModels.size(); ++i)
    if (kClickModels[i].name == name) return static_cast<ClickModel>(i);
  throw_unknown_name("click model", name, kClickModels);
}

void ClickSimulation::validate() const {
  const auto require = [](bool fine, std::string_view name, auto value, std::string_view wanted) {
    if (!fine) throw Error(ErrorCode::bad_option, fmt::format("{} is {}; expected {}", name, value, wanted));
  };
  require(eta >= 0 && eta <= 10, "eta", eta, "a number from 0 to 10");
  require(noise >= 0 && noise <= 1, "noise", noise, "a number from 0 to 1");
  require(go_on >= 0 && go_on <= 1, "go_on", go_on, "a number from 0 to 1");
  require(trust >= 0 && trust <= 0.9, "trust", trust, "a number from 0 to 0.9");
  require(sessions >= 1, "sessions", sessions, "1 or more");
  require(top >= 1 && top <= 1000000, "top", top, "a number from 1 to 1000000");
  require(rankers >= 1 && rankers <= 1000, "rankers", rankers, "a number from 1 to 1000");
  require(ranker_noise >= 0 && std::isfinite(ranker_noise), "ranker_noise", ranker_noise, "0 or more");
}

void simulate_clicks(const Dataset& data, const ClickSimulation& options, std::span<const std::vector<double>> scores,
                     const ClickTaker& visit) {
  options.validate();
  data.require_labels();
  const PageMaker maker(data, options, scores);
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    const QuerySimulation query(maker, q);
    options.expected ? query.expect(options, visit) : query.draw(options, visit);
  }
}

Propensities simulated_propensities(const Dataset& data, const ClickSimulation& options,
                                    std::span<const std::vector<double>> scores) {
  options.validate();
  data.require_labels();
  const PageMaker maker(data, options, scores);
  std::vector<double> looks, pages;
  for (std::size_t q = 0; q < data.num_queries(); ++q) QuerySimulation(maker, q).add_looks(looks, pages);
  Propensities out;
  for (std::uint32_t k = 1; k <= looks.size(); ++k) {
    PositionPropensity row = true_propensity(options, k);
    if (options.model == ClickModel::cascade || options.model == ClickModel::ubm)
      row.propensity = looks[k - 1] / pages[k - 1];
    if (!(row.propensity > 0)) break;  // nobody comes this far
    out.add({}, row);
  }
  return out;
}

}  // namespace dorm
