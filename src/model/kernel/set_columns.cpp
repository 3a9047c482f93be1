// SPDX-License-Identifier: Apache-2.0
// Columns that compare documents with the set of their query. One query and its set are held dense at a time.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <unordered_map>

#include "data/replace_features.h"
#include "dorm/error.h"
#include "dorm/learning/kernel.h"
#include "dorm/learning/sets.h"
#include "model/kernel/expression.h"

namespace dorm {
namespace {

enum class SetKind { mean, max, columns };

constexpr std::array<CatalogEntry, 3> kSetKinds = {{
    {"mean", "mean:KERNEL", "mean over the set of k(s, x): the product with its mean map"},
    {"max", "max:KERNEL", "k(s, x) of the member that is most similar"},
    {"columns", "columns", "the mean features of the set, as columns set:NAME"},
}};

struct SetSimilarity {
  SetKind kind = SetKind::mean;
  std::string kernel = {};  // empty for columns
};

[[noreturn]] void refuse_similarity(std::string_view text, const std::string& problem) {
  throw Error(ErrorCode::bad_option, fmt::format("similarity \"{}\": {}", text, problem));
}

/// What would be drawn from the data of one file would be another number for the next.
void require_settled(std::string_view text, const std::string& kernel) {
  if (kernel == "precomputed") refuse_similarity(text, "a Gram matrix has no features to compare by");
  for (const TermText& term : parse_expression(kernel))
    for (const PartText& part : term.parts)
      if (part.name == "rbf" && std::none_of(part.parameters.begin(), part.parameters.end(), [](const auto& given) {
            return given.key == "gamma" && given.value != "median";
          }))
        refuse_similarity(text, "gamma must be a number, so that columns of other files mean the same");
}

SetSimilarity parse_similarity(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  std::size_t row = 0;
  while (row < kSetKinds.size() && kSetKinds[row].name != name) ++row;
  if (row == kSetKinds.size()) throw_unknown_name("similarity", name, kSetKinds);
  SetSimilarity found{static_cast<SetKind>(row)};
  if (found.kind == SetKind::columns) {
    if (colon != std::string_view::npos) refuse_similarity(text, "columns takes no kernel");
    return found;
  }
  if (colon == std::string_view::npos)
    refuse_similarity(text,
                      fmt::format("of which kernel? expected {}, such as {}:attribute", kSetKinds[row].usage, name));
  found.kernel = text.substr(colon + 1);
  check_kernel_spec(found.kernel);
  require_settled(text, found.kernel);
  return found;
}

/// The columns of either data set by name, those of the first in front.
class UnitedColumns {
 public:
  UnitedColumns(const Dataset& first, const Dataset& second) {
    std::unordered_map<std::string, std::size_t> index;
    const auto add = [&](const Dataset& data, std::vector<std::size_t>& place) {
      for (std::size_t column = 0; column < data.num_features(); ++column) {
        const auto [entry, fresh] = index.try_emplace(data.feature_name(column), names_.size());
        if (fresh) names_.push_back(entry->first);
        place.push_back(entry->second);
      }
    };
    add(first, first_);
    add(second, second_);
  }

  const std::vector<std::string>& names() const { return names_; }
  Documents of_first(const Dataset& data, std::size_t q) const { return documents(data, q, first_); }
  Documents of_second(const Dataset& data, std::size_t q) const { return documents(data, q, second_); }

 private:
  Documents documents(const Dataset& data, std::size_t q, const std::vector<std::size_t>& place) const {
    const Dataset one = data.select(std::span(&q, 1));
    const auto fill = [&](std::size_t, float* rows, std::size_t stride) {
      const Query query = one.query(0);
      std::vector<float> row(place.size());
      for (std::size_t i = 0; i < query.size(); ++i) {
        query.rows.load(i, row);
        for (std::size_t column = 0; column < place.size(); ++column) rows[i * stride + place[column]] = row[column];
      }
    };
    return Documents(replace_features(one, names_.size(), names_, 1, fill));
  }

  std::vector<std::string> names_;
  std::vector<std::size_t> first_, second_;  // column of each one's columns
};

/// The candidates of a query and the set they are compared with.
struct SetQuery {
  const Documents documents, members;

