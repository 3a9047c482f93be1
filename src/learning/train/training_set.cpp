// SPDX-License-Identifier: Apache-2.0
#include "learning/train/training_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/parallel.h"
#include "dorm/base/catalog.h"
#include "dorm/error.h"
#include "dorm/solver.h"
#include "learning/risk/pairwise_risk.h"
#include "learning/risk/ridge.h"
#include "learning/risk/targets.h"
#include "model/curve_scores.h"
#include "model/kernel/expression_kernel.h"
#include "model/kernel/pick.h"

namespace dorm {
namespace {

// Of ridge regression on curves, whose normal equations are too many to be formed: its start needs no digits.
constexpr std::size_t kCurveIterations = 20;

// Sums of features are kept in 32 bits, in full precision from 1.2e-38 on; position weights make them smaller.
constexpr double kLeastNorm = 1e-35 * 1e-35;

// What the starts are computed from: all of the data, or of a large set about 100,000 documents, in queries spread
// evenly over it.
template <class Features>
Features start_sample(const Features& features) {
  const Dataset& data = features.data();
  const std::size_t step = TrainingSet::start_step(data.num_documents());
  if (step == 1) return features;
  std::vector<std::size_t> queries;
  for (std::size_t q = 0; q < data.num_queries(); q += step) queries.push_back(q);
  return features.select(queries);
}

// Queries of one label get no coefficients, but would make the Gram matrix larger.
Dataset learnable_part(const Dataset& data) {
  std::vector<std::size_t> queries;
  for (std::size_t q = 0; q < data.num_queries(); ++q)
    if (learnable(data.query(q))) queries.push_back(q);
  return queries.empty() ? data : data.select(queries);
}

// Columns of a user are the same in all documents of a query, and scaling within queries leaves nothing of them.
[[noreturn]] void refuse_factor(const std::string& factor, const Scaling& scaling) {
  throw Error(
      ErrorCode::bad_input,
      fmt::format("kernel \"{}\": all values are 0, and so is its product{}", factor,
                  scaling.per_query()
                      ? fmt::format("; the scaling {} works within each query, so that what its documents share "
                                    "becomes 0: expected zscore, minmax or none",
                                    name_of(scaling.kind))
                      : ""));
}

// Of an exact kernel.
constexpr double kNegligible = 1e-6;

/// The documents that w = [beta | g] gives coefficients to, without those too small to matter: what is dropped changes
/// no score by more than 1e-6 |w| sqrt(k(x, x)), where |g(x)| may reach |w| sqrt(k(x, x)). For |sum of beta_j k(x, x_j)
/// over the dropped documents| <= sum of |beta_j| sqrt(k(x_j, x_j)) sqrt(k(x, x)): those with the smallest |beta_j|
/// sqrt(k(x_j, x_j)) go, as long as their sum is small.
KernelExpansion support_of(const KernelFeatures& features, const Kernel& kernel, std::span<const double> w) {
  const Documents& documents = features.documents();
  const std::size_t n = documents.size();
  std::vector<float> diagonal(n);
  kernel.diagonal(documents, diagonal);
  const auto size_of = [&](std::uint32_t i) {
    return std::fabs(w[i]) * std::sqrt(std::max(0.0, static_cast<double>(diagonal[i])));
  };
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t i, std::uint32_t j) { return size_of(i) < size_of(j); });
  const double allowed = kNegligible * std::sqrt(std::max(0.0, features.inner(w, w)));
  KernelExpansion expansion;
  std::size_t dropped = 0;
  for (; dropped + 1 < n && expansion.pruned + size_of(order[dropped]) <= allowed; ++dropped)
    expansion.pruned += size_of(order[dropped]);
  std::vector<std::uint32_t> kept(order.begin() + static_cast<std::ptrdiff_t>(dropped), order.end());
  std::sort(kept.begin(), kept.end());
  for (const std::uint32_t i : kept) expansion.coefficients.push_back(w[i]);
  expansion.support = pick_documents(documents, kept, kernel);
  return expansion;
}

[[noreturn]] void throw_no_weights(const Kernel& kernel) {
  throw Error(
      ErrorCode::unsupported,
      fmt::format("this needs weights of features, which kernel \"{}\" has not; expected no kernel", kernel.spec()));
}

