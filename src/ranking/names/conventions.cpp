// SPDX-License-Identifier: Apache-2.0
// The presets of docs/measures.md, each as it differs from `standard`.
#include <array>

#include "dorm/base/catalog.h"
#include "dorm/measure.h"

namespace dorm {
namespace {

Convention standard() { return {}; }

Convention letor3() {
  Convention c;
  c.discount = Discount::letor;
  c.empty = EmptyQuery::zero;
  c.short_list = ShortList::zero;
  return c;
}

Convention letor4() {
  Convention c = letor3();
  c.short_list = ShortList::gain_zero;
  return c;
}

Convention mslr() {
  Convention c = letor4();
  c.relevant_from = 2;
  return c;
}

Convention lightgbm() {
  Convention c;
  c.empty = EmptyQuery::one;
  c.map_over_reachable = true;
  return c;
}

Convention trec() {
  Convention c;
  c.gain = Gain::linear;
  c.empty = EmptyQuery::zero;
  c.ties = Ties::document_id;
  c.skip_missing = true;
  return c;
}

Convention sklearn() {
  Convention c;
  c.gain = Gain::linear;
  c.empty = EmptyQuery::zero;
  c.ties = Ties::expected;
  return c;
}

// clang-format off
constexpr std::array kConventions{
    CatalogEntry{"standard", "standard", "gain 2^r - 1, discount 1/log2(1 + rank); queries without relevant documents are skipped"},
    CatalogEntry{"letor3", "letor3", "the LETOR 3.0 script: discounts 1, 1, 1/log2(rank); empty queries and, for ndcg@n and precision@n, lists shorter than n count 0"},
    CatalogEntry{"letor4", "letor4", "the LETOR 4.0 script: as letor3, but precision@n of a short list counts what is there"},
    CatalogEntry{"mslr", "mslr", "the MSLR-WEB script: as letor4, and relevant means label >= 2 in precision and map"},
    CatalogEntry{"lightgbm", "lightgbm", "as standard, but empty queries count 1; map@n is over min(relevant, n)"},
    CatalogEntry{"xgboost", "xgboost", "the same rules as lightgbm"},
    CatalogEntry{"trec", "trec", "trec_eval: linear gain; empty queries count 0; ties by document id, descending"},
    CatalogEntry{"sklearn", "sklearn", "scikit-learn: linear gain; empty queries count 0; ties averaged over all orders"},
};

constexpr std::array<Convention (*)(), kConventions.size()> kMakers{
    standard, letor3, letor4, mslr, lightgbm, lightgbm, trec, sklearn,
};

constexpr std::array kTies{
    CatalogEntry{"index", "index", "tied documents stay in input order"},
    CatalogEntry{"expected", "expected", "the mean over all orders of tied documents, exact"},
    CatalogEntry{"worst", "worst", "the order of tied documents that scores lowest"},
    CatalogEntry{"document_id", "document_id", "tied documents by document id, descending bytes, as trec_eval does"},
};
// clang-format on

}  // namespace

std::span<const CatalogEntry> convention_catalog() { return kConventions; }
std::span<const CatalogEntry> tie_catalog() { return kTies; }

Convention make_convention(std::string_view name) {
  for (std::size_t i = 0; i < kConventions.size(); ++i) {
    if (kConventions[i].name != name) continue;
    Convention convention = kMakers[i]();
    convention.name = name;
    return convention;
  }
  throw_unknown_name("convention", name, kConventions);
}

Ties parse_ties(std::string_view name) {
  constexpr std::array kValues{Ties::index, Ties::expected, Ties::worst, Ties::document_id};
  static_assert(kValues.size() == kTies.size());
  for (std::size_t i = 0; i < kTies.size(); ++i)
    if (kTies[i].name == name) return kValues[i];
  throw_unknown_name("tie rule", name, kTies);
}

std::string_view name_of(Ties ties) { return kTies[static_cast<std::size_t>(ties)].name; }

}  // namespace dorm
