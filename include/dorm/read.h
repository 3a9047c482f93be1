// SPDX-License-Identifier: Apache-2.0
// Reading data: judged documents (LETOR/SVMlight, CSV/TSV, JSON lines, the binary form), features that a search engine
// has logged, scores, and TREC qrels and runs. Plain, .gz and .zst files are read directly. Every error names file,
// line, column, what was found there and what was expected. docs/formats.md describes each format.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dorm/data/input.h"
#include "dorm/data/judgments.h"
#include "dorm/dataset.h"
#include "dorm/recommend/ratings.h"

namespace dorm {

enum class DataFormat { detect, letor, csv, tsv, binary, jsonl, log };

struct ReadOptions {
  DataFormat format = DataFormat::detect;  // the binary form by content, others by extension, else by content
  Missing missing = Missing::error;        // mean: `means`, else that of the finite values of the column, 0 if none
  bool need_labels = true;                 // false: files without labels are read too (Dataset::has_labels)
  std::size_t threads = 0;                 // 0: all cores; the result does not depend on it
  bool side_files = true;                  // use FILE.query / FILE.group (sizes) and FILE.weight where they exist
  bool mapped = true;                      // as for read_binary()

  /// For Missing::mean: what missing values become, by feature, 0 for those not named here; empty: the means of the
  /// file. What is scored must be filled with the means of the training data: Model::data.input.means.
  FeatureMeans means = {};
  MissingByColumn missing_by_column = {};      // the columns with another rule than `missing`
  std::vector<ColumnEncoding> encodings = {};  // tables: columns that are no plain numbers; those not fitted are fitted

  ColumnRoles columns = {};  // tables: the columns with a meaning
  bool need_groups = false;  // an error when there is no column of groups
  std::vector<std::string> features =
      {};  // tables: only the columns that these come from; empty: all without a meaning

  /// A file of judgments (read_qrels): labels come from it, by query and document, and not from the data. What it does
  /// not judge has label -1.
  std::string judgments = {};
  std::vector<std::string> query_ids = {};  // logs: of the answers, in order; empty: they are in the log