std::vector<std::string> names_of(const Dataset& data) {
  std::vector<std::string> names;
  for (std::size_t j = 0; j < data.num_features(); ++j) names.push_back(data.feature_name(j));
  return names;
}

std::vector<std::int8_t> signs_of(const SignOptions& options, const Dataset& data) {
  if (!options.used()) return {};
  return dorm::signs_of(options, names_of(data));
}

}  // namespace

double squared_scale_of(double norm) {
  if (!(norm > 0))
    throw Error(ErrorCode::bad_input, "every feature is constant within every query: there is nothing to rank by");
  if (norm < kLeastNorm)
    throw Error(ErrorCode::bad_input,
                fmt::format("features differ by about {:.2g} within queries, which 32-bit numbers hold with few digits "
                            "only; expected scaled features",
                            std::sqrt(norm)));
  return 1 / norm;
}

bool learnable(const Query& query) {
  const auto [low, high] = std::minmax_element(query.labels.begin(), query.labels.end());
  return query.weight > 0 && low != query.labels.end() && *low < *high;
}

Scaling scaling_for(const Dataset& data, const ScalingChoice& choice, std::size_t threads,
                    const KernelOptions& kernel) {
  if (data.input().has_rule(Missing::keep)) {
    require_usable_gaps(data, wants_curves(kernel.curves));
    return scaling_with_gaps(data, choice, threads);
  }
  return fit_scaling(choice.settle(data, kernel.spec, threads), data, threads);
}

std::shared_ptr<const CurveBasis> common_basis(const Dataset& data, const Scaling& scaling,
                                               const TrainOptions& options) {
  const CurveRequest request = parse_curves(options.curves, names_of(data));
  return std::make_shared<const CurveBasis>(fit_curves(request, data, scaling, options.compute.threads));
}

TrainingSet::TrainingSet(const Dataset& data, const ScalingChoice& scale, std::size_t threads,
                         const KernelOptions& kernel, std::uint64_t seed, Survey* survey)
    : TrainingSet(data, scaling_for(data, scale, threads, kernel), threads, kernel, seed, survey) {}

TrainingSet::TrainingSet(const Dataset& data, Scaling scaling, std::size_t threads, const KernelOptions& kernel,
                         std::uint64_t seed, Survey* survey)
    : threads_(thread_count(threads)), options_(kernel), scaling_(std::move(scaling)) {
  data.require_labels();
  require_usable_gaps(data, wants_curves(kernel.curves));
  summary_.queries = data.num_queries();
  summary_.documents = data.num_documents();
  summary_.features = data.feature_range();
  summary_.input = data.input();
  Dataset scaled;
  if (kernel.used()) {
    if (survey) survey->add_all(threads_);
    scaled = apply_scaling(scaling_, data, threads_);
    prepare_kernel(scaled, seed);
  } else if (wants_curves(kernel.curves)) {
    if (survey) survey->add_all(threads_);
    prepare_curves(data);
  } else {
    // A device scales and visits rows itself; on threads only some are, for the starts.
    const bool device = kernel.place.on_device();
    auto linear = std::make_unique<LinearFeatures>(data, scaling_, device ? 0 : kept_bytes(data), threads_,
                                                   device ? nullptr : survey);
    linear->set_signs(signs_of(kernel.signs, linear->data()));
    linear_ = linear.get();
    representation_ = std::move(linear);
  }
  data.require_intact();  // what is lost reads as 0
  if (kernel.place.on_device() && linear_) {
    arriving_ = send_rows(*linear_, kernel.place_with(threads_), kernel.used() ? nullptr : survey);
    return;
  }
  // Of all documents, also where the representation leaves some out: C means the same for every kernel.
  set_scale(exact_ ? centred_kernel_norm(*kernel_, scaled, threads_) : representation_->centred_norm(threads_));
}

double TrainingSet::squared_scale() const {
  if (!arriving_.valid()) return squared_scale_;
  std::call_once(scale_known_, [&] {
    double sum = 0;
    require_no_trouble(device_rows()->centred_squares(sum));
    set_scale(sum / static_cast<double>(std::max<std::uint64_t>(1, summary_.documents)));
  });
  return squared_scale_;
}

