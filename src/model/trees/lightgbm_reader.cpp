// SPDX-License-Identifier: Apache-2.0
// LightGBM's own text: "key=value" lines, first of the model, then of each tree behind a line "Tree=NUMBER".
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "base/number.h"
#include "dorm/error.h"
#include "model/trees/reading.h"

namespace dorm {
namespace {

constexpr unsigned kCategorical = 1, kDefaultLeft = 2;  // bits of decision_type; the two above are the kind of missing

std::string_view next_word(std::string_view& text) {
  const std::size_t begin = std::min(text.find_first_not_of(" \t\r"), text.size());
  const std::size_t end = std::min(text.find_first_of(" \t\r", begin), text.size());
  const std::string_view word = text.substr(begin, end - begin);
  text.remove_prefix(end);
  return word;
}

/// A threshold may be infinite, where all values that are not missing go left; then it is the largest number.
bool parse(std::string_view word, double& value) {
  if (parse_number(word, value) == NumberKind::finite) return true;
  value = std::copysign(std::numeric_limits<double>::max(), word.starts_with('-') ? -1.0 : 1.0);
  return word == "inf" || word == "-inf";
}

template <class T>
bool parse(std::string_view word, T& value) {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return error == std::errc() && end == word.data() + word.size();
}

/// The lines of the model or of one tree.
class Section {
 public:
  Section(std::string_view& text, std::size_t& line, const std::string& name) : name_(name), first_line_(line) {
    bool begun = false;
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      std::string_view content = text.substr(0, end);
      if (begun && content.starts_with("Tree=")) return;
      if (content == "end of trees" || content == "end of trees\r") {
        last_ = true;
        return;
      }
      text.remove_prefix(std::min(end + 1, text.size()));
      ++line;
      begun = true;
      if (content.ends_with('\r')) content.remove_suffix(1);
      const std::size_t equals = content.find('=');
      fields_[content.substr(0, equals)] = {
          equals == std::string_view::npos ? std::string_view() : content.substr(equals + 1), line};
    }
    cut_ = true;
  }

  bool last() const { return last_; }  // what follows is no tree
  bool cut() const { return cut_; }    // the file ends in it
  bool has(std::string_view key) const { return fields_.contains(key); }

  std::string_view text(std::string_view key) const {
    const auto found = fields_.find(key);
    if (found == fields_.end()) refuse(first_line_, fmt::format("no \"{}\" in the part that begins here", key));
    return found->second.first;
  }

  template <class T>
  std::vector<T> numbers(std::string_view key, std::size_t count) const {
    std::string_view rest = text(key);
    const std::size_t line = fields_.find(key)->second.second;
    std::vector<T> out;
    for (std::string_view word = next_word(rest); !word.empty(); word = next_word(rest)) {
      T value{};
      if (!parse(word, value))
        refuse(line, fmt::format("found \"{}\" in {}; expected numbers", word.substr(0, 40), key));
      out.push_back(value);
      if (out.size() > count) break;
    }
    if (out.size() != count) refuse(line, fmt::format("{} numbers in {}; expected {}", out.size(), key, count));
    return out;
  }

  std::size_t number(std::string_view key) const { return numbers<std::uint32_t>(key, 1).front(); }

  [[noreturn]] void refuse(std::size_t line, const std::string& why) const {
    throw Error(ErrorCode::bad_input, {name_, line, 0}, fmt::format("not a usable LightGBM model: {}", why));
  }
  std::size_t line() const { return first_line_; }

 private:
  const std::string& name_;
  std::size_t first_line_;
  std::unordered_map<std::string_view, std::pair<std::string_view, std::size_t>> fields_;
  bool last_ = false, cut_ = false;
};

/// Counts of documents of a tree; none where the file has none.
std::vector<double> covers(const Section& section, const char* key, std::size_t count) {
  if (!section.has(key) || section.text(key).empty()) return std::vector<double>(count);
  return section.numbers<double>(key, count);
}

class TreeReader {
 public:
  TreeReader(const Section& section, TreeEnsemble& trees, const std::string& name)
      : section_(section), trees_(trees), name_(name), leaves_(section.number("num_leaves")) {}

