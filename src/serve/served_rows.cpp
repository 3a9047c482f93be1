// SPDX-License-Identifier: Apache-2.0
#include "serve/served_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <unordered_set>

#include "base/quote.h"
#include "base/unknown_name.h"
#include "data/impute.h"
#include "data/io/tables/table_encoder.h"
#include "dorm/error.h"
#include "model/align.h"

namespace dorm::serve {
namespace {

/// How the model's training data was read.
ReadOptions reading_of(const Model& model) {
  const InputDescription& input = model.data.input;
  ReadOptions options;
  options.missing = input.missing;
  options.missing_by_column = input.missing_by_column;
  options.means = input.means;
  options.encodings = input.encodings;
  options.features = model.features;
  return options;
}

/// Rows of one request that are more than finite numbers of features.
class CellRows {
 public:
  CellRows(const LoadedModel& model, const RankRequest& asked)
      : model_(model), asked_(asked), options_(reading_of(*model.ranker())), encoder_(options_) {
    for (std::size_t j = 0; j < ranker().features.size(); ++j) features_.emplace(ranker().features[j], j);
  }

  ServedRows run() {
    name_columns();
    cell_at_.resize(asked_.documents * asked_.width);
    for (const RequestCell& cell : asked_.cells) cell_at_[cell.document * asked_.width + cell.column] = &cell;
    for (const std::string& name : names_) encoder_.add_column(name);
    if (asked_.form != RankRequest::Form::named) encoder_.require_columns({});
    encoder_.fit({});
    const PackedText made = encoder_.names();
    ServedRows out;
    out.held.assign(asked_.documents * made.size(), 0.0f);
    for (std::size_t i = 0; i < asked_.documents; ++i) add_row(i, std::span(out.held).subspan(i * made.size()));
    fill(made, out.held);
    const std::shared_ptr<const Layout> given = model_.layout(made, made.size());
    out.held = in_order(*given, out.held);
    out.layout = model_.layout({}, ranker().features.size());
    out.rows = {out.held.data(), asked_.documents, ranker().features.size(), ranker().features.size()};
    return out;
  }

 private:
  const Model& ranker() const { return *model_.ranker(); }

  void name_columns() {
    std::vector<std::string> own = source_columns(options_);
    for (std::size_t j = 0; j < asked_.features.size(); ++j) names_.emplace_back(asked_.features[j]);
    if (names_.empty() && asked_.width == own.size()) names_ = own;
    if (names_.empty() && asked_.width == ranker().features.size()) names_ = ranker().features;
    if (names_.empty())
      throw Error(ErrorCode::bad_input,
                  fmt::format("found {} values for each document; expected {}, one for each column of the model {}",
                              asked_.width, own.size(), model_.name()));
    const std::unordered_set<std::string> known(own.begin(), own.end());
    for (std::size_t j = 0; j < names_.size(); ++j)
      if (!known.contains(names_[j]) && !features_.contains(names_[j])) refuse_unknown(j, own);
    if (asked_.form != RankRequest::Form::named) return;
    const std::unordered_set<std::string> given(names_.begin(), names_.end());
    for (std::string& column : own)
      if (!given.contains(column)) names_.push_back(std::move(column));  // no document has it
  }

  [[noreturn]] void refuse_unknown(std::size_t column, const std::vector<std::string>& known) const {
    const std::string near = nearest_name(names_[column], known);
    throw Error(
        ErrorCode::bad_input,
        fmt::format("features[{}]: found {}; expected a feature of the model {}{}", column, in_quotes(names_[column]),
                    model_.name(), near.empty() ? "" : fmt::format(": did you mean {}?", in_quotes(near))));
  }

  std::string place(std::size_t document, std::size_t column) const {
    if (asked_.form == RankRequest::Form::columns)
      return fmt::format("columns.{}[{}]", printable(names_[column]), document);
    const std::string before = asked_.query.empty() ? "" : fmt::format("query {}: ", in_quotes(asked_.query));
    if (asked_.form == RankRequest::Form::named)
      return fmt::format("{}documents[{}].features.{}", before, document, printable(names_[column]));
    return fmt::format("{}documents[{}].values[{}]", before, document, column);
  }

