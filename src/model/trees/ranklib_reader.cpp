// SPDX-License-Identifier: Apache-2.0
// RankLib's XML, also that of the learning-to-rank plugin of Elasticsearch: comments, then <ensemble> of <tree> of
// <split>. Random forests have several ensembles, whose mean counts.
#include <fmt/format.h>

#include <algorithm>

#include "base/number.h"
#include "dorm/error.h"
#include "model/trees/reading.h"

namespace dorm {
namespace {

constexpr std::string_view kBlank = " \t\r\n";

std::string_view trimmed(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlank), text.size()));
  return text.substr(0, text.find_last_not_of(kBlank) + 1);
}

/// Tags one after another, each with the text before it.
class Tags {
 public:
  Tags(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  bool next() {
    const std::size_t open = text_.find('<', at_), close = text_.find('>', at_);
    if (open == std::string_view::npos) return false;
    if (close == std::string_view::npos || close < open) refuse("a tag that ends in >");
    line_ += static_cast<std::size_t>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_),
                                                 text_.begin() + static_cast<std::ptrdiff_t>(close), '\n'));
    before = trimmed(text_.substr(at_, open - at_));
    tag = trimmed(text_.substr(open + 1, close - open - 1));
    at_ = close + 1;
    return true;
  }

  std::string_view element() const { return tag.substr(0, tag.find_first_of(kBlank)); }

  std::string_view attribute(std::string_view key) const {
    const std::size_t found = tag.find(fmt::format(" {}=\"", key));
    if (found == std::string_view::npos) return {};
    const std::string_view rest = tag.substr(found + key.size() + 3);
    return rest.substr(0, rest.find('"'));
  }

  double number(std::string_view text) const {
    double value = 0;
    if (parse_number(text, value) != NumberKind::finite || !fits_float(value)) refuse("a number");
    return static_cast<double>(static_cast<float>(value));
  }

  [[noreturn]] void refuse(std::string_view expected) const {
    throw Error(ErrorCode::bad_input, {name_, line_, 0},
                fmt::format("not a usable RankLib model: found <{}> behind \"{}\"; expected {}", tag.substr(0, 40),
                            before.substr(0, 40), expected));
  }

  std::string_view before, tag;

 private:
  std::string_view text_;
  const std::string& name_;
  std::size_t at_ = 0, line_ = 1;
};

class TreeParser {
 public:
  TreeParser(Tags& tags, double weight) : tags_(tags), weight_(weight) {}

  /// Behind <tree>, up to </tree>.
  std::vector<TreeNode> parse(std::uint32_t& features) {
    while (tags_.next() && tags_.tag != "/tree") {
      const std::string_view element = tags_.element();
      if (element == "split")
        open_split();
      else if (element == "/split")
        close_split();
      else if (open_.empty())
        tags_.refuse("<split> or </tree>");
      else if (element == "/feature")
        features = std::max(features, take_feature());
      else if (element == "/threshold")
        at().value = tags_.number(tags_.before);
      else if (element == "/output")
        at().value = tags_.number(tags_.before) * weight_;
      else if (element != "feature" && element != "threshold" && element != "output")
        tags_.refuse("feature, threshold, output or split");
    }
    if (!open_.empty() || tags_.tag != "/tree") tags_.refuse("</split> and </tree>");
    return std::move(nodes_);
  }

 private:
  TreeNode& at() { return nodes_[open_.back()]; }

  void open_split() {
    const auto place = static_cast<std::int32_t>(nodes_.size());
    if (open_.empty() ? place > 0 : open_.size() > TreeLimits::kDepth) tags_.refuse("one tree that is not too deep");
    if (!open_.empty()) {
      const std::string_view side = tags_.attribute("pos");
      if (side != "left" && side != "right") tags_.refuse("pos=\"left\" or pos=\"right\"");
      std::int32_t& child = side == "left" ? at().left : at().right;
      if (child != TreeNode::kLeaf) tags_.refuse("one split on each side");
      child = place;
    }
    open_.push_back(nodes_.size());
    nodes_.emplace_back();
    has_feature_.push_back(false);
  }

  void close_split() {
    if (open_.empty()) tags_.refuse("<split>");
    const bool inner = at().left != TreeNode::kLeaf || at().right != TreeNode::kLeaf;
    if (inner != has_feature_[open_.back()] || (inner && (at().left < 0 || at().right < 0)))
      tags_.refuse("a feature and splits on both sides, or an output");
    open_.pop_back();
  }

  /// Numbered from 1.
  std::uint32_t take_feature() {
    double id = 0;
    const bool whole = parse_number(tags_.before, id) == NumberKind::finite && id >= 1 &&
                       id <= static_cast<double>(TreeLimits::kFeatures) &&
                       id == static_cast<double>(static_cast<std::uint32_t>(id));
    if (!whole) tags_.refuse("the number of a feature, from 1 on");
    at().feature = static_cast<std::uint32_t>(id) - 1;
    has_feature_[open_.back()] = true;
    return static_cast<std::uint32_t>(id);
  }

  Tags& tags_;
  double weight_;
  std::vector<TreeNode> nodes_;
  std::vector<bool> has_feature_;
  std::vector<std::size_t> open_;
};

}  // namespace

TreeEnsemble read_ranklib(std::string_view text, const std::string& name) {
  TreeEnsemble trees;
  trees.library = "ranklib";
  if (text.starts_with("## ")) trees.objective = trimmed(text.substr(3, text.find('\n') - 3));
  std::size_t comments = 0;
  while (text.substr(comments).starts_with("##") || text.substr(comments).starts_with("\n") ||
         text.substr(comments).starts_with("\r"))
    comments = std::min(text.find('\n', comments), text.size() - 1) + 1;
  std::string blanked(text.substr(0, comments));  // so that lines are counted, and no < of a comment is a tag
  std::replace_if(
      blanked.begin(), blanked.end(), [](char c) { return c == '<' || c == '>'; }, ' ');
  blanked += text.substr(comments);
  Tags tags(blanked, name);
  std::uint32_t features = 0;
  std::size_t ensembles = 0;
  while (tags.next()) {
    const std::string_view element = tags.element();
    if (element == "ensemble") {
      ++ensembles;
    } else if (element == "tree" && ensembles > 0) {
      const std::string_view weight = tags.attribute("weight");
      const std::vector<TreeNode> nodes = TreeParser(tags, weight.empty() ? 1 : tags.number(weight)).parse(features);
      append_tree(trees, nodes, name);
    } else if (element != "/ensemble") {
      tags.refuse("<ensemble> or <tree>");
    }
  }
  if (trees.num_trees() == 0) refuse_trees(name, "RankLib", "no <tree> in an <ensemble>");
  for (TreeNode& node : trees.nodes)
    if (node.leaf()) node.value /= static_cast<double>(ensembles);
  for (std::uint32_t j = 0; j < features; ++j) trees.features.push_back(std::to_string(j + 1));
  trees.by_number = true;
  return trees;
}

}  // namespace dorm
