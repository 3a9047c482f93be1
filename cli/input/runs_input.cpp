// SPDX-License-Identifier: Apache-2.0
#include "input/runs_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <set>

#include "base/parallel.h"
#include "base/quote.h"
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
    for (const std::string_view ending : {".gz", ".zst", ".run", ".trec", ".txt", ".json", ".jsonl"})
      if (name.size() > ending.size() && name.ends_with(ending))
        name.resize(name.size() - ending.size()), shorter = true;
  }
  return name;
}

using Listed = std::set<std::pair<std::string_view, std::string_view>>;

std::vector<std::string> header_of(const std::string& path) {
  std::vector<std::string> names;
  const std::vector<std::string> lines = read_lines(path);
  const std::string first = lines.empty() ? std::string() : lines.front();
  for (std::size_t begin = 0; begin <= first.size();) {
    const std::size_t end = std::min(first.find_first_of(",;\t", begin), first.size());
    names.push_back(first.substr(begin, end - begin));
    begin = end + 1;
  }
  return names;
}

std::vector<NamedRun> columns_by_document(const std::string& path, const Listed& listed) {
  const SideFeatures table = read_side_features(path);
  std::vector<NamedRun> columns;
  for (const std::string& name : table.names) columns.push_back({name, {}});
  for (const auto& [query, document] : listed)
    if (const auto row = table.ids.find(document))
      for (std::size_t j = 0; j < columns.size(); ++j)
        columns[j].entries.push_back(
            {std::string(query), std::string(document), table.values[*row * columns.size() + j]});
  return columns;
}

std::vector<NamedRun> columns_by_pair(const std::string& path, const Listed& listed, const Settings& settings) {
  const Dataset data = load(path, {}, settings, {.labels = false}).data;
  if (!data.has_document_ids())
    throw Error(ErrorCode::bad_input, {path}, "no column of documents; expected qid,docid and columns of numbers");
  std::vector<NamedRun> columns;
  for (std::size_t j = 0; j < data.num_features(); ++j) columns.push_back({data.feature_name(j), {}});
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    const Query query = data.query(q);
    for (std::size_t i = 0; i < query.size(); ++i) {
      const std::string_view document = data.document_id(query.first_document + i);
      if (!listed.contains({query.id, document})) continue;
      for (std::size_t j = 0; j < columns.size(); ++j)
        columns[j].entries.push_back(
            {std::string(query.id), std::string(document), static_cast<double>(query.rows.at(i, j))});
    }
  }
  return columns;
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

Dataset load_joined(const std::string& data, const FusionInput& input, const std::string& qrels,
                    const Settings& settings) {
  if (!input.features.empty())
    throw Error(ErrorCode::unsupported,
                fmt::format("the model has the feature {} beside runs; expected a file of dorm fuse --joined",
                            in_quotes(input.features.front())));
  const std::vector<NamedRun> runs = in_order_of(input, load_runs(listed_runs(data), settings));
  const std::vector<Judgment> judgments = qrels.empty() ? std::vector<Judgment>() : read_qrels(qrels);
  return join_runs(runs, judgments, input, settings.threads).data;
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

std::vector<NamedRun> load_columns(const std::string& path, const std::vector<NamedRun>& runs,
                                   const Settings& settings) {
  std::set<std::pair<std::string_view, std::string_view>> listed;  // by query, then document
  for (const NamedRun& run : runs)
    for (const RunEntry& entry : run.entries) listed.emplace(entry.query, entry.document);
  const std::vector<std::string> header = header_of(path);
  const bool by_pair = std::count(header.begin(), header.end(), ColumnRoles().query) > 0;
  std::vector<NamedRun> columns = by_pair ? columns_by_pair(path, listed, settings) : columns_by_document(path, listed);
  for (const NamedRun& column : columns)
    if (column.entries.empty())
      throw Error(ErrorCode::bad_input, {path},
                  fmt::format("the column {} has no value for a document of the runs; expected their document ids",
                              in_quotes(column.name)));
  return columns;
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
