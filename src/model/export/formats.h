// SPDX-License-Identifier: Apache-2.0
// One function per target, and what several of them need.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "dorm/export.h"

namespace dorm {

/// The scaling of a linear model folded into its weights: weight f(x) + constant. Features that change no score (of
/// weight 0, or constant in training) are left out. Expects a scaling that is not within queries. Where scores have to
/// be non-negative, the constant sees to it.
ServedModel folded(const Model& model, const ExportOptions& options);

/// The scaling kept as shift and divisor, which a reader of the model understands; left out as above. Where scores have
/// to be non-negative, every term is, by a shift of its own: for targets without a constant.
ServedModel normalised(const Model& model, const ExportOptions& options);

/// As the documents of a query are scaled together: the weights of all features that have one.
ServedModel within_queries(const Model& model);

/// For targets that compute in double: the scaling as shift and divisor, which loses no digits where a feature is far
/// from 0, or folded where options ask for it, or within queries.
ServedModel in_doubles(const Model& model, const ExportOptions& options);

/// Whether a term has a shift or a divisor.
bool has_scaling(const ServedModel& served);

/// Whether a term is a piece of a curve.
bool has_held_terms(const ServedModel& served);

/// Whether a term is what a missing value adds.
bool has_gap_terms(const ServedModel& served);
/// Whether a missing value of the feature adds something of its own to scores, as in curves of lines.
bool weighs_gaps(const Model& model, std::size_t feature);

/// The divisors into the weights, which loses nothing.
void divide_weights(ServedModel& served);

/// A feature that a column of categories, dates or formatted numbers makes.
struct EncodedFeature {
  const ColumnEncoding* encoding;
  std::size_t place;  // among the features of the rule

  bool is_others() const;  // of the values without a feature of their own
  bool is_gap() const;     // 1 where the cell is missing
};

/// What of the features comes from columns. Those that options have a name for do not: someone else makes them.
struct EncodedFeatures {
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  struct Rule {
    const ColumnEncoding* encoding;
    std::vector<std::size_t> features;  // of the model, by place; kNone: it has none here
  };

  EncodedFeatures(const Model& model, const ExportOptions& options);

