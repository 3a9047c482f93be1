// SPDX-License-Identifier: Apache-2.0
// Bounds by name, and the reference ranking of each.
#include <array>

#include "dorm/oracle.h"

namespace dorm {
namespace {

constexpr std::array<CatalogEntry, 4> kBounds = {{
    {"given", "given", "reference: label order, ties in file order (the paper to the letter)"},
    {"average", "average", "reference: label order, tied documents share their mean decay"},
    {"best", "best", "reference: the highest-scoring ranking among those without loss"},
    {"predicted", "predicted", "reference: the predicted ranking itself (ramp loss; not convex, several rounds)"},
}};

}  // namespace

std::span<const CatalogEntry> bound_catalog() { return kBounds; }

std::string_view name_of(Bound bound) { return kBounds[static_cast<std::size_t>(bound)].name; }

Bound parse_bound(std::string_view name) {
  for (std::size_t b = 0; b < kBounds.size(); ++b)
    if (kBounds[b].name == name) return static_cast<Bound>(b);
  throw_unknown_name("bound", name, kBounds);
}

void make_reference(Bound bound, const PreparedQuery& query, Labels labels, std::span<const double> scores,
                    Reference& out) {
  switch (bound) {
    case Bound::given:
      return reference_given(query, labels, out);
    case Bound::average:
      return reference_average(query, labels, out);
    case Bound::best:
      return reference_best(query, scores, out);
    case Bound::predicted:
      return reference_predicted(query, scores, out);
  }
}

}  // namespace dorm