  std::function<void(std::uint64_t done_bytes, std::uint64_t total_bytes)> progress = {};  // total 0: not known
};

struct ReadReport {
  std::uint64_t bytes = 0;                 // of the file as stored
  DataFormat format = DataFormat::detect;  // what was found, by read_dataset
  std::vector<std::string> warnings;
};

/// Any supported file of judged documents; "-" is standard input, here and wherever a file is read.
Dataset read_dataset(const std::string& path, const ReadOptions& options = {}, ReadReport* report = nullptr);
Dataset read_letor(const std::string& path, const ReadOptions& options = {}, ReadReport* report = nullptr);
Dataset read_csv(const std::string& path, const ReadOptions& options = {}, ReadReport* report = nullptr);

/// Maps the file: features are paged in as they are used, and a file that becomes shorter is an Error(io) of the next
/// use of its data. Not `mapped`: it is read into memory, for those who hand out its arrays. Refuses a truncated,
/// altered or newer file. `verify` reads the whole file once to check its checksums, by `threads` (0: all cores).
Dataset read_binary(const std::string& path, bool verify = true, bool mapped = true, std::size_t threads = 1);

/// part-00017-of-00256.dorm.
std::string shard_file_name(std::uint32_t number, std::size_t num_shards);

struct ShardName {
  std::uint32_t number = 0;
  std::size_t num_shards = 0;
};
/// What the name of a file says; nothing where it is not one of shard_file_name().
std::optional<ShardName> parse_shard_file_name(std::string_view path);

/// Whether `words` mean several files: a folder, or a pattern (* ? [ ]) that is not itself the name of a file.
bool names_many_files(const std::string& words);
/// The files of the binary form in a folder, or those that a pattern matches, in the order of their names. Throws
/// Error(io) when there is none.
std::vector<std::string> files_named_by(const std::string& words);

/// The same from memory, for programs and fuzzing; `name` replaces the path in messages.
Dataset parse_letor(std::string_view text, const std::string& name, const ReadOptions& options = {},
                    ReadReport* report = nullptr);
Dataset parse_csv(std::string_view text, const std::string& name, const ReadOptions& options = {},
                  ReadReport* report = nullptr);
/// JSON lines, in which keys have the meaning of columns.
Dataset parse_jsonl(std::string_view text, const std::string& name, const ReadOptions& options = {},
                    ReadReport* report = nullptr);

/// Answers of Elasticsearch and OpenSearch (`_search`, `_msearch`, with `ltr_log`) and of Solr (with `[features]`), one
/// after another or in a list. There are no labels, so that need_labels must be false. What an answer leaves out is 0,
/// as it is to the engine, or the mean for Missing::mean; Missing::error is about NaN and infinite values.
Dataset parse_feature_log(std::string_view text, const std::string& name, const ReadOptions& options,
                          ReadReport* report = nullptr);

/// One finite number per line, in the order of the data file's rows; blank lines and # comments are skipped.
std::vector<double> read_scores(const std::string& path);
std::vector<double> parse_scores(std::string_view text, const std::string& name);

/// `qid iter docid rel` per line, or a table whose header names the three columns: as `roles` say, else by names such
/// as query-id, docId and grade, one of which must look like each; the third of three columns is the label in any case.
/// In this and the next two kinds of files, lines that begin with # are comments. Judgments and runs may also be JSON,
/// {"query": {"document": number}}, as pytrec_eval and ranx have them.
std::vector<Judgment> read_qrels(const std::string& path, const ColumnRoles& roles = {});
std::vector<Judgment> parse_qrels(std::string_view text, const std::string& name, const ColumnRoles& roles = {});

/// `qid Q0 docid rank score tag` per line. The rank is ignored, and so is what follows the tag, as trec_eval does.
/// `tag`, if not nullptr, becomes that of the first line.
std::vector<RunEntry> read_run(const std::string& path, std::string* tag = nullptr);
std::vector<RunEntry> parse_run(std::string_view text, const std::string& name, std::string* tag = nullptr);

/// TREC diversity qrels: `qid subtopic docid relevance` per line.
std::vector<SubtopicJudgment> read_subtopics(const std::string& path);
std::vector<SubtopicJudgment> parse_subtopics(std::string_view text, const std::string& name);

/// Throws Error(bad_input) naming a label that has no row.
PositionGains gains_of(const LabelGains& table, const Dataset& data);

/// CSV whose header is `label,1,2,...,n` (gains by label), or `qid,docid,1,...,n` (of single documents; those not
/// listed gain 0). `by_label` is empty for the second form.
struct PositionGainsFile {
  PositionGains gains;
  LabelGains by_label;
};
PositionGainsFile read_position_gains(const std::string& path, const Dataset& data);
PositionGainsFile parse_position_gains(std::string_view text, const std::string& name, const Dataset& data);

/// CSV files `docid,topic,weight` (or `qid,docid,topic,weight`) and `topic,limit`. Documents without ids are
/// named by their row, counted from 1. Refuses negative numbers, topics without a limit and documents that the
/// data does not have.
TopicTable read_topics(const std::string& weights_path, const std::string& limits_path, const Dataset& data);
TopicTable parse_topics(std::string_view weights, const std::string& weights_name, std::string_view limits,
                        const std::string& limits_name, const Dataset& data);

/// CSV `feature,cost`: what a feature costs to compute, a number above 0.
using FeatureCosts = std::map<std::string, double>;
FeatureCosts read_feature_costs(const std::string& path);

/// CSV `feature,name`: what another tool calls a feature.
FeatureNames read_feature_names(const std::string& path);
FeatureNames parse_feature_names(std::string_view text, const std::string& name);

/// The first cell of a line is the id. Columns by number from 1, e.g. "6-24" or "2,4": numbers are taken as they are,
/// text becomes one indicator per value ("a|b" being two values, where | does not separate cells). Without `columns`:
/// the trailing columns that hold numbers only, else the last column as text.
SideFeatures read_side_features(const std::string& path, std::string_view columns = {});
SideFeatures parse_side_features(std::string_view text, const std::string& name, std::string_view columns = {});

/// The ids and titles of such a table, without features; any column of text will do. Throws Error(bad_input)
/// when there is none.
SideFeatures read_titles(const std::string& path);
SideFeatures parse_titles(std::string_view text, const std::string& name);

/// What was found in a ratings file.
struct RatingsReport {
  std::string separator;  // "\t", ",", "::", ";" or " "
  bool header = false;
  std::uint64_t lines = 0;
  std::vector<std::string> warnings;
};

/// The layout of ratings in a file.
struct RatingsLayout {
  /// detect: triples, but a file that looks wide is refused. wide: a line for each user, a column for each item, of
  /// numbers, empty cells and NA. A header names the items; a first column of text, or one that the header calls
  /// user, id or nothing, names the users; else both are numbered from 1. A first column that counts the ratings of
  /// its line is left out.
  enum class Shape { detect, triples, wide } shape = Shape::detect;
  std::optional<float> not_rated = {};  // of wide: the number that means so
  bool all_rated = false;               // of wide: no number does; else one that looks like it is refused
};
/// auto, triples, wide, wide:X or wide:none. Throws Error(bad_option).
RatingsLayout parse_ratings_layout(std::string_view text);

/// `user item rating [anything else]` per line, separated by ::, tab, comma, semicolon or blanks, whichever the first
/// line has; plain, .gz or .zst. A first line without a number in any cell is a header; columns called user, item and
/// rating (or userId, movie_id, score ...) are then found by name, else the first three are taken. If a user has rated
/// an item several times, the last rating counts. Throws Error with file, line and column.
Ratings read_ratings(const std::string& path, RatingsReport* report = nullptr, const RatingsLayout& layout = {});
Ratings parse_ratings(std::string_view text, const std::string& name, RatingsReport* report = nullptr,
                      const RatingsLayout& layout = {});

/// The lines of a file that are not blank, without blanks around them; for lists of users or items.
std::vector<std::string> read_lines(const std::string& path);

}  // namespace dorm