void TrainingSet::set_scale(double norm) const {
  if (options_.used() && !std::isfinite(norm))
    throw Error(ErrorCode::bad_input,
                "kernel values are not finite: features are too large for it; expected scaled features or a "
                "lower degree");
  if (options_.used() && !(norm > 0))
    throw Error(ErrorCode::bad_input, "the kernel is constant within every query: there is nothing to rank by");
  squared_scale_ = options_.used() ? 1 / norm : squared_scale_of(norm);
}

std::uint64_t TrainingSet::kept_bytes(const Dataset& data) const {
  return options_.scaled_bytes > 0 ? options_.scaled_bytes : default_kept_bytes(dense_bytes(data));
}

void TrainingSet::prepare_kernel(const Dataset& data, std::uint64_t seed) {
  const Documents documents(data);
  names_ = names_of(data);
  if (options_.function == nullptr) made_ = make_kernel(options_.spec, documents, seed);
  kernel_ = options_.function ? options_.function : made_.get();
  if (!kernel_->proven()) check_positive(*kernel_, documents, seed);
  if (const std::string factor = vanishing_factor(*kernel_, documents); !factor.empty())
    refuse_factor(factor, scaling_);
  if (options_.exact()) {
    auto exact = std::make_unique<KernelFeatures>(*kernel_, learnable_part(data), options_.cache_bytes,
                                                  options_.place_with(threads_));
    exact_ = exact.get();
    representation_ = std::move(exact);
    kernel_note_ = kernel_->spec();
    return;
  }
  const auto half = [&](double from) -> MapWatch {
    if (!options_.watch) return {};
    return [this, from](double share) { options_.watch(from + share / 2); };
  };
  map_ = fit_feature_map(parse_approximation(options_.approximation), *kernel_, documents, seed, threads_, half(0));
  const MapError error = map_error(*map_, *kernel_, documents, seed);
  kernel_note_ = fmt::format(
      "{}, {}: {} features; error of kernel values {:.2g} (root mean square over pairs, relative to k(x, "
      "x)), of "
      "k(x, x) {:.2g}",
      kernel_->spec(), options_.approximation, map_->size(), error.pairs, error.diagonal);
  auto linear =
      std::make_unique<LinearFeatures>(apply_feature_map(*map_, documents, options_.place_with(threads_), half(0.5)));
  linear_ = linear.get();
  representation_ = std::move(linear);
}

void TrainingSet::prepare_curves(const Dataset& data) {
  names_ = names_of(data);
  CurveBasis basis =
      options_.basis ? *options_.basis : fit_curves(parse_curves(options_.curves, names_), data, scaling_, threads_);
  auto curves = std::make_unique<CurveFeatures>(data, scaling_, std::move(basis), threads_);
  curves->set_signs(dorm::signs_of(options_.signs, names_));
  curves_ = curves.get();
  representation_ = std::move(curves);
}

const LinearFeatures& TrainingSet::linear_features() const {
  require_lines();
  if (map_ == nullptr) return mapped_features();
  throw_no_weights(*kernel_);
}

const LinearFeatures& TrainingSet::mapped_features() const {
  require_lines();
  if (linear_ == nullptr) throw_no_weights(*kernel_);
  return *linear_;
}

std::vector<InitialFit> TrainingSet::fit_path(const InitialModelOptions& ranker) const {
  std::unique_ptr<const LinearFeatures> sample;
  if (linear_) sample = std::make_unique<LinearFeatures>(start_sample(*linear_));
  std::unique_ptr<const CurveFeatures> sampled_curves;
  if (curves_) sampled_curves = std::make_unique<CurveFeatures>(start_sample(*curves_));
  const Representation& features = sample    ? static_cast<const Representation&>(*sample)
                                   : curves_ ? static_cast<const Representation&>(*sampled_curves)
                                             : *exact_;
  const bool gains = ranker.kind == InitialModel::ridge_gain || ranker.kind == InitialModel::pairwise_gain;
  const FactoredMeasurePtr measure = gains ? plain_gains(ranker.convention) : nullptr;
  const std::size_t threads = ranker.threads > 0 ? ranker.threads : threads_;
  const TimeLimit limit(ranker.seconds);
  const auto over = [&] { return limit.over() || (ranker.stop && ranker.stop()); };
  std::vector<InitialFit> fits;
  if (ranker.kind == InitialModel::ridge || ranker.kind == InitialModel::ridge_gain) {
    std::vector<double> lambdas;
    for (const double C : ranker.C) lambdas.push_back(1 / C);
    if (lambdas.empty()) lambdas = {kDefaultLambda};
    const std::vector<double> targets = gains ? gains_of(features.data(), *measure) : labels_of(features.data());
    std::size_t asked = 0;
    const StopAsked enough = [&] { return over() || (curves_ && ++asked > kCurveIterations); };
    for (std::vector<double>& w : ridge_path(features, targets, lambdas, threads, enough))
      fits.push_back({std::move(w), {}});
    return fits;
  }
  PairwiseRisk risk(features, measure.get());
  for (const double C : ranker.C.empty() ? std::vector<double>{kPairwiseC} : ranker.C) {
    if (risk.num_blocks() == 0) {
      fits.push_back({std::vector<double>(features.dimension(), 0.0), {}});
      continue;
    }
    risk.set_trade_off(units().trade_off(C, risk.num_blocks()));
    SolveResult solved = solve(risk, {.tolerance = ranker.tolerance, .seconds = limit.left()},
                               [&](const Progress&) { return !over(); }, {}, {.threads = exact_ ? 1 : threads});
    fits.push_back({std::move(solved.w), std::move(solved.report)});
  }
  return fits;
}