  std::vector<std::optional<EncodedFeature>> by_feature;
  std::vector<Rule> rules;           // that make a feature of the model
  std::vector<std::string> columns;  // whose cells are read, each once; an indicator looks at the number beside it
};

/// The feature whose gaps an indicator marks.
std::size_t marked_feature(const Model& model, const ColumnEncoding& indicator);

/// Whether the smallest value of the query stands for gaps of the feature; not where options have a name for it, under
/// which someone else fills it.
bool takes_query_minimum(const Model& model, std::size_t feature, const ExportOptions& options);

/// Whether a document may lack the feature.
bool may_lack(const Model& model, std::size_t feature);

/// The functions that make features of cells, and their table; empty where there are none.
std::string python_columns(const Model& model, const ExportOptions& options);
/// The same in C, as a function that fills in a row of features.
std::string c_columns(const Model& model, const std::string& name, const ExportOptions& options);
/// A string literal of C; `what` it is, for the refusal.
std::string c_string(std::string_view text);
/// A string literal in ASCII.
std::string python_string(std::string_view text);

/// As the target spells the feature.
std::string_view spelling(const Model& model, const ExportOptions& options, std::size_t feature);

/// The value of a feature that a document does not have: 0, or what the model's rule says: the mean in training, or the
/// smallest value there, since the smallest of the query is not known of a document by itself; the median where gaps
/// have a weight of their own.
double value_where_missing(const Model& model, std::size_t feature);

/// Throws Error(unsupported): `the target "lucene" cannot say the name "x y" of a feature (why); expected ...`.
[[noreturn]] void refuse_name(std::string_view target, std::string_view name, std::string_view why);

/// The characters of a name; refuses what is not UTF-8.
std::u32string code_points(std::string_view target, std::string_view name);

/// What the model is, in one line that is safe inside a comment of any language: version, measure, scaling, data.
std::string provenance(const Model& model);

/// What becomes of missing values, as a sentence for the readers of exported code.
std::string missing_rule(const Model& model);

/// What a target of one file wrote.
Exported one_file(std::string text, ServedModel served);

/// The name of the model in a folder that holds it whole.
constexpr std::string_view kWholeModelFile = "model.json";

/// A sum as targets add it up: parts of weight 1 over all features, the trees of all parts in one. Throws
/// Error(unsupported) for parts that cannot be brought into that form.
Model sum_for_export(const Model& sum, std::string_view target);
/// Of its parts.
ServedModel served_sum(const Model& sum, std::vector<ServedModel> parts);

/// What folders that hold the model itself begin with: kWholeModelFile. Throws Error(unsupported) for options that
/// would change the model.
Exported whole_model(std::string_view target, const Model& model, const ExportOptions& options);

/// The text as a double-quoted scalar of YAML, on one line. What readers of YAML refuse is escaped; other text stands
/// as it is, because PyYAML reads the surrogate escapes of JSON as two characters.
std::string yaml_text(std::string_view text);

/// The shortest decimal that reads back as the same double; always with a point or an exponent, so that no language
/// takes it for a whole number.
std::string number_text(double value);

/// constant + weight value + ...: the sum in the notation that programming languages share, with `value` of every term.
/// Long sums are written in groups, so that parsers do not nest deeply, and `served` says so.
std::string sum_text(ServedModel& served, const std::function<std::string(const ServedModel::Term& term)>& value);

/// `value` held between two numbers, in the same notation.
std::string held_text(const std::string& value, const ServedModel::Term& term);

/// For engines that compute in float32 and have no place for a constant: every number becomes the shortest decimal that
/// reads back as the same float32, and the constant is left out.
void serve_in_single(ServedModel& served);
/// The same for one number; one beyond float32 stays as it is.
double single_decimal(double value);

/// The maximum of a normaliser (x - minimum) / (maximum - minimum) of float32 that is the term's, whose divisor becomes
/// what that difference is. Nothing where float32 cannot say the difference, or where the minimum is negative, which
/// some engines do not take: then a mean and a deviation say the same.
std::optional<double> maximum_of_range(ServedModel::Term& term);

/// Whether it is a variable of Lucene's expressions: score, a.b, doc['price'].value.
bool is_expression_variable(std::string_view name);

/// `base`, or that with underscores behind it, unlike all in `taken`; it is taken then.
std::string new_name(std::string base, std::set<std::string, std::less<>>& taken);
/// How the target spells all features.
std::set<std::string, std::less<>> spellings(const Model& model, const ExportOptions& options);

/// The options with names for features that are called by numbers, as those of LETOR files are, and that the map does
/// not name: `before` 7 `behind` for 7. For targets whose names cannot be numbers. `notes` gets the sentence that says
/// so. Refused where another feature has such a name.
ExportOptions naming_numbers(const Model& model, ExportOptions options, std::string_view target,
                             std::string_view before, std::string_view behind, std::vector<std::string>& notes);

/// The name as JSON; refused where it is empty or not UTF-8.
Json json_name(std::string_view target, std::string_view name);

/// Adds the sentence that features which a document lacks count as 0, where they counted as the mean in training.
void note_missing(Exported& exported, const Model& model, std::string_view target);

Exported export_c(const Model& model, const ExportOptions& options);
Exported export_elasticsearch(const Model& model, const ExportOptions& options);
Exported export_lightgbm(const Model& model, const ExportOptions& options);
Exported export_lucene(const Model& model, const ExportOptions& options);
Exported export_mlflow(const Model& model, const ExportOptions& options);
Exported export_modelcard(const Model& model, const ExportOptions& options);
Exported export_onnx(const Model& model, const ExportOptions& options);
Exported export_opensearch(const Model& model, const ExportOptions& options);
Exported export_pmml(const Model& model, const ExportOptions& options);
Exported export_python(const Model& model, const ExportOptions& options);
Exported export_ranklib(const Model& model, const ExportOptions& options);
Exported export_solr(const Model& model, const ExportOptions& options);
Exported export_sql(const Model& model, const ExportOptions& options);
Exported export_svmlight(const Model& model, const ExportOptions& options);
Exported export_vespa(const Model& model, const ExportOptions& options);

}  // namespace dorm
