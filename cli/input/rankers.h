// SPDX-License-Identifier: Apache-2.0
// Rankers as the command line names them: a model, a TREC run, a file of scores, a feature, or the order of the file.
// The content of a file decides its kind.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "command.h"
#include "dorm/evaluate.h"
#include "dorm/model.h"
#include "input/input.h"
#include "options/device_options.h"

namespace dorm::cli {

inline constexpr const char* kAllFeatures = "all";  // as the name of a feature: every one

struct ScoreFile {};  // read with the data, whose rows it follows
struct UnreadRun {};  // read while it is evaluated
struct Feature {
  std::string name;
};
struct GivenOrder {};  // that of the rows
struct ByRatings {};   // a recommender, evaluated on ratings

struct Ranker {
  std::string name;  // for people; the rankers of one list have different ones
  std::string file;  // or the argument that named it
  std::variant<Model, PositionModel, std::vector<RunEntry>, ScoreFile, Feature, GivenOrder, ByRatings, UnreadRun> what;

  const char* kind() const;  // model, position model, run, scores, feature, order or recommender
};

/// Reads `[NAME=]FILE`, `feature:NAME` or `given`. Throws Error(bad_input) for a file that is none of the kinds.
Ranker load_ranker(const std::string& argument);
/// The same, but runs are not read yet.
Ranker load_ranker_of_qrels(const std::string& argument);
Ranker feature_ranker(const std::string& name);
Ranker recommender_ranker(const std::string& argument);  // `[NAME=]FILE`; not read yet

/// One ranker per feature of the data.
std::vector<Ranker> all_feature_rankers(const Dataset& data);

/// The data as rankers need it. A model gets the columns it was trained on, and its own means for missing values; the
/// file is read again for models that were trained on data read with other options.
class RankedData {
 public:
  RankedData(std::string path, const InputArguments& input, const Settings& settings,
             const std::vector<Ranker>& rankers, bool labels = true);

  const Dataset& data() const { return data_; }        // as the first model expects it
  Dataset as_expected_by(const Ranker& ranker) const;  // the same documents

 private:
  std::string path_;
  const InputArguments& input_;
  const Settings& settings_;
  std::optional<InputDescription> like_;  // of the first model
  std::optional<FusionInput> fusion_;     // of a fused model, where the data are runs
  bool labels_;                           // needed
  Dataset data_;
};

/// Equal names become the name of the file with its ending, then with its folder, then get a number.
void make_names_distinct(std::vector<Ranker>& rankers);

/// Scores in document order. Documents that a run lacks get -infinity, and an Error with their number unless `partial`.
std::vector<double> scores_of(const Ranker& ranker, const Dataset& data, bool partial, const Settings& settings,
                              const DeviceArguments& device = {});
std::vector<double> scores_of(const Ranker& ranker, const RankedData& data, bool partial, const Settings& settings,
                              const DeviceArguments& device = {});

/// The ranker's measures. options.complete: documents that a run lacks are not retrieved, and documents that the data
/// lacks have label 0.
EvaluationTable evaluate_ranker(const Ranker& ranker, const Dataset& data, std::span<const double> scores,
                                std::span<const std::string> measures, const EvaluateOptions& options);

/// The limits on groups that models were trained under. Throws Error(bad_option) where they differ.
std::string common_limits(const std::vector<Ranker>& rankers);

}  // namespace dorm::cli