  [[noreturn]] void refuse_cell(std::size_t document, std::size_t column, const RequestCell* cell,
                                std::string_view expected) const {
    const std::string found = cell == nullptr || cell->kind == RequestCell::Kind::absent ? "nothing"
                              : cell->kind == RequestCell::Kind::null                    ? "null"
                                                                                         : in_quotes(cell->text);
    throw Error(ErrorCode::bad_input,
                fmt::format("{}: found {}; expected {}", place(document, column), found, expected));
  }

  bool used(const std::string& name) const {
    const auto found = features_.find(name);
    return found == features_.end() || model_.by_position() || uses(ranker(), found->second);
  }

  float stand_in(std::size_t document, std::size_t column) {
    const bool given = column < asked_.width;
    const RequestCell* const cell = given ? cell_at_[document * asked_.width + column] : nullptr;
    if (given && cell == nullptr && !encoder_.encoded(column)) return asked_.values[document * asked_.width + column];
    const bool text = cell != nullptr && cell->kind == RequestCell::Kind::text;
    float value = 0;
    const Cell kind = encoder_.note(column, text ? std::string_view(cell->text) : std::string_view(), value);
    if (kind == Cell::number) return value;
    if (kind == Cell::missing) {
      if (encoder_.rule(column) == Missing::error && used(names_[column]))
        refuse_cell(document, column, cell,
                    fmt::format("a number: the model {} has no rule for a missing {}", model_.name(),
                                in_quotes(names_[column])));
      return encoder_.rule(column) == Missing::error && !encoder_.encoded(column) ? 0.0f : value;
    }
    refuse_cell(document, column, cell, encoder_.encoded(column) ? encoder_.expected(column) : "a number");
  }

  void add_row(std::size_t document, std::span<float> out) {
    stand_ins_.resize(names_.size());
    for (std::size_t c = 0; c < names_.size(); ++c) stand_ins_[c] = stand_in(document, c);
    encoder_.encode(stand_ins_, ids_, values_);
    for (std::size_t k = 0; k < ids_.size(); ++k) out[ids_[k] - 1] = values_[k];
  }

  /// In the order of the model, so that sums have the same last digit as those of a file. What is not given is not
  /// used.
  std::vector<float> in_order(const Layout& given, std::span<const float> values) const {
    const std::size_t width = ranker().features.size(), columns = given.feature_of.size();
    const FeatureStatistics& seen = ranker().data.statistics;
    std::vector<float> out(asked_.documents * width);
    for (std::size_t i = 0; i < asked_.documents; ++i) {
      for (std::size_t j = 0; j < width && seen.known(); ++j) out[i * width + j] = static_cast<float>(seen.minimum[j]);
      for (std::size_t c = 0; c < columns; ++c) out[i * width + given.feature_of[c]] = values[i * columns + c];
    }
    return out;
  }

  void fill(const PackedText& made, std::span<float> values) const {
    const InputDescription& input = ranker().data.input;
    std::vector<float> fills;
    std::vector<std::uint32_t> minima;
    for (std::size_t j = 0; j < made.size(); ++j) {
      const Missing rule = input.missing_rule(made[j]);
      const auto mean = input.means.find(made[j]);
      fills.push_back(rule == Missing::keep       ? std::numeric_limits<float>::quiet_NaN()
                      : mean == input.means.end() ? 0.0f
                                                  : static_cast<float>(mean->second));
      if (rule == Missing::query_min) minima.push_back(static_cast<std::uint32_t>(j));
    }
    const std::vector<std::uint64_t> query_end = {asked_.documents};
    impute_query_minima(values, made.size(), query_end, minima);
    impute_dense(values, made.size(), fills);
  }

  const LoadedModel& model_;
  const RankRequest& asked_;
  ReadOptions options_;
  TableEncoder encoder_;
  std::unordered_map<std::string, std::size_t> features_;
  std::vector<std::string> names_;  // of the columns, those that no document has behind the others
  std::vector<const RequestCell*> cell_at_;
  std::vector<float> stand_ins_, values_;
  std::vector<std::uint32_t> ids_;
};

}  // namespace

bool reads_texts(const LoadedModel& model) { return !model.ranker()->data.input.encodings.empty(); }

ServedRows served_rows(const LoadedModel& model, const RankRequest& asked) {
  if (!asked.cells.empty() || asked.form == RankRequest::Form::named || reads_texts(model))
    return CellRows(model, asked).run();
  return {model.layout(asked.features, asked.width), {}, asked.rows()};
}

}  // namespace dorm::serve
