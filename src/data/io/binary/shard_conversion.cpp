// SPDX-License-Identifier: Apache-2.0
// A file of judged documents into files of its shards, in two phases: rows go to a scratch file as they are read, which
// settles what concerns all of them; then each shard is read, put in order and written.
#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "data/assemble.h"
#include "data/column_numbers.h"
#include "data/io/binary/shard_folder.h"
#include "data/io/files/scratch_rows.h"
#include "data/io/files/text_formats.h"
#include "dorm/data/prepare.h"
#include "dorm/error.h"
#include "dorm/write.h"

namespace dorm {
namespace {

/// What the features of all shards have in common.
struct SharedColumns {
  PackedText names;
  std::uint64_t num_features = 0;
  bool dense = true;
  bool id_zero = false;               // numbered from 0
  std::vector<std::uint32_t> listed;  // the ids that are columns, in this order; empty: as they are

  std::uint32_t new_id(std::uint32_t id) const {
    if (listed.empty()) return id;
    const auto found = std::lower_bound(listed.begin(), listed.end(), id);
    if (found == listed.end() || *found != id) return ScratchRows::kPruned;
    return static_cast<std::uint32_t>(found - listed.begin()) + 1;
  }
};

/// The first phase.
class ShardedRows final : public RowSink {
 public:
  ShardedRows(const std::string& folder, std::size_t num_shards, bool means)
      : scratch_(folder, num_shards), num_shards_(num_shards), means_(means) {}

  void add(const RowBlock& block) override {
    std::size_t run = 0, rows_of_run = 0, shard = 0;
    block.each_row([&](std::size_t row, const BlockRow& features) {
      if (rows_of_run == 0) {
        rows_of_run = block.query_rows[run];
        shard = shard_of(block.queries[run++], num_shards_);
      }
      --rows_of_run;
      scratch_.add(shard, block.labels[row],
                   {block.queries[run - 1], entry(block.document_ids, row), entry(block.groups, row)}, features);
      note_features(features);
    });
    num_rows_ += block.num_rows();
    nonzeros_ += static_cast<double>(block.nonzeros);
    id_zero_ |= block.id_zero;
    unlabelled_ |= block.unlabelled;
    graded_ &= settle_unjudged(Unjudged::automatic, block.labels) == Unjudged::bad;
  }

  std::uint64_t num_rows() const { return num_rows_; }
  bool unlabelled() const { return unlabelled_; }
  Unjudged settled(Unjudged rule) const {
    if (rule != Unjudged::automatic) return rule;
    return graded_ ? Unjudged::bad : Unjudged::grade;
  }

  SharedColumns columns(PackedText names) const {
    SharedColumns out;
    out.names = std::move(names);
    out.id_zero = id_zero_;
    out.num_features = out.names.size();
    const std::uint32_t first = id_zero_ ? 0 : 1;
    if (out.names.empty()) out.num_features = std::max<std::uint64_t>(past_last_, 1) - first;
    out.dense = worth_dense(nonzeros_, num_rows_, out.num_features);
    if (!out.dense && out.names.empty()) name_numbers(first, out);
    return out;
  }

  /// By feature, over all rows; features that are not stored are zeros, and count.
  FeatureMeans means(const SharedColumns& columns) const {
    FeatureMeans means;
    for (std::uint64_t j = 0; j < columns.num_features; ++j) {
      const auto id =
          static_cast<std::uint32_t>(columns.listed.empty() ? j + (columns.id_zero ? 0 : 1) : columns.listed[j]);
      const auto sum = sums_.find(id);
      const std::uint64_t count = sum == sums_.end() ? 0 : num_rows_ - sum->second.missing;
      const double mean = count == 0 ? 0.0 : sum->second.sum / static_cast<double>(count);
      means.emplace(columns.names.empty() ? std::to_string(id) : std::string(columns.names[j]),
                    static_cast<double>(static_cast<float>(mean)));
    }
    return means;
  }

  ScratchRows& scratch() { return scratch_; }

 private:
  struct Sum {
    double sum = 0;
    std::uint64_t missing = 0;
  };

