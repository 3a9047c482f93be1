// SPDX-License-Identifier: Apache-2.0
#include "input/runs_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "base/number.h"
#include "base/parallel.h"
#include "base/quote.h"
#include "data/runs/document_numbers.h"
#include "data/runs/run_parts.h"
#include "dorm/error.h"
#include "dorm/read.h"
#include "input/input.h"
#include "run/progress.h"

namespace dorm::cli {
namespace {

std::string name_of_file(const std::string& path) {
  std::string name = std::filesystem::path(path).filename().string();
  for (bool shorter = true; shorter;) {
    shorter = false;
    for (const std::string_view ending : {".gz", ".zst", ".lz4", ".run", ".trec", ".txt", ".json", ".jsonl"})
      if (name.size() > ending.size() && name.ends_with(ending))
        name.resize(name.size() - ending.size()), shorter = true;
  }
  return name;
}

std::vector<std::string> header_of(const std::string& path) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  std::vector<std::string> names;
  const std::vector<std::string> lines = read_lines(path);
  std::string first = lines.empty() ? std::string() : lines.front();
  if (first.starts_with(kByteOrderMark)) first.erase(0, kByteOrderMark.size());
  std::erase_if(first, [](char c) { return c == '"' || c == '\r'; });
  for (std::size_t begin = 0; begin <= first.size();) {
    const std::size_t end = std::min(first.find_first_of(",;\t", begin), first.size());
    names.push_back(first.substr(begin, end - begin));
    begin = end + 1;
  }
  return names;
}

/// The documents that the runs list, query by query.
class ListedDocuments {
 public:
  ListedDocuments(const std::vector<NamedRun>& runs, const Settings& settings)
      : runs_(runs), queries_(parts_of_queries(runs, {}, settings.threads)) {
    for (std::size_t q = 0; q < queries_.size(); ++q) place_.emplace(queries_[q].query, q);
  }

  std::size_t num_queries() const { return queries_.size(); }
  std::string_view query(std::size_t q) const { return queries_[q].query; }
  std::optional<std::size_t> find(std::string_view query) const {
    const auto found = place_.find(query);
    return found == place_.end() ? std::nullopt : std::optional(found->second);
  }
  DocumentNumbers of(std::size_t q) const {
    std::size_t most = 0;
    for (const RunPart& part : queries_[q].parts) most += part.end - part.begin;
    DocumentNumbers numbers(most);
    for (const RunPart& part : queries_[q].parts)
      for (std::size_t i = part.begin; i < part.end; ++i) numbers.add(runs_[part.run].entries[i].document);
    return numbers;
  }

 private:
  const std::vector<NamedRun>& runs_;
  std::vector<PartsOfQuery> queries_;
  std::unordered_map<std::string_view, std::size_t> place_;
};

std::vector<NamedRun> empty_columns(const Dataset& data) {
  std::vector<NamedRun> columns;
  for (std::size_t j = 0; j < data.num_features(); ++j) columns.push_back({data.feature_name(j), {}});
  return columns;
}

/// A gap is a document that the column lacks.
void add_row(std::vector<NamedRun>& columns, std::string_view query, std::string_view document, const FeatureRows& rows,
             std::size_t row) {
  for (std::size_t j = 0; j < columns.size(); ++j)
    if (const auto value = static_cast<double>(rows.at(row, j)); std::isfinite(value))
      columns[j].entries.push_back({std::string(query), std::string(document), value});
}

/// Of data with a query for each document.
std::vector<NamedRun> columns_by_document(const std::string& path, const Dataset& data, const ListedDocuments& listed) {
  std::unordered_map<std::string_view, std::size_t> place;
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    if (data.query(q).size() > 1)
      throw Error(ErrorCode::bad_input, {path},
                  fmt::format("document {} is there twice; expected a row for each", in_quotes(data.query(q).id)));
    place.emplace(data.query(q).id, q);
  }
  std::vector<NamedRun> columns = empty_columns(data);
  for (std::size_t q = 0; q < listed.num_queries(); ++q) {
    const DocumentNumbers documents = listed.of(q);
    for (const std::string_view document : documents.ids())
      if (const auto row = place.find(document); row != place.end())
        add_row(columns, listed.query(q), document, data.query(row->second).rows, 0);
  }
  return columns;
}