void TrainingSet::require_lines() const {
  if (curves_)
    throw Error(ErrorCode::unsupported, "this needs one weight per feature; expected a training without curves");
}

void TrainingSet::poll_by(const std::function<void()>& poll) const {
  if (exact_) exact_->gram().poll_by(poll);
}

void TrainingSet::drop_rows() const {
  if (exact_) exact_->gram().drop();
}

Model TrainingSet::described_model() const {
  Model model;
  model.scaling = scaling_;
  model.features = names_;
  model.data = summary_;
  return model;
}

Model TrainingSet::model(const std::vector<double>& w) const {
  Model model = described_model();
  if (curves_) {
    model.weights = curves_->basis().weights_of(w);
    model.curves = curves_->basis().curves_of(w);
    model.signs.assign(curves_->signs().begin(), curves_->signs().end());
    if (!model.signs.empty()) model.signs.resize(model.weights.size());
  } else if (kernel_ == nullptr) {
    const Dataset& data = linear_->data();
    for (std::size_t j = 0; j < w.size(); ++j) model.features.push_back(data.feature_name(j));
    model.weights = w;
    model.signs.assign(linear_->signs().begin(), linear_->signs().end());
  } else if (options_.spec == "precomputed" && exact_) {
    // Features are kernel values with the training documents, so that coefficients are weights.
    model.weights.assign(model.features.size(), 0.0);
    for (std::size_t i = 0; i < exact_->documents().size(); ++i) model.weights[exact_->data().source_row(i)] = w[i];
  } else {
    model.kernel = exact_ ? support_of(*exact_, *kernel_, w) : map_->expansion(w);
    model.kernel->kernel = kernel_->spec();
    model.kernel->approximation = options_.approximation;
    model.kernel->documents = summary_.documents;
  }
  return model;
}

std::unique_ptr<const Scorer> TrainingSet::scorer(const Dataset& data) const {
  Model model = described_model();
  if (curves_) {
    model = this->model(std::vector<double>(curves_->dimension(), 1.0));
    require_features(model, data);
    return std::make_unique<CurveScorer>(std::move(model), curves_->basis(), data);
  }
  if (kernel_ == nullptr) {
    model = this->model(std::vector<double>(linear_->dimension(), 1.0));
    require_features(model, data);
    const double share = static_cast<double>(data.num_documents()) / static_cast<double>(summary_.documents);
    const std::uint64_t kept = options_.scaled_bytes == 0
                                   ? 2 * kept_bytes(data)  // in 64 bits
                                   : static_cast<std::uint64_t>(static_cast<double>(options_.scaled_bytes) * share);
    return std::make_unique<LinearScorer>(model, data, threads_, kept);
  }
  model.weights.assign(model.features.size(), 1.0);
  require_features(model, data);
  const Dataset aligned = align_features(model, data, threads_);
  const ComputeOptions place = options_.place_with(threads_);
  if (map_) return std::make_unique<MappedScorer>(*map_, aligned, place, options_.watch);
  return std::make_unique<KernelScorer>(*kernel_, exact_->documents(), aligned, options_.validation_cache(), place);
}

}  // namespace dorm