  /// Whether the member is the document itself.
  bool same(std::size_t document, std::size_t member) const {
    const std::string_view id = documents.id(IdKind::document, document);
    return !id.empty() && id == members.id(IdKind::document, member);
  }
};

void fill_similarity(const SetQuery& query, const Kernel& kernel, bool largest, float* out, std::size_t stride) {
  const auto columns = kernel.against(query.members);
  std::vector<float> values(columns->size());
  for (std::uint32_t i = 0; i < query.documents.size(); ++i) {
    columns->compute(query.documents, std::span(&i, 1), 0, values.size(), values.data(), values.size());
    double sum = 0, best = 0;
    std::size_t count = 0;
    for (std::size_t j = 0; j < values.size(); ++j) {
      if (query.same(i, j)) continue;
      const auto value = static_cast<double>(values[j]);
      sum += value;
      best = count == 0 ? value : std::max(best, value);
      ++count;
    }
    out[i * stride] = static_cast<float>(count == 0 ? 0 : largest ? best : sum / static_cast<double>(count));
  }
}

void fill_mean_features(const SetQuery& query, float* out, std::size_t stride) {
  std::vector<float> row(query.members.num_features());
  std::vector<double> sum(row.size());
  for (std::size_t i = 0; i < query.documents.size(); ++i) {
    std::fill(sum.begin(), sum.end(), 0.0);
    std::size_t count = 0;
    for (std::size_t j = 0; j < query.members.size(); ++j) {
      if (query.same(i, j)) continue;
      query.members.load(j, row);
      for (std::size_t k = 0; k < row.size(); ++k) sum[k] += static_cast<double>(row[k]);
      ++count;
    }
    for (std::size_t k = 0; k < row.size() && count > 0; ++k)
      out[i * stride + k] = static_cast<float>(sum[k] / static_cast<double>(count));
  }
}

std::vector<std::size_t> find_sets(const Dataset& data, const Dataset& sets) {
  std::unordered_map<std::string_view, std::size_t> index;
  for (std::size_t q = 0; q < sets.num_queries(); ++q) index.emplace(sets.query(q).id, q);
  std::vector<std::size_t> found;
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    const auto entry = index.find(data.query(q).id);
    if (entry == index.end())
      throw Error(ErrorCode::bad_input,
                  fmt::format("query {} has no set; expected documents of that query among the {} sets",
                              data.query(q).id, sets.num_queries()));
    found.push_back(entry->second);
  }
  return found;
}

}  // namespace

std::span<const CatalogEntry> set_similarity_catalog() { return kSetKinds; }

void check_set_similarity(std::string_view similarity) { parse_similarity(similarity); }

Dataset with_set_columns(const Dataset& data, const Dataset& sets, std::span<const std::string> similarities,
                         const SetOptions& options) {
  if (similarities.empty()) throw Error(ErrorCode::bad_option, "no similarities; expected one such as mean:attribute");
  const std::vector<std::size_t> set_of = find_sets(data, sets);
  if (set_of.empty()) return data;
  const UnitedColumns united(data, sets);
  std::vector<SetSimilarity> asked;
  std::vector<std::unique_ptr<const Kernel>> kernels;
  std::vector<std::string> added;
  for (const std::string& text : similarities) {
    asked.push_back(parse_similarity(text));
    kernels.push_back(asked.back().kernel.empty()
                          ? nullptr
                          : make_kernel(asked.back().kernel, united.of_second(sets, set_of.front())));
    if (kernels.back())
      added.push_back(text);
    else
      for (const std::string& name : united.names()) added.push_back("set:" + name);
  }
  const auto fill = [&](std::size_t q, float* rows, std::size_t stride) {
    const SetQuery query{united.of_first(data, q), united.of_second(sets, set_of[q])};
    for (std::size_t s = 0; s < asked.size(); ++s) {
      if (kernels[s])
        fill_similarity(query, *kernels[s], asked[s].kind == SetKind::max, rows++, stride);
      else
        fill_mean_features(query, rows, stride), rows += united.names().size();
    }
  };
  Dataset out = options.only_added ? replace_features(data, added.size(), added, options.threads, fill)
                                   : append_features(data, added, options.threads, fill);
  data.require_intact();
  sets.require_intact();
  return out;
}

}  // namespace dorm
