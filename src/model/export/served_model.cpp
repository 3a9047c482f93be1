// SPDX-License-Identifier: Apache-2.0
// A linear model as the sum that targets evaluate.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/quote.h"
#include "data/scale/scale_rules.h"
#include "dorm/error.h"
#include "model/export/formats.h"

namespace dorm {
namespace {

/// Calls visit(feature, weight, shift, factor) for every feature that can change a score.
template <class Visit>
void visit_terms(const Model& model, const Visit& visit) {
  const Scaling& scaling = model.scaling;
  for (std::size_t j = 0; j < model.weights.size(); ++j) {
    const double shift = scaling.shift.empty() ? 0 : scaling.shift[j];
    const double factor = scaling.factor.empty() ? 1 : scaling.factor[j];
    if (model.weights[j] != 0 && factor != 0) visit(j, model.weights[j], shift, factor);
  }
}

/// A term for every weight and for every piece of a curve, which counts from its beginning to its end. Scores are 0 at
/// the medians.
ServedModel curve_terms(const Model& model) {
  ServedModel served;
  served.logarithms = takes_logarithm(model.scaling.kind);
  for (std::size_t j = 0; j < model.features.size(); ++j) {
    const Curve& curve = model.curves->features[j];
    const double shift = model.scaling.shift.empty() ? 0 : model.scaling.shift[j];
    const double factor = model.scaling.factor.empty() ? 1 : model.scaling.factor[j];
    const double usual = factor == 0 ? model.curves->value(j, model.weights[j], 0) : 0;
    const double gap = weighs_gaps(model, j) ? curve.missing.value_or(0) - usual : 0;
    if (gap != 0) served.terms.push_back({.feature = j, .weight = gap, .part = ServedModel::Part::gap});
    if (factor == 0) {  // constant in training: the scaled value is 0
      served.constant += usual;
      continue;
    }
    const double missing =
        weighs_gaps(model, j) ? value_where_missing(model, j) : std::numeric_limits<double>::quiet_NaN();
    served.constant -= model.weights[j] * curve.median + model.curves->raw_at_median(j);
    if (model.weights[j] != 0)
      served.terms.push_back(
          {.feature = j, .weight = model.weights[j], .shift = shift, .divisor = 1 / factor, .missing = missing});
    for (std::size_t b = 0; b < curve.rises.size(); ++b) {
      if (curve.rises[b] == 0) continue;
      const double low = curve.knots[b] / factor + shift, high = curve.knots[b + 1] / factor + shift;
      served.terms.push_back({.feature = j,
                              .weight = curve.rises[b],
                              .shift = low,
                              .divisor = high - low,
                              .low = low,
                              .high = high,
                              .missing = missing});
    }
  }
  return served;
}

/// Shifts into the constant.
ServedModel without_shifts(ServedModel served) {
  for (ServedModel::Term& term : served.terms) {
    term.weight /= term.divisor;
    served.constant -= term.weight * term.shift;
    term.shift = 0;
    term.divisor = 1;
  }
  return served;
}

/// f(x) where a term of this weight is smallest in training. Logarithms go a little beyond, by more than
/// targets round theirs.
double smallest_at(const Model& model, std::size_t feature, double weight) {
  const FeatureStatistics& statistics = model.data.statistics;
  const double x = weight > 0 ? statistics.minimum[feature] : statistics.maximum[feature];
  if (!takes_logarithm(model.scaling.kind)) return x;
  const double value = signed_logarithm(x);
  return value - std::copysign(1e-6 * (1 + std::fabs(value)), weight);
}

/// Folded, with shifts that keep the terms from being negative.
ServedModel shifted(const Model& model) {
  ServedModel served;
  served.logarithms = takes_logarithm(model.scaling.kind);
  visit_terms(model, [&](std::size_t j, double weight, double shift, double factor) {
    const double smallest = smallest_at(model, j, weight);
    served.terms.push_back({.feature = j, .weight = weight * factor, .shift = smallest});
    served.pruned += weight * factor * (smallest - shift);
  });
  return served;
}

/// The shifts in the constant, which is larger than that by what rounding can take from a sum in doubles, and from
/// weights where a target keeps them in float32.
ServedModel shifted_by_constant(const Model& model) {
  ServedModel served = shifted(model);
  double sizes = 0;
  for (ServedModel::Term& term : served.terms) {
    const double other = smallest_at(model, term.feature, -term.weight);
    sizes += std::fabs(term.weight) * (std::fabs(term.shift) + std::fabs(other));
    served.constant -= term.weight * term.shift;
    term.shift = 0;
  }
  const double rounding =
      sizes * (std::numeric_limits<float>::epsilon() +
               static_cast<double>(served.terms.size() + 2) * std::numeric_limits<double>::epsilon());
  served.constant += rounding;
  served.pruned -= rounding;
  return served;
}

}  // namespace

ServedModel folded(const Model& model, const ExportOptions& options) {
  if (model.curves) return without_shifts(curve_terms(model));
  if (options.non_negative) return shifted_by_constant(model);
  ServedModel served;
  served.logarithms = takes_logarithm(model.scaling.kind);
  visit_terms(model, [&](std::size_t j, double weight, double shift, double factor) {
    served.terms.push_back({.feature = j, .weight = weight * factor});
    served.constant -= weight * factor * shift;
  });
  return served;
}

ServedModel normalised(const Model& model, const ExportOptions& options) {
  if (model.curves) return curve_terms(model);
  if (options.non_negative) return shifted(model);
  if (model.scaling.shift.empty()) return folded(model, options);
  ServedModel served;
  served.logarithms = takes_logarithm(model.scaling.kind);
  visit_terms(model, [&](std::size_t j, double weight, double shift, double factor) {
    served.terms.push_back({.feature = j, .weight = weight, .shift = shift, .divisor = 1 / factor});
  });
  return served;
}

ServedModel within_queries(const Model& model) {
  ServedModel served;
  served.logarithms = takes_logarithm(model.scaling.kind);
  served.within_query = model.scaling.kind;
  visit_terms(model, [&](std::size_t j, double weight, double, double) {
    served.terms.push_back({.feature = j, .weight = weight});
  });
  return served;
}

ServedModel in_doubles(const Model& model, const ExportOptions& options) {
  if (model.scaling.per_query()) return within_queries(model);
  return options.fold ? folded(model, options) : normalised(model, options);
}

bool has_scaling(const ServedModel& served) {
  return std::any_of(served.terms.begin(), served.terms.end(),
                     [](const ServedModel::Term& term) { return term.shift != 0 || term.divisor != 1; });
}

bool has_held_terms(const ServedModel& served) {
  return std::any_of(served.terms.begin(), served.terms.end(),
                     [](const ServedModel::Term& term) { return term.held(); });
}

bool has_gap_terms(const ServedModel& served) {
  return std::any_of(served.terms.begin(), served.terms.end(),
                     [](const ServedModel::Term& term) { return term.part == ServedModel::Part::gap; });
}

void divide_weights(ServedModel& served) {
  for (ServedModel::Term& term : served.terms) {
    term.weight /= term.divisor;
    term.divisor = 1;
  }
}

std::string_view spelling(const Model& model, const ExportOptions& options, std::size_t feature) {
  const auto found = options.names.find(model.features[feature]);
  return found == options.names.end() ? std::string_view(model.features[feature]) : std::string_view(found->second);
}

bool weighs_gaps(const Model& model, std::size_t feature) {
  if (!model.curves || model.curves->shape == CurveShape::steps) return false;
  return model.curves->features[feature].missing ||
         model.data.input.missing_rule(model.features[feature]) == Missing::keep;
}

double value_where_missing(const Model& model, std::size_t feature) {
  if (weighs_gaps(model, feature)) {  // the median adds nothing
    const bool constant = !model.scaling.factor.empty() && model.scaling.factor[feature] == 0;
    return constant ? 0 : unscaled_value(model.scaling, feature, model.curves->features[feature].median);
  }
  const InputDescription& input = model.data.input;
  const auto mean = input.means.find(model.features[feature]);
  const Missing rule = input.missing_rule(model.features[feature]);
  const bool filled = rule == Missing::mean || rule == Missing::query_min || rule == Missing::indicator;
  return filled && mean != input.means.end() ? mean->second : 0;
}

void refuse_name(std::string_view target, std::string_view name, std::string_view why) {
  throw Error(ErrorCode::unsupported,
              fmt::format("{} cannot say {}, the name of a feature: {}; expected a map of names that gives it another",
                          target, in_quotes(name), why));
}

Exported one_file(std::string text, ServedModel served) {
  Exported exported;
  exported.files.push_back({"", std::move(text)});
  exported.served = std::move(served);
  return exported;
}

std::string number_text(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

}  // namespace dorm