  void read() {
    if (leaves_ == 0 || leaves_ > TreeLimits::kNodes / 2)
      section_.refuse(section_.line(), fmt::format("{} leaves", leaves_));
    if (section_.has("is_linear") && section_.number("is_linear") != 0)
      refuse_kind(name_, "its leaves are linear models (linear_tree)", "leaves that are numbers");
    const std::vector<double> values = section_.numbers<double>("leaf_value", leaves_);
    const std::vector<double> counts = covers(section_, "leaf_count", leaves_ > 1 ? leaves_ : 0);
    const std::size_t inner = leaves_ - 1;
    std::vector<TreeNode> nodes(inner + leaves_);
    if (inner > 0) read_inner(inner, nodes);
    for (std::size_t k = 0; k < leaves_; ++k) {
      nodes[inner + k].value = values[k];
      if (inner > 0) nodes[inner + k].cover = counts[k];
    }
    append_tree(trees_, nodes, name_);
  }

 private:
  void read_inner(std::size_t inner, std::vector<TreeNode>& nodes) {
    const auto features = section_.numbers<std::uint32_t>("split_feature", inner);
    const auto thresholds = section_.numbers<double>("threshold", inner);
    const auto types = section_.numbers<std::uint32_t>("decision_type", inner);
    const auto left = section_.numbers<std::int32_t>("left_child", inner);
    const auto right = section_.numbers<std::int32_t>("right_child", inner);
    const std::vector<double> counts = covers(section_, "internal_count", inner);
    const std::size_t sets = section_.number("num_cat");
    if (sets > 0) {
      bounds_ = section_.numbers<std::uint32_t>("cat_boundaries", sets + 1);
      words_ = section_.numbers<std::uint32_t>("cat_threshold", bounds_.back());
    }
    const auto child = [&](std::int32_t k) { return k >= 0 ? k : static_cast<std::int32_t>(inner) + ~k; };
    for (std::size_t k = 0; k < inner; ++k) {
      TreeNode& node = nodes[k];
      node.left = child(left[k]);
      node.right = child(right[k]);
      node.feature = features[k];
      node.cover = counts[k];
      node.default_left = (types[k] & kDefaultLeft) != 0;
      node.missing = static_cast<MissingSplit>(std::min(types[k] >> 2 & 3U, 2U));
      node.value = thresholds[k];
      if ((types[k] & kCategorical) != 0) take_categories(node, sets);
    }
  }

  /// The threshold is the number of a set; documents without a category go right, whatever the file says.
  void take_categories(TreeNode& node, std::size_t sets) {
    if (!(node.value >= 0 && node.value < static_cast<double>(sets)))
      section_.refuse(section_.line(), fmt::format("a split by the category set {} of {}", node.value, sets));
    const auto k = static_cast<std::size_t>(node.value);
    const std::uint32_t begin = bounds_[k], end = bounds_[k + 1];
    if (begin > end || end > words_.size()) section_.refuse(section_.line(), "cat_boundaries that do not increase");
    if (end - begin > TreeLimits::kCategories / 32)
      section_.refuse(section_.line(), fmt::format("more than {} categories", TreeLimits::kCategories));
    node.categories = add_categories(trees_, {words_.begin() + begin, words_.begin() + end});
    node.value = 0;
    node.missing = MissingSplit::nan;
    node.default_left = false;
  }

  const Section& section_;
  TreeEnsemble& trees_;
  const std::string& name_;
  std::size_t leaves_;
  std::vector<std::uint32_t> bounds_, words_;
};

}  // namespace

TreeEnsemble read_lightgbm_text(std::string_view text, const std::string& name) {
  std::size_t line = 0;
  const Section model(text, line, name);
  TreeEnsemble trees;
  trees.library = "lightgbm";
  if (model.number("num_class") != 1 || model.number("num_tree_per_iteration") != 1)
    refuse_kind(name, "a LightGBM model of several classes has a score for each of them", "a model of one score");
  if (model.has("objective")) trees.objective = model.text("objective");
  const std::size_t features = model.number("max_feature_idx") + 1;
  std::string_view names = model.text("feature_names");
  for (std::string_view word = next_word(names); !word.empty(); word = next_word(names)) {
    if (trees.features.size() == features) model.refuse(line, fmt::format("more than {} feature_names", features));
    trees.features.emplace_back(word);
  }
  if (trees.features.size() != features)
    model.refuse(line, fmt::format("{} feature_names; expected {}", trees.features.size(), features));
  trees.by_number = made_up(trees.features, "Column_");
  for (bool last = model.last() || model.cut(); !last;) {
    const Section section(text, line, name);
    if (section.cut()) section.refuse(line, "the file ends within the trees; expected \"end of trees\"");
    TreeReader(section, trees, name).read();
    last = section.last();
  }
  if (model.cut()) model.refuse(line, "the file has no trees");
  if (model.has("average_output") && trees.num_trees() > 0)
    for (TreeNode& node : trees.nodes)
      if (node.leaf()) node.value /= static_cast<double>(trees.num_trees());
  return trees;
}

}  // namespace dorm