  static std::string_view entry(const PackedText& column, std::size_t row) {
    return row < column.size() ? column[row] : std::string_view();
  }

  void note_features(const BlockRow& features) {
    if (features.values.empty()) return;
    const std::uint32_t last = features.id(features.values.size() - 1);
    past_last_ = std::max<std::uint64_t>(past_last_, std::uint64_t{last} + 1);
    if (occurs_.size() <= last) occurs_.resize(std::max<std::size_t>(last + 1, occurs_.size() * 2), false);
    for (std::size_t k = 0; k < features.values.size(); ++k) {
      if (features.values[k] == 0) continue;
      occurs_[features.id(k)] = true;
      if (means_) add_to_mean(sums_[features.id(k)], features.values[k]);
    }
  }

  static void add_to_mean(Sum& sum, float value) {
    if (std::isnan(value))
      ++sum.missing;
    else
      sum.sum += static_cast<double>(value);
  }

  // Those that occur, or all where most do, as reading one file would have it.
  void name_numbers(std::uint32_t first, SharedColumns& out) const {
    const auto occurring = static_cast<std::uint64_t>(std::count(occurs_.begin(), occurs_.end(), true));
    const bool all = !few_numbers_occur(occurring, out.num_features);
    for (std::uint64_t j = 0; j < out.num_features; ++j)
      if (all || occurs_[j + first]) out.listed.push_back(static_cast<std::uint32_t>(j + first));
    if (out.listed.empty()) out.listed.push_back(first);
    for (const std::uint32_t id : out.listed) out.names.push_back(std::to_string(id));
    out.num_features = out.listed.size();
    out.id_zero = false;
  }

