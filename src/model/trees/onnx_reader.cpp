// SPDX-License-Identifier: Apache-2.0
// A TreeEnsembleRegressor of ONNX, as converters of scikit-learn write it. Field numbers are those of onnx.proto.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <map>

#include "dorm/error.h"
#include "model/trees/reading.h"

namespace dorm {
namespace {

constexpr std::array<std::string_view, 5> kPassive = {"Cast", "Identity", "Reshape", "Squeeze", "Flatten"};

/// The fields of a message of protobuf, one after another.
class ProtoFields {
 public:
  ProtoFields(std::string_view bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  bool next() {
    if (bytes_.empty()) return false;
    const std::uint64_t tag = varint();
    field = tag >> 3U;
    switch (tag & 7U) {
      case 0:
        number = varint();
        content = std::string_view();
        return true;
      case 1:
        content = take(8);
        return true;
      case 2:
        content = take(varint());
        return true;
      case 5:
        content = take(4);
        return true;
      default:
        refuse();
    }
  }

  std::uint64_t field = 0, number = 0;
  std::string_view content;

  /// All whole numbers of a packed field, or the one.
  void numbers(std::vector<std::int64_t>& out) const {
    if (content.data() == nullptr) {
      out.push_back(static_cast<std::int64_t>(number));
      return;
    }
    ProtoFields rest(content, name_);
    while (!rest.bytes_.empty()) out.push_back(static_cast<std::int64_t>(rest.varint()));
  }

 private:
  [[noreturn]] void refuse() const { refuse_trees(name_, "ONNX", "the bytes are no message of protobuf"); }

  std::string_view take(std::uint64_t count) {
    if (count > bytes_.size()) refuse();
    const std::string_view out = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return out;
  }

  std::uint64_t varint() {
    std::uint64_t out = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<unsigned char>(take(1).front());
      out |= std::uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80) return out;
    }
    refuse();
  }

  std::string_view bytes_;
  const std::string& name_;
};

template <class T>
void append_raw(std::string_view bytes, std::vector<double>& out) {
  for (std::size_t k = 0; k + sizeof(T) <= bytes.size(); k += sizeof(T)) {
    T value;
    std::memcpy(&value, bytes.data() + k, sizeof(T));
    out.push_back(static_cast<double>(value));
  }
}

struct OnnxAttribute {
  std::vector<std::int64_t> integers;
  std::vector<double> reals;
  std::vector<std::string> texts;
};

void read_tensor(std::string_view bytes, const std::string& name, std::vector<double>& out) {
  std::uint64_t type = 0;
  std::string_view raw, floats, doubles;
  for (ProtoFields tensor(bytes, name); tensor.next();) {
    if (tensor.field == 2) type = tensor.number;
    if (tensor.field == 4) floats = tensor.content;
    if (tensor.field == 9) raw = tensor.content;
    if (tensor.field == 10) doubles = tensor.content;
  }
  append_raw<float>(floats, out);
  append_raw<double>(doubles, out);
  if (type == 1) append_raw<float>(raw, out);
  if (type == 11) append_raw<double>(raw, out);
}

OnnxAttribute read_attribute(std::string_view bytes, const std::string& name, std::string& key) {
  OnnxAttribute out;
  for (ProtoFields fields(bytes, name); fields.next();) {
    if (fields.field == 1) key = fields.content;
    if (fields.field == 3 || fields.field == 8) fields.numbers(out.integers);
    if (fields.field == 4 || fields.field == 9) out.texts.emplace_back(fields.content);
    if (fields.field == 5) read_tensor(fields.content, name, out.reals);
    if (fields.field == 2 || fields.field == 7) append_raw<float>(fields.content, out.reals);
  }
  return out;
}

/// The second dimension of a value of the graph's surface; 0 where it is not said.
std::size_t columns_of(std::string_view value, const std::string& name) {
  constexpr std::uint64_t kWayToShape[] = {2, 1, 2};  // type, tensor, shape
  for (const std::uint64_t step : kWayToShape) {
    std::string_view inner;
    for (ProtoFields fields(value, name); fields.next();)
      if (fields.field == step) inner = fields.content;
    value = inner;
  }
  std::vector<std::uint64_t> dimensions;
  for (ProtoFields shape(value, name); shape.next();) {
    if (shape.field != 1) continue;
    std::uint64_t& size = dimensions.emplace_back();
    for (ProtoFields dimension(shape.content, name); dimension.next();)
      if (dimension.field == 1) size = dimension.number;
  }
  return dimensions.size() == 2 && dimensions[1] <= TreeLimits::kFeatures ? dimensions[1] : 0;
}

/// The node of the graph that has the trees.
class OnnxTrees {
 public:
  OnnxTrees(std::string_view graph, const std::string& name) : name_(name) {
    bool found = false;
    for (ProtoFields fields(graph, name); fields.next();) {
      if (fields.field == 11 && features_ == 0) features_ = columns_of(fields.content, name);
      if (fields.field != 1) continue;
      std::string op;
      for (ProtoFields node(fields.content, name); node.next();)
        if (node.field == 4) op = node.content;
      if (std::find(kPassive.begin(), kPassive.end(), op) != kPassive.end()) continue;
      if (op != "TreeEnsembleRegressor" || found)
        refuse_kind(name, fmt::format("the graph computes {}", in_short(op)), "one TreeEnsembleRegressor");
      found = true;
      for (ProtoFields node(fields.content, name); node.next();)
        if (node.field == 5) {
          std::string key;
          OnnxAttribute attribute = read_attribute(node.content, name, key);
          attributes_[key] = std::move(attribute);
        }
    }
    if (!found) refuse_kind(name, "the graph has no trees", "one TreeEnsembleRegressor");
  }

