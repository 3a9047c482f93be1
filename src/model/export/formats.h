// SPDX-License-Identifier: Apache-2.0
// One function per target, and what several of them need.
#pragma once

#include <string>
#include <string_view>

#include "dorm/export.h"

namespace dorm {

/// The scaling of a linear model folded into its weights: weight f(x) + constant. Features that change no score (of
/// weight 0, or constant in training) are left out. Expects a scaling that is not within queries.
ServedModel folded(const Model& model, const ExportOptions& options);

/// The scaling kept as shift and divisor, which a reader of the model understands; left out as above.
ServedModel normalised(const Model& model, const ExportOptions& options);

/// As the documents of a query are scaled together: the weights of all features that have one.
ServedModel within_queries(const Model& model);

/// As the target spells the feature.
std::string_view spelling(const Model& model, const ExportOptions& options, std::size_t feature);

/// What stands for a feature that a document does not have: 0, or the mean in training where the model says so.
double value_where_missing(const Model& model, std::size_t feature);

/// Throws Error(unsupported): `the target "lucene" cannot say the name "x y" of a feature (why); expected ...`.
[[noreturn]] void refuse_name(std::string_view target, std::string_view name, std::string_view why);

/// What a target of one file wrote.
Exported one_file(std::string text, ServedModel served);

/// The shortest decimal that reads back as the same double; always with a point or an exponent, so that no language
/// takes it for a whole number.
std::string number_text(double value);

Exported export_sql(const Model& model, const ExportOptions& options);
Exported export_svmlight(const Model& model, const ExportOptions& options);

}  // namespace dorm