std::vector<NamedRun> columns_by_pair(const std::string& path, const Dataset& data, const ListedDocuments& listed) {
  if (!data.has_document_ids())
    throw Error(ErrorCode::bad_input, {path}, "no column of documents; expected qid,docid and columns of numbers");
  std::vector<NamedRun> columns = empty_columns(data);
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    const Query query = data.query(q);
    const auto place = listed.find(query.id);
    if (!place) continue;
    const DocumentNumbers numbers = listed.of(*place);
    for (std::size_t i = 0; i < query.size(); ++i)
      if (const std::string_view document = data.document_id(query.first_document + i);
          numbers.find(document) != DocumentNumbers::kNone)
        add_row(columns, query.id, document, query.rows, i);
  }
  return columns;
}

/// How a table of docid,... or qid,docid,... is read: columns have no roles beside ids, and gaps stay.
InputArguments feature_arguments(const std::vector<std::string>& header, bool by_pair, const std::string& encode) {
  InputArguments arguments;
  arguments.encode = encode;
  ColumnRoles& roles = arguments.columns;
  roles.label = roles.group = roles.weight = "(none)";
  if (!by_pair)
    roles.query =
        std::count(header.begin(), header.end(), ColumnRoles().document) > 0 ? ColumnRoles().document : header.front();
  arguments.missing = name_of(Missing::keep);
  return arguments;
}

/// The columns that a model has, in its order.
std::vector<NamedRun> columns_of(const FusionInput& input, const std::vector<NamedRun>& runs, const std::string& path,
                                 const Settings& settings) {
  if (input.features.empty()) return {};
  if (path.empty())
    throw Error(ErrorCode::bad_option,
                fmt::format("the model has the feature {} beside runs; expected --features FILE, or a file of dorm "
                            "fuse --joined",
                            in_quotes(input.features.front())));
  std::vector<NamedRun> columns = load_columns(path, runs, {.like = &input}, settings).columns, ordered;
  for (const std::string& name : input.features) {
    const auto found =
        std::find_if(columns.begin(), columns.end(), [&](const NamedRun& column) { return column.name == name; });
    if (found == columns.end())
      throw Error(ErrorCode::bad_input, {path},
                  fmt::format("no column {}; expected the features of the model: {}", in_quotes(name),
                              fmt::join(input.features, ", ")));
    ordered.push_back(std::move(*found));
  }
  return ordered;
}

}  // namespace

std::vector<RunFile> run_files(const std::vector<std::string>& arguments) {
  std::vector<RunFile> files;
  for (const std::string& each : arguments) {
    const std::size_t sign = each.find('=');
    const bool named = sign != std::string::npos && sign > 0 && each.substr(0, sign).find('/') == std::string::npos &&
                       !std::filesystem::exists(each);
    const RunFile file =
        named ? RunFile{each.substr(0, sign), each.substr(sign + 1)} : RunFile{name_of_file(each), each};
    if (file.name.find(',') != std::string::npos)
      throw Error(ErrorCode::bad_option, fmt::format("{} is called {}; expected a name without commas: NAME=FILE",
                                                     file.path, in_quotes(file.name)));
    for (const RunFile& other : files)
      if (other.name == file.name)
        throw Error(ErrorCode::bad_option,
                    fmt::format("{} and {} are both called {}; expected NAME=FILE for one of them", other.path,
                                file.path, in_quotes(file.name)));
    files.push_back(file);
  }
  return files;
}

std::vector<RunFile> listed_runs(const std::string& argument) {
  std::vector<std::string> files;
  for (std::size_t begin = 0; begin <= argument.size();) {
    const std::size_t end = std::min(argument.find(',', begin), argument.size());
    if (end > begin) files.push_back(argument.substr(begin, end - begin));
    begin = end + 1;
  }
  return run_files(files);
}

bool names_runs(const std::string& data) {
  return data.find(',') != std::string::npos && !std::filesystem::exists(data);
}

JoinedRuns join_for(const FusionInput& input, std::vector<NamedRun> runs, std::span<const Judgment> judgments,
                    const InputArguments& arguments, const Settings& settings) {
  std::vector<NamedRun> lists = in_order_of(input, std::move(runs));
  for (NamedRun& column : columns_of(input, lists, arguments.features, settings)) lists.push_back(std::move(column));
  SideFeatures query_features;
  if (!input.query_features.empty()) {
    if (arguments.query_features.empty())
      throw Error(ErrorCode::bad_option,
                  fmt::format("the weights of the model depend on the query feature {}; expected --query-features "
                              "FILE, or a file of dorm fuse --joined",
                              in_quotes(input.query_features.front().name)));
    query_features = load_query_features(arguments.query_features);
  }
  return join_runs(lists, judgments, input, {.threads = settings.threads, .query_features = &query_features});
}

