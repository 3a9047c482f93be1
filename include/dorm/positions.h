// SPDX-License-Identifier: Apache-2.0
// Lists in which every position counts on its own: gains by document and position, a scoring function per position, and
// topic budgets. The list is found by assignment (or an integer program), not by sorting. Guide: docs/positions.md.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "dorm/dataset.h"
#include "dorm/evaluate.h"
#include "dorm/model.h"
#include "dorm/topics.h"
#include "dorm/train.h"

namespace dorm {

/// G[document, position], row-major in document order of a data set. Any finite numbers; a query counts when its best
/// list gains more than 0.
struct PositionGains {
  std::size_t positions = 0;
  std::vector<double> gain;
};

/// Gains that depend on the label only: row k belongs to labels[k].
struct LabelGains {
  std::size_t positions = 0;
  std::vector<float> labels;  // increasing
  std::vector<double> gain;   // labels x positions
};

/// Throws Error(bad_input) naming a label that has no row.
PositionGains gains_of(const LabelGains& table, const Dataset& data);

/// CSV whose header is `label,1,2,...,n` (gains by label), or `qid,docid,1,...,n` (of single documents; those not
/// listed gain 0). `by_label` is empty for the second form.
struct PositionGainsFile {
  PositionGains gains;
  LabelGains by_label;
};
PositionGainsFile read_position_gains(const std::string& path, const Dataset& data);
PositionGainsFile parse_position_gains(std::string_view text, const std::string& name, const Dataset& data);

/// CSV files `docid,topic,weight` (or `qid,docid,topic,weight`) and `topic,limit`. Documents without ids are
/// called by their row, counted from 1. Refuses negative numbers, topics without a limit and documents that the
/// data does not have.
TopicTable read_topics(const std::string& weights_path, const std::string& limits_path, const Dataset& data);
TopicTable parse_topics(std::string_view weights, const std::string& weights_name, std::string_view limits,
                        const std::string& limits_name, const Dataset& data);

/// Scores of a document x at position j: c_j <w, x> + <v_j, x>.
struct PositionModel {
  Model shared;                             // w, features, scaling, and how it was trained
  std::vector<double> decay;                // c, one per position
  std::vector<std::vector<double>> blocks;  // v_j of the scaled features; empty: one function for all positions
  LabelGains gains;                         // what it was trained for; empty: gains of single documents
};

/// For every query the documents in order: the first n by the assignment of the highest score, the others by <w,
/// x>, ties by index.
std::vector<Ranking> rank(const PositionModel& model, const Dataset& data, std::size_t threads = 0);

std::string to_json(const PositionModel& model);
PositionModel position_model_from_json(std::string_view text, const std::string& name);
PositionModel load_position_model(const std::string& path);
/// Whether a file holds a PositionModel rather than another kind of model; false when it is no model at all.
bool is_position_model(const std::string& path);

/// Gain of each ranking's first n documents over that of the best list: "position-gain@n". Queries whose best list
/// gains nothing are skipped.
MeasureResult evaluate_positions(const Dataset& data, const PositionGains& gains, const std::vector<Ranking>& rankings,
                                 const EvaluateOptions& options = {});

struct PositionResult {
  PositionModel model;
  TrainReport report;
};

/// Trains w and v_1 ... v_n (w alone with `one_function`) for position-gain@n. Of the options, `measure` and
/// `convention` are not used; the decay is that of DCG unless named; the bound is given, best (auto) or predicted; the
/// start is ridge; checkpoints are not supported.
PositionResult train_positions(const Dataset& data, const PositionGains& gains, const TrainOptions& options,
                               bool one_function = false, const TrainObserver& observer = {});

/// How the lists of a training or ranking under topic budgets were found.
struct TopicReport {
  std::size_t lists = 0, unproven = 0;  // unproven: the time for one list ran out
  double largest_gap = 0;               // of those
};

/// Trains a linear model for the first n positions of options.measure when lists must keep the budgets. The most
/// violated list comes from an integer program; where that is cut short its bound enters the certificate, which stays
/// valid. One thread. Throws as train() does, and Error(unsupported) for measures that are no sum (mrr).
TrainResult train_topics(const Dataset& data, const TopicTable& topics, std::size_t positions,
                         const TrainOptions& options, const TopicOptions& topic_options = {},
                         TopicReport* report = nullptr, const TrainObserver& observer = {});

/// For every query the list of min(n, l) documents that keeps the budgets and maximises sum_j c_j g. c is that of the
/// model's measure and decay where it is positive at all n positions, else 1 / log2(1 + rank). Throws Error(bad_input)
/// for a query without such a list.
std::vector<Ranking> rank_topics(const Model& model, const Dataset& data, std::span<const double> scores,
                                 const TopicTable& topics, std::size_t positions, const TopicOptions& options = {},
                                 TopicReport* report = nullptr);

}  // namespace dorm
