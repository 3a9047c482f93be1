// SPDX-License-Identifier: Apache-2.0
// Trees as C and as Python: a table of nodes and a loop that walks it, in double and in the order of the trees.
#include <fmt/format.h>

#include "model/export/trees.h"

namespace dorm {
namespace {

/// What a node of the table compares: 0 a leaf, 1 x <= value, 2 x in the set of number value; 4: NaN goes left,
/// 8: NaN counts as 0, 16: so does 0 as NaN.
unsigned kind_of_node(const TreeNode& node) {
  if (node.leaf()) return 0;
  unsigned kind = node.categories > 0 ? 2 : 1;
  if (node.missing == MissingSplit::none) return kind | 8;
  if (node.default_left) kind |= 4;
  return node.missing == MissingSplit::zero ? kind | 16 : kind;
}

double value_of_node(const TreeNode& node) { return node.categories > 0 ? node.categories - 1 : node.value; }

template <class Text>
std::string node_table(const TreeEnsemble& trees, const char* open, const char* close, const Text& number) {
  std::string text;
  for (const TreeNode& node : trees.nodes)
    text += fmt::format("    {}{}, {}, {}, {}, {}{},\n", open, kind_of_node(node), node.feature,
                        node.leaf() ? 0 : node.left, node.leaf() ? 0 : node.right, number(value_of_node(node)), close);
  return text;
}

std::string c_sets(const TreeEnsemble& trees, const std::string& name) {
  std::string words, begins = "0";
  std::size_t count = 0;
  for (const CategorySet& set : trees.category_sets) {
    for (const std::uint32_t word : set) words += fmt::format("{}u, ", word);
    count += set.size();
    begins += fmt::format(", {}", count);
  }
  return fmt::format(
      "static inline int {0}_in_set(size_t set, double x) {{\n"
      "  static const unsigned long words[] = {{{1}0u}};\n"
      "  static const size_t begins[] = {{{2}}};\n"
      "  size_t category;\n"
      "  if (!(x >= 0 && x < 16777216.0)) return 0;\n"
      "  category = (size_t)x;\n"
      "  if (category / 32 >= begins[set + 1] - begins[set]) return 0;\n"
      "  return (int)(words[begins[set] + category / 32] >> (category % 32) & 1u);\n"
      "}}\n\n",
      name, words, begins);
}

}  // namespace

std::string c_tree_functions(const Model& model, const std::string& name) {
  const TreeEnsemble& trees = model.trees->trees();
  const bool sets = !trees.category_sets.empty();
  std::string text = sets ? c_sets(trees, name) : "";
  text += fmt::format(
      "/* x: the features of a document; NaN: missing. */\nstatic inline double {}_score(const float *x) {{\n", name);
  if (trees.num_trees() == 0) {
    text += fmt::format("  (void)x;\n  return {:a};\n}}\n\n", trees.base);
  } else {
    text +=
        "  static const struct {\n    unsigned char kind;\n    unsigned feature, left, right;\n    double value;\n  } "
        "nodes[] = {\n" +
        node_table(trees, "{", "}", [](double x) { return fmt::format("{:a}", x); }) + "  };\n" +
        fmt::format("  static const unsigned roots[] = {{{}}};\n", fmt::join(trees.roots, ", "));
    text += fmt::format(
        "  double score = {0:a};\n"
        "  size_t t;\n"
        "  for (t = 0; t < {1}; ++t) {{\n"
        "    unsigned k = roots[t];\n"
        "    while (nodes[k].kind) {{\n"
        "      double value = x[nodes[k].feature];\n"
        "      int left;\n"
        "      if ((nodes[k].kind & 8) && isnan(value)) value = 0;\n"
        "      if (isnan(value) || ((nodes[k].kind & 16) && fabs(value) <= {2:a}))\n"
        "        left = (nodes[k].kind & 4) != 0;\n"
        "{3}"
        "      else\n"
        "        left = value <= nodes[k].value;\n"
        "      k = left ? nodes[k].left : nodes[k].right;\n"
        "    }}\n"
        "    score += nodes[k].value;\n"
        "  }}\n"
        "  return score;\n"
        "}}\n\n",
        trees.base, trees.num_trees(), kTreeZero,
        sets
            ? fmt::format(
                  "      else if (nodes[k].kind & 2)\n        left = {}_in_set((size_t)nodes[k].value, value);\n", name)
            : "");
  }
  return text;
}

std::string python_tree_functions(const Model& model) {
  const TreeEnsemble& trees = model.trees->trees();
  std::string sets = "(";
  for (const CategorySet& set : trees.category_sets) {
    sets += "frozenset((";
    for (std::size_t k = 0; k < set.size() * 32; ++k)
      if ((set[k / 32] >> (k % 32) & 1) != 0) sets += fmt::format("{}, ", k);
    sets += ")), ";
  }
  return fmt::format(
      "\n_BASE = {}\n_ROOTS = ({})\n_SETS = {})\n"
      "_NODES = (  # kind, feature, left, right, value; kind: 0 leaf, 1 number, 2 category, 4 NaN left, 8 NaN is 0, "
      "16 0 is NaN\n{})\n"
      "\n\ndef _score(values):\n"
      "    total = _BASE\n"
      "    for k in _ROOTS:\n"
      "        kind, feature, left, right, threshold = _NODES[k]\n"
      "        while kind:\n"
      "            value = values[feature]\n"
      "            if kind & 8 and math.isnan(value):\n"
      "                value = 0.0\n"
      "            if math.isnan(value) or (kind & 16 and abs(value) <= {}):\n"
      "                goes_left = bool(kind & 4)\n"
      "            elif kind & 2:\n"
      "                goes_left = 0 <= value < 16777216 and int(value) in _SETS[int(threshold)]\n"
      "            else:\n"
      "                goes_left = value <= threshold\n"
      "            kind, feature, left, right, threshold = _NODES[left if goes_left else right]\n"
      "        total += threshold\n"
      "    return total\n",
      number_text(trees.base), trees.num_trees() == 0 ? "" : fmt::format("{},", fmt::join(trees.roots, ", ")), sets,
      node_table(trees, "(", ")", number_text), number_text(kTreeZero));
}

}  // namespace dorm