  TreeEnsemble read() {
    if (text("post_transform", "NONE") != "NONE")
      refuse_kind(name_, fmt::format("scores behind {}", in_short(text("post_transform", ""))), "no transformation");
    const std::string aggregate = text("aggregate_function", "SUM");
    if (aggregate != "SUM" && aggregate != "AVERAGE")
      refuse_kind(name_, fmt::format("leaves under {}", in_short(aggregate)), "their sum or mean");
    const std::vector<std::int64_t> targets = attributes_["n_targets"].integers;
    if (targets.size() == 1 && targets[0] != 1)
      refuse_kind(name_, fmt::format("{} targets", targets[0]), "a model of one score");
    TreeEnsemble trees;
    trees.library = "onnx";
    for (const double base : attributes_["base_values"].reals) trees.base += base;
    read_nodes();
    number_features(trees, features_, "f", name_);
    for (const auto& [id, nodes] : trees_) append_tree(trees, nodes, name_);
    if (aggregate == "AVERAGE")
      for (TreeNode& node : trees.nodes)
        if (node.leaf()) node.value /= static_cast<double>(trees.num_trees());
    return trees;
  }

 private:
  static std::string in_short(const std::string& text) { return text.substr(0, 40); }

  std::string text(const char* key, const char* otherwise) const {
    const auto found = attributes_.find(key);
    return found == attributes_.end() || found->second.texts.empty() ? otherwise : found->second.texts.front();
  }

  const std::vector<std::int64_t>& integers(const char* key, std::size_t count) {
    const std::vector<std::int64_t>& list = attributes_[key].integers;
    if (list.size() != count)
      refuse_trees(name_, "ONNX", fmt::format("{} numbers in {}; expected {}", list.size(), key, count));
    return list;
  }

  std::vector<double> reals(const std::string& key, std::size_t count) {
    std::vector<double> list = attributes_[key].reals;
    if (list.empty()) list = attributes_[key + "_as_tensor"].reals;
    if (list.size() != count)
      refuse_trees(name_, "ONNX", fmt::format("{} numbers in {}; expected {}", list.size(), key, count));
    return list;
  }

  void read_nodes() {
    const std::vector<std::string>& modes = attributes_["nodes_modes"].texts;
    const std::size_t count = modes.size();
    const auto &tree = integers("nodes_treeids", count), &id = integers("nodes_nodeids", count);
    const auto &yes = integers("nodes_truenodeids", count), &no = integers("nodes_falsenodeids", count);
    const auto& feature = integers("nodes_featureids", count);
    const std::vector<double> value = reals("nodes_values", count);
    std::vector<std::int64_t> missing = attributes_["nodes_missing_value_tracks_true"].integers;
    missing.resize(count);
    for (std::size_t k = 0; k < count; ++k)
      places_[{tree[k], id[k]}] = trees_[tree[k]].size(), trees_[tree[k]].emplace_back();
    for (std::size_t k = 0; k < count; ++k) {
      TreeNode& node = trees_[tree[k]][places_[{tree[k], id[k]}]];
      if (modes[k] == "LEAF") continue;
      if (feature[k] < 0 || feature[k] >= static_cast<std::int64_t>(TreeLimits::kFeatures))
        refuse_trees(name_, "ONNX", fmt::format("a split by feature {}", feature[k]));
      node.feature = static_cast<std::uint32_t>(feature[k]);
      features_ = std::max(features_, std::size_t{node.feature} + 1);
      const bool strict = modes[k] == "BRANCH_LT" || modes[k] == "BRANCH_GTE";
      const bool above = modes[k] == "BRANCH_GT" || modes[k] == "BRANCH_GTE";
      if (!strict && !above && modes[k] != "BRANCH_LEQ")
        refuse_kind(name_, fmt::format("splits of the kind {}", in_short(modes[k])), "comparisons by size");
      node.value = strict ? threshold_below(value[k]) : value[k];
      node.left = place_of(tree[k], above ? no[k] : yes[k]);
      node.right = place_of(tree[k], above ? yes[k] : no[k]);
      node.missing = MissingSplit::nan;
      node.default_left = (missing[k] != 0) != above;
    }
    add_leaves();
  }

  void add_leaves() {
    const std::size_t count = attributes_["target_ids"].integers.size();
    const auto &tree = integers("target_treeids", count), &id = integers("target_nodeids", count);
    const std::vector<double> weight = reals("target_weights", count);
    for (std::size_t k = 0; k < count; ++k) {
      TreeNode& leaf = trees_[tree[k]].at(static_cast<std::size_t>(place_of(tree[k], id[k])));
      if (leaf.leaf()) leaf.value += weight[k];
    }
  }

  std::int32_t place_of(std::int64_t tree, std::int64_t id) const {
    const auto found = places_.find({tree, id});
    if (found == places_.end()) refuse_trees(name_, "ONNX", fmt::format("tree {} has no node {}", tree, id));
    return static_cast<std::int32_t>(found->second);
  }

  const std::string& name_;
  std::map<std::string, OnnxAttribute> attributes_;
  std::map<std::int64_t, std::vector<TreeNode>> trees_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::size_t> places_;
  std::size_t features_ = 0;
};

}  // namespace

TreeEnsemble read_onnx_trees(std::string_view bytes, const std::string& name) {
  std::string_view graph;
  for (ProtoFields model(bytes, name); model.next();)
    if (model.field == 7) graph = model.content;
  return OnnxTrees(graph, name).read();
}

}  // namespace dorm
