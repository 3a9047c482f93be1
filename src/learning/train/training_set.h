// SPDX-License-Identifier: Apache-2.0
// A data set made ready for training: scaled features or their kernel, the unit of C, and the initial models of
// rounds. Everything here is independent of measure, decay, bound and C, so a grid over those shares it.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/stopwatch.h"
#include "dorm/data/scale.h"
#include "dorm/model.h"
#include "dorm/solver.h"
#include "learning/train/kernel_options.h"
#include "learning/train/scaling_choice.h"
#include "learning/train/units.h"
#include "model/features/curve_features.h"
#include "model/features/device_rows.h"
#include "model/features/kernel_features.h"
#include "model/features/linear_features.h"
#include "model/kernel/feature_map.h"
#include "model/scorer.h"

namespace dorm {

/// Fitted to the data.
Scaling scaling_for(const Dataset& data, const ScalingChoice& choice, std::size_t threads,
                    const KernelOptions& kernel = {});

/// Of the curves that the options ask for; fitted to the data.
std::shared_ptr<const CurveBasis> common_basis(const Dataset& data, const Scaling& scaling,
                                               const TrainOptions& options);

/// s^2 such that features times s have unit mean squared row norm, which is `norm` (centred per query). Throws
/// Error(bad_input) where that is 0, or too small for 32 bits.
double squared_scale_of(double norm);

/// Its documents have different labels, and it counts: an exact kernel keeps no others.
bool learnable(const Query& query);

/// How an initial model is fitted; InitialModel::model cannot be. By default, as the rounds of a bound use it.
struct InitialModelOptions {
  InitialModel kind = InitialModel::ridge;
  std::string convention = "standard";  // of the gains
  std::vector<double> C = {};           // of ridge regression 1 / lambda; none: 1000 for ridge, 100 for pairs
  double tolerance = 1e-2;              // of pairs
  double seconds = 0;                   // 0: no limit; else the weights found so far
  StopAsked stop = {};                  // likewise
  std::size_t threads = 0;              // 0: those of the set
};
struct InitialFit {
  std::vector<double> w;
  SolveReport report;  // of pairs, in the units of the solver; else no passes
};

class TrainingSet {
 public:
  /// Throws Error(bad_input) when all features are constant, or when the kernel does not fit the data. To `survey`, if
  /// any, all queries are added while their rows are visited.
  TrainingSet(const Dataset& data, const ScalingChoice& scale, std::size_t threads, const KernelOptions& kernel = {},
              std::uint64_t seed = 1, Survey* survey = nullptr);
  /// With a scaling fitted before, perhaps to more data.
  TrainingSet(const Dataset& data, Scaling scaling, std::size_t threads, const KernelOptions& kernel = {},
              std::uint64_t seed = 1, Survey* survey = nullptr);

  const Representation& features() const { return *representation_; }
  bool exact_kernel() const { return exact_ != nullptr; }
  /// Throws Error(unsupported) for an exact kernel, whose weights belong to documents.
  const LinearFeatures& linear_features() const;
  /// The features that approximate a kernel, too; throws likewise.
  const LinearFeatures& mapped_features() const;
  /// The documents on the device of the options; null: these are visited by threads. They are on their way when a set
  /// has been made: a call that needs them, or what depends on them (C, the survey), waits.
  RowDevice* device_rows() const { return arriving_.valid() ? arriving_.get().get() : nullptr; }
  const Scaling& scaling() const { return scaling_; }
  std::size_t threads() const { return threads_; }
  std::size_t num_queries() const { return summary_.queries; }

  /// Threads for the solver: exact kernels put theirs to work on rows of the Gram matrix.
  std::size_t solver_threads() const { return exact_ ? 1 : threads_; }

  /// s^2: features times s have unit mean squared row norm (centred per query).
  double squared_scale() const;
  UnitsOfC units(bool paper = false) const { return UnitsOfC(squared_scale(), paper); }

  /// One fit for each C.
  std::vector<InitialFit> fit_path(const InitialModelOptions& ranker) const;
  InitialFit fit(const InitialModelOptions& ranker) const { return std::move(fit_path(ranker).front()); }

  static constexpr double kDefaultLambda = 1e-3;  // of ridge regression, see ridge.h
  static constexpr double kPairwiseC = 100;
  /// Initial models are computed from every n-th query; n.
  static std::size_t start_step(std::size_t documents) { return documents / 100000 + 1; }

  /// What the model of a training is to say of its data; usable queries, fingerprint and statistics are not known here.
  const DataSummary& summary() const { return summary_; }

  /// A model of these weights; describe() fills in how they were found.
  Model model(const std::vector<double>& w) const;

  /// Ready to score `data` by weights of this training. Throws Error(bad_input) when features are missing.
  std::unique_ptr<const Scorer> scorer(const Dataset& data) const;

  /// Of an exact kernel: rows of the Gram matrix are computed while `poll` does not throw.
  void poll_by(const std::function<void()>& poll) const;
  /// Of an exact kernel: gives the memory of the rows back, when hardly any will be asked for.
  void drop_rows() const;

  /// What is to be said about kernel and approximation; empty for a linear ranker.
  const std::string& kernel_note() const { return kernel_note_; }

 private:
  void prepare_kernel(const Dataset& data, std::uint64_t seed);
  void prepare_curves(const Dataset& data);
  std::uint64_t kept_bytes(const Dataset& data) const;  // for scaled rows of a linear ranker
  void set_scale(double norm) const;
  void require_lines() const;     // throws Error(unsupported) where there are curves
  Model described_model() const;  // features, scaling, data; no weights yet

  std::size_t threads_;
  KernelOptions options_;
  Scaling scaling_;
  DataSummary summary_;
  std::vector<std::string> names_;         // of the features that scaling and kernel see
  std::unique_ptr<const Kernel> made_;     // unless options_.function is given
  const Kernel* kernel_ = nullptr;         // null: linear
  std::unique_ptr<const FeatureMap> map_;  // null: exact or linear
  std::unique_ptr<const Representation> representation_;
  const LinearFeatures* linear_ = nullptr;  // the representation, unless it is a kernel or has curves
  const KernelFeatures* exact_ = nullptr;   // the representation, if it is a kernel
  const CurveFeatures* curves_ = nullptr;   // the representation, if it has curves
  mutable std::once_flag scale_known_;
  mutable double squared_scale_ = 0;
  std::shared_future<std::unique_ptr<RowDevice>> arriving_;  // of the linear representation, where there is a device
  std::string kernel_note_;
};

}  // namespace dorm
