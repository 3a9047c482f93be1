// SPDX-License-Identifier: Apache-2.0
// Trees as SQL and as PMML, node within node.
#include <fmt/format.h>

#include "model/export/trees.h"

namespace dorm {
namespace {

constexpr std::size_t kTreesInBrackets = 32;

/// The categories of a set.
std::vector<std::size_t> members(const CategorySet& set) {
  std::vector<std::size_t> out;
  for (std::size_t k = 0; k < set.size() * 32; ++k)
    if ((set[k / 32] >> (k % 32) & 1) != 0) out.push_back(k);
  return out;
}

std::string sql_number(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find('e') == std::string::npos) text += "e0";
  return text;
}

/// What goes left. NULL is the missing value; a comparison with it is neither true nor false and goes right.
std::string sql_test(const TreeEnsemble& trees, const TreeNode& node, const std::string& column) {
  const bool none = node.missing == MissingSplit::none;
  const std::string x = none ? fmt::format("COALESCE({}, 0)", column) : column;
  std::string test = fmt::format("{} <= {}", x, sql_number(node.value));
  if (node.categories > 0) {
    const std::vector<std::size_t> categories = members(trees.category_sets[node.categories - 1]);
    test = categories.empty() ? "1 = 0" : fmt::format("FLOOR({}) IN ({})", x, fmt::join(categories, ", "));
  }
  const std::string zero = fmt::format("ABS({}) <= {}", column, sql_number(kTreeZero));
  if (node.missing == MissingSplit::zero)
    test = node.default_left ? zero + " OR " + test : fmt::format("{} AND NOT {}", test, zero);
  if (!none && node.default_left) test = fmt::format("{} IS NULL OR {}", column, test);
  return test;
}

/// Trees as expressions. Of two subtrees the one with fewer leaves stands behind THEN, and the other one goes on behind
/// the next WHEN: expressions nest no deeper than the logarithm of the leaves, because databases limit how deep.
class SqlTree {
 public:
  SqlTree(const TreeEnsemble& trees, const std::vector<std::string>& columns)
      : trees_(trees), columns_(columns), leaves_(trees.nodes.size(), 1) {
    for (std::size_t k = leaves_.size(); k-- > 0;)
      if (const TreeNode& node = trees.nodes[k]; !node.leaf())
        leaves_[k] = leaves_[static_cast<std::size_t>(node.left)] + leaves_[static_cast<std::size_t>(node.right)];
  }

  void write(std::size_t k, std::string& out) const {
    if (trees_.nodes[k].leaf()) {
      out += sql_number(trees_.nodes[k].value);
      return;
    }
    out += "CASE";
    while (!trees_.nodes[k].leaf()) {
      const TreeNode& node = trees_.nodes[k];
      const auto left = static_cast<std::size_t>(node.left), right = static_cast<std::size_t>(node.right);
      const bool left_first = leaves_[left] <= leaves_[right];
      out += fmt::format(" WHEN {} THEN ", left_first ? test_of(node) : not_test_of(node));
      write(left_first ? left : right, out);
      k = left_first ? right : left;
    }
    out += fmt::format(" ELSE {} END", sql_number(trees_.nodes[k].value));
  }

 private:
  std::string test_of(const TreeNode& node) const { return sql_test(trees_, node, columns_[node.feature]); }

  /// What goes right: NOT alone would be neither true nor false for a NULL that goes there.
  std::string not_test_of(const TreeNode& node) const {
    const bool null_goes_right = node.missing != MissingSplit::none && !node.default_left;
    return fmt::format("{}NOT ({})", null_goes_right ? columns_[node.feature] + " IS NULL OR " : "", test_of(node));
  }

  const TreeEnsemble& trees_;
  const std::vector<std::string>& columns_;
  std::vector<std::size_t> leaves_;  // below each node
};

std::string pmml_predicate(const TreeEnsemble& trees, const TreeNode& node, const std::string& field, bool left) {
  if (node.categories == 0)
    return fmt::format("<SimplePredicate field=\"{}\" operator=\"{}\" value=\"{}\"/>", field,
                       left ? "lessOrEqual" : "greaterThan", node.value);
  const std::vector<std::size_t> categories = members(trees.category_sets[node.categories - 1]);
  return fmt::format(
      "<SimpleSetPredicate field=\"{}\" booleanOperator=\"{}\"><Array n=\"{}\" type=\"int\">{}</Array>"
      "</SimpleSetPredicate>",
      field, left ? "isIn" : "isNotIn", categories.size(), fmt::join(categories, " "));
}

class PmmlTree {
 public:
  PmmlTree(const TreeEnsemble& trees, const std::vector<std::string>& fields) : trees_(trees), fields_(fields) {}

  std::string write(std::size_t root) {
    text_.clear();
    node(root, "<True/>");
    return text_;
  }

 private:
  void node(std::size_t k, const std::string& predicate) {
    const TreeNode& at = trees_.nodes[k];
    text_ += fmt::format("<Node id=\"{}\"", k);
    if (at.leaf()) {
      text_ += fmt::format(" score=\"{}\">{}</Node>", at.value, predicate);
      return;
    }
    text_ += fmt::format(" defaultChild=\"{}\">{}", missing_goes_left(at) ? at.left : at.right, predicate);
    for (const bool left : {true, false})
      node(static_cast<std::size_t>(left ? at.left : at.right), pmml_predicate(trees_, at, fields_[at.feature], left));
    text_ += "</Node>";
  }

  const TreeEnsemble& trees_;
  const std::vector<std::string>& fields_;
  std::string text_;
};

}  // namespace

std::string sql_of_trees(const Model& model, const std::vector<std::string>& columns) {
  const TreeEnsemble& trees = model.trees->trees();
  std::string text = "(" + sql_number(trees.base);
  const bool groups = trees.num_trees() > kTreesInBrackets;
  const SqlTree tree(trees, columns);
  for (std::size_t t = 0; t < trees.num_trees(); ++t) {
    text += groups && t % kTreesInBrackets == 0 ? "\n + (" : "\n + ";
    tree.write(trees.roots[t], text);
    if (groups && (t + 1 == trees.num_trees() || (t + 1) % kTreesInBrackets == 0)) text += ")";
  }
  return text + ")\n";
}

std::string pmml_of_trees(const Model& model, const std::vector<std::string>& fields, std::string_view name,
                          std::string_view output) {
  const TreeEnsemble& trees = model.trees->trees();
  std::string mining;
  for (std::size_t j = 0; j < fields.size(); ++j)
    if (model.trees->used()[j]) mining += fmt::format("<MiningField name=\"{}\"/>", fields[j]);
  std::string text = fmt::format(
      " <MiningModel modelName=\"{}\" functionName=\"regression\">\n  <MiningSchema>{}</MiningSchema>\n{}"
      "  <Targets><Target rescaleConstant=\"{}\"/></Targets>\n"
      "  <Segmentation multipleModelMethod=\"sum\">\n",
      name, mining, output, trees.base);
  PmmlTree tree(trees, fields);
  for (std::size_t t = 0; t < trees.num_trees(); ++t)
    text += fmt::format(
        "   <Segment id=\"{}\"><True/><TreeModel functionName=\"regression\" splitCharacteristic=\"binarySplit\" "
        "missingValueStrategy=\"defaultChild\"><MiningSchema>{}</MiningSchema>{}</TreeModel></Segment>\n",
        t + 1, mining, tree.write(trees.roots[t]));
  return text + "  </Segmentation>\n </MiningModel>\n";
}

}  // namespace dorm
