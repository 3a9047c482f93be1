// SPDX-License-Identifier: Apache-2.0
// A trained ranker: weights by feature name or an expansion in kernels, the scaling it expects, and the certificate of
// its training. Saved as one readable JSON document (docs/formats.md); scores are bit-identical after save and load.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "dorm/base/catalog.h"
#include "dorm/base/compute.h"
#include "dorm/data/input.h"
#include "dorm/data/judgments.h"
#include "dorm/data/scale.h"
#include "dorm/dataset.h"
#include "dorm/learning/assignment.h"
#include "dorm/learning/curves.h"
#include "dorm/learning/kernel.h"
#include "dorm/learning/trees.h"
#include "dorm/measure.h"

namespace dorm {

/// How far from the optimum training stopped. `gap` = (primal - dual) / primal, for the convex problem of
/// the last round.
struct Certificate {
  double primal = 0, dual = 0, gap = 0;
  std::string status;  // converged, pass_limit, time_limit, interrupted, numerical_trouble, early_stopped
};

/// What the model was trained on, so that "which data was this?" has an answer.
struct DataSummary {
  std::uint64_t fingerprint = 0;
  std::uint64_t queries = 0, usable_queries = 0, documents = 0, features = 0;
  InputDescription input = {};        // how it was read: what is scored must be read the same way
  FeatureStatistics statistics = {};  // of the features of the model, in their order
};

struct Model;

/// A measure of a model on queries that were set aside before anything was chosen (dorm tune --test).
struct TestedFigure {
  std::string measure;
  double mean = std::numeric_limits<double>::quiet_NaN();
  double low = 0, high = 0;       // 95 % bootstrap interval over queries; NaN: none
  std::uint64_t queries = 0;      // counted in the mean
  double share = 0;               // of the queries that were set aside
  std::uint64_t seed = 0;         // that drew them, as dorm split --seed
  std::uint64_t fingerprint = 0;  // of all documents, before the test queries were set aside
};

/// One of the rankers that a model is the average of: what it was trained by, and how much it counts.
struct ModelPart {
  double share = 0;            // of the sum, in which every part has unit spread on the training documents
  std::string measure, decay;  // empty for a start
  std::string bound, start;    // bound "none": the start itself
  double C = 0;                // of ridge regression 1 / lambda
  std::size_t rounds = 0;
  Certificate certificate;                                       // with folds, the one of the largest gap
  double explained_risk = 0;                                     // mean over folds
  double validation = std::numeric_limits<double>::quiet_NaN();  // of the part alone
  /// Of a weighted sum: the ranker, and what its scores are multiplied by. Null: it is a part of the model's weights.
  std::shared_ptr<const Model> ranker = nullptr;
  double weight = 0;
  std::string curves = {};  // of its features, of a training on curves; empty: lines
};

struct Model {
  std::vector<std::string> features;  // names, one per weight or per feature of the kernel
  std::vector<double> weights;        // of the scaled features; empty unless the model is linear
  std::optional<Curves> curves;       // beside the weights: scores are sums of functions of one scaled feature each
  std::optional<KernelExpansion> kernel;
  std::shared_ptr<const TreeRanker> trees;  // of unscaled features
  std::vector<std::int8_t> signs;  // of the weights (dorm/learning/signs.h): constraints of the training; empty: none
  Scaling scaling;
  std::string method = "dorm";  // how it was trained: a name of method_catalog()
  std::string measure, convention, decay, bound, start, solver;
  std::string target;   // the tool that was to evaluate it (dorm/export.h), or any; empty: none in particular
  std::string one_per;  // the limits on groups it was trained under (dorm/data/one_per.h); empty: none
  double C = 0, tolerance = 0;
  std::uint64_t seed = 0;
  std::size_t rounds = 0;
  Certificate certificate;
  double explained_risk = 0;  // 1 - P(w) / P(0); below 0.02 the bound carries no information
  DataSummary data;
  double validation =
      std::numeric_limits<double>::quiet_NaN();  // of the trained measure, when there was validation data
  std::optional<TestedFigure> tested = {};
  /// An average of several rankers: those, the largest share first, which is also described above. Else empty.
  std::vector<ModelPart> parts;
  std::size_t folds = 0;  // every part is the mean of its rankers on these folds; 0: no folds

  /// Weights, a kernel, trees, the weighted sum of the parts' own rankers, or weights with curves.
  enum class Kind { linear, kernel, trees, sum, curves };
  Kind kind() const;
  bool linear() const { return kind() == Kind::linear; }
  /// Whether features, or those of a part, may be the columns of the data in their order instead of by name.
  bool by_number() const;
};
/// linear, kernel, trees, sum or curves.
const char* name_of(Model::Kind kind);

/// The ranker that an ensemble of trees is. Missing values of the data reach it.
Model model_of(TreeEnsemble trees);

/// The weighted sum of some rankers, each of which keeps its own scaling and its own treatment of missing values. Its
/// features are those of all parts. Throws Error(bad_option) for weights that are not finite, or another number of
/// them.
Model weighted_sum(std::vector<Model> rankers, std::span<const double> weights);

/// Scores in document order of `data`. Features are matched by name; one the data lacks counts as 0 where features are
/// numbered (sparse text omits zeros) and is an error where they are named.
std::vector<double> score(const Model& model, const Dataset& data, std::size_t threads = 0);

/// The same for a model whose kernel is a function, which no file can hold.
std::vector<double> score(const Model& model, const Dataset& data, const Kernel& kernel, std::size_t threads = 0);

/// The same at some place; `kernel` is given for a model whose kernel is a function. On a device scores of linear
/// models are those of the CPU to the rounding of scaled features to 32 bits, of kernels to that of kernel values.
/// Throws Error(unsupported) for a device that is not there or does not have the memory, compressed features of a
/// linear model, and a kernel that is a function.
std::vector<double> score(const Model& model, const Dataset& data, const ComputeOptions& place,
                          const Kernel* kernel = nullptr);

/// The documents with the n largest scores, best first, ties by index; all of them when n is 0. O(l + n log n).
Ranking top_ranking(std::span<const double> scores, std::size_t n = 0);

std::string to_json(const Model& model);
/// Of to_json(), or of a file of another library (dorm/learning/trees.h). Throws Error(bad_input) naming `name` and the
/// field that is missing, mistyped or inconsistent.
Model model_from_json(std::string_view text, const std::string& name);

void save_model(const Model& model, const std::string& path);
Model load_model(const std::string& path);

// ---- lists in which every position counts on its own (docs/positions.md) -----------------------------------------

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

// ---- models of either kind ---------------------------------------------------------------------------------------

using AnyModel = std::variant<Model, PositionModel>;
AnyModel load_any_model(const std::string& path);  // throws as load_model() and load_position_model()
/// The same; nothing when the file is no model at all.
std::optional<AnyModel> find_model(const std::string& path);

/// How the lists of a training or ranking under topic budgets were found.
struct TopicReport {
  std::size_t lists = 0, unproven = 0;  // unproven: the time for one list ran out
  double largest_gap = 0;               // of those
};

/// For every query the list of min(n, l) documents that keeps the budgets and maximises sum_j c_j g. c is that of the
/// model's measure and decay where it is positive at all n positions, else 1 / log2(1 + rank). Throws Error(bad_input)
/// for a query without such a list.
std::vector<Ranking> rank_topics(const Model& model, const Dataset& data, std::span<const double> scores,
                                 const TopicTable& topics, std::size_t positions, const TopicOptions& options = {},
                                 TopicReport* report = nullptr);

}  // namespace dorm