  ScratchRows scratch_;
  std::size_t num_shards_;
  bool means_, unlabelled_ = false, graded_ = true, id_zero_ = false;
  std::uint64_t num_rows_ = 0, past_last_ = 0;
  double nonzeros_ = 0;
  std::vector<bool> occurs_;  // by id: with a value other than 0
  std::unordered_map<std::uint32_t, Sum> sums_;
};

std::vector<double> weights_of(const RowsSummary& summary, const Grouping& grouping) {
  std::vector<double> weights;
  for (std::size_t q = 0; !summary.weights.empty() && q < grouping.num_queries(); ++q) {
    const auto weight = summary.weights.find(grouping.query_ids[q]);
    weights.push_back(weight == summary.weights.end() ? 1.0 : weight->second);
  }
  return weights;
}

/// The second phase.
ShardsWritten write_sharded(ShardedRows& rows, const RowsSummary& summary, Unjudged rule, std::size_t num_shards,
                            std::size_t threads, ShardFolder& folder) {
  const SharedColumns columns = rows.columns(summary.feature_names);
  InputDescription input = summary.input;
  if (input.missing == Missing::mean && input.means.empty()) input.means = rows.means(columns);
  const Unjudged settled = rows.settled(rule);
  std::uint64_t changed = 0;
  for (std::uint32_t shard = 0; shard < num_shards; ++shard) {
    std::vector<RowBlock> blocks = rows.scratch().read(shard, [&](std::uint32_t id) { return columns.new_id(id); });
    if (blocks.empty()) continue;
    for (RowBlock& block : blocks) {
      block.id_zero |= columns.id_zero;
      block.unlabelled |= rows.unlabelled();
    }
    Grouping grouping = group_by_query_id(blocks);
    AssembleOptions assembly;
    assembly.query_weights = weights_of(summary, grouping);
    assembly.feature_names = columns.names;
    assembly.num_features = columns.num_features;
    assembly.threads = threads;
    assembly.input = input;
    assembly.dense = columns.dense;
    Dataset data(assemble(std::move(blocks), std::move(grouping), std::move(assembly)));
    std::size_t of_shard = 0;
    const auto negative = [](float label) { return label < 0; };
    const std::span<const float> labels = data.storage().labels;
    if (settled == Unjudged::drop && std::all_of(labels.begin(), labels.end(), negative)) {
      changed += labels.size();
      continue;
    }
    data = with_unjudged(data, settled, &of_shard);
    changed += of_shard;
    folder.write(shard, in_canonical_order(data, threads));
  }
  if (settled == Unjudged::drop && changed == rows.num_rows())
    throw Error(ErrorCode::bad_input,
                "no document has a judgment: all labels are negative; expected labels of 0 or more");
  ShardsWritten written = folder.finish();
  written.unjudged = changed;
  return written;
}

/// A compressed set with the numbers of its features as their names.
Dataset with_named_numbers(const Dataset& data) {
  if (data.dense() || data.has_feature_names()) return data;
  struct Named {
    Dataset data;
    PackedText names;
  };
  auto named = std::make_shared<Named>();
  named->data = data;
  for (std::size_t j = 0; j < data.num_features(); ++j) named->names.push_back(data.feature_name(j));
  auto storage = std::make_shared<Storage>(data.storage());
  storage->feature_names = named->names.view();
  storage->feature_numbers = {};
  storage->first_feature_id = 1;
  storage->owner = std::move(named);
  return Dataset(std::move(storage));
}

void require_shards(std::size_t num_shards) { shard_of("", num_shards); }

ShardsWritten write_shards_of(const Dataset& data, ShardFolder& folder, std::size_t num_shards, std::size_t threads) {
  const Dataset named = with_named_numbers(data);
  std::vector<std::vector<std::size_t>> queries(num_shards);
  for (std::size_t q = 0; q < named.num_queries(); ++q) queries[shard_of(named.query(q).id, num_shards)].push_back(q);
  for (std::uint32_t shard = 0; shard < num_shards; ++shard)
    if (!queries[shard].empty()) folder.write(shard, in_canonical_order(named.select(queries[shard]), threads));
  return folder.finish();
}

}  // namespace

ShardsWritten write_shards(const Dataset& data, const std::string& folder, std::size_t num_shards,
                           const FileWriter& writer) {
  require_shards(num_shards);
  if (data.num_queries() == 0) throw Error(ErrorCode::bad_input, "no documents");
  ShardFolder written(folder, num_shards, writer);
  return write_shards_of(data, written, num_shards, 1);
}

ShardsWritten convert_to_shards(const std::string& path, const std::string& folder, std::size_t num_shards,
                                const ReadOptions& options, Unjudged unjudged, const FileWriter& writer,
                                ReadReport* report) {
  require_shards(num_shards);
  ShardFolder written(folder, num_shards, writer);
  ReadOptions settled = options;
  const std::unique_ptr<TextSource> source = open_dataset(path, settled);
  const SideFiles beside =
      settled.side_files && settled.format == DataFormat::letor ? find_side_files(path) : SideFiles();
  const bool json = settled.format == DataFormat::jsonl || settled.format == DataFormat::log;
  const bool by_row = settled.encodings.empty() && settled.missing_by_column.empty() &&
                      settled.missing != Missing::query_min && settled.missing != Missing::indicator;
  const bool streams = by_row && source != nullptr && !json && settled.judgments.empty() && beside.sizes.empty() &&
                       beside.weights.empty();
  if (!streams) {
    std::size_t changed = 0;
    const Dataset data = with_unjudged(read_opened(source.get(), path, settled, report), unjudged, &changed);
    ShardsWritten done = write_shards_of(data, written, num_shards, settled.threads);
    done.unjudged = changed;
    return done;
  }
  if (report != nullptr) report->format = settled.format;
  ShardedRows rows(written.above(), num_shards, settled.missing == Missing::mean && settled.means.empty());
  const RowsSummary summary = settled.format == DataFormat::letor ? letor_rows(*source, path, settled, report, rows)
                                                                  : csv_rows(*source, path, settled, report, rows);
  if (rows.num_rows() == 0) throw Error(ErrorCode::bad_input, {path, 0, 0}, "no documents");
  rows.scratch().finish();
  return write_sharded(rows, summary, unjudged, num_shards, settled.threads, written);
}

}  // namespace dorm