Dataset load_joined(const std::string& data, const FusionInput& input, const InputArguments& arguments,
                    const Settings& settings) {
  const std::vector<Judgment> judgments =
      arguments.qrels.empty() ? std::vector<Judgment>() : read_qrels(arguments.qrels);
  return join_for(input, load_runs(listed_runs(data), settings), judgments, arguments, settings).data;
}

void add_fusion_options(const OptionGroup& group, InputArguments& arguments, const char* features) {
  group.add(features, arguments.features, "FILE",
            "with runs: the table of docid,... or qid,docid,... of a fused model\nthat has features");
  group.add("--query-features", arguments.query_features, "FILE",
            "with runs: the table of qid,... of a fused model whose weights\ndepend on the query");
}

SideFeatures load_query_features(const std::string& path) {
  const std::size_t columns = header_of(path).size();
  if (columns < 2)
    throw Error(ErrorCode::bad_input, {path}, "one column; expected qid and columns of numbers or words");
  return read_side_features(path, fmt::format("2-{}", columns));
}

std::vector<NamedRun> load_runs(const std::vector<RunFile>& files, const Settings& settings) {
  std::vector<NamedRun> runs(files.size());
  LiveLine line;
  std::mutex mutex;
  parallel_for(files.size(), thread_count(settings.threads), [&](std::size_t r, std::size_t) {
    runs[r] = {files[r].name, read_run(files[r].path)};
    const std::lock_guard lock(mutex);
    if (!settings.quiet && line.due()) line.show(fmt::format("dorm: read {}", files[r].path));
  });
  return runs;
}

FeatureColumns load_columns(const std::string& path, const std::vector<NamedRun>& runs, const FeatureRules& rules,
                            const Settings& settings) {
  const ListedDocuments listed(runs, settings);
  const std::vector<std::string> header = header_of(path);
  if (header.size() < 2 || std::any_of(header.begin(), header.end(), is_number))
    throw Error(ErrorCode::bad_input, {path, 1},
                "no header with ids and columns; expected docid,age,... or qid,docid,price,...");
  const bool by_pair = std::count(header.begin(), header.end(), ColumnRoles().query) > 0;
  InputDescription like;
  like.missing = Missing::keep;
  if (rules.like) like.encodings = rules.like->encodings;
  const Dataset data = load(path, feature_arguments(header, by_pair, rules.encode), settings,
                            {.like = rules.like ? &like : nullptr,
                             .features = rules.like ? &rules.like->features : nullptr,
                             .labels = false})
                           .data;
  FeatureColumns out{by_pair ? columns_by_pair(path, data, listed) : columns_by_document(path, data, listed),
                     data.input().encodings};
  for (const NamedRun& column : out.columns)
    if (column.entries.empty())
      throw Error(ErrorCode::bad_input, {path},
                  fmt::format("the column {} has no value for a document of the runs; expected their document ids",
                              in_quotes(column.name)));
  return out;
}

std::vector<NamedRun> in_order_of(const FusionInput& input, std::vector<NamedRun> runs) {
  const auto known = [&](const NamedRun& run) {
    return std::find(input.runs.begin(), input.runs.end(), run.name) != input.runs.end();
  };
  if (runs.size() != input.runs.size())
    throw Error(ErrorCode::bad_input, fmt::format("the model fuses {} runs ({}); found {}", input.runs.size(),
                                                  fmt::join(input.runs, ", "), runs.size()));
  if (std::none_of(runs.begin(), runs.end(), known)) {
    for (std::size_t r = 0; r < runs.size(); ++r) runs[r].name = input.runs[r];
    return runs;
  }
  std::vector<NamedRun> ordered;
  for (const std::string& name : input.runs) {
    const auto found = std::find_if(runs.begin(), runs.end(), [&](const NamedRun& run) { return run.name == name; });
    if (found == runs.end())
      throw Error(ErrorCode::bad_input, fmt::format("the model fuses {}, and no file is called {}; expected {}=FILE",
                                                    fmt::join(input.runs, ", "), in_quotes(name), name));
    ordered.push_back(std::move(*found));
  }
  return ordered;
}

}  // namespace dorm::cli
