// SPDX-License-Identifier: Apache-2.0
// Files: judged documents with the roles of their columns, TREC qrels, runs and judgments of subtopics.
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <utility>

#include "arrays.h"
#include "bindings.h"
#include "dorm/data/prepare.h"
#include "dorm/error.h"
#include "dorm/read.h"
#include "dorm/write.h"
#include "input.h"

namespace dorm::python {
namespace {

using namespace nb::literals;

constexpr std::array<std::pair<const char*, Missing>, 4> kMissing = {
    {{"error", Missing::error}, {"zero", Missing::zero}, {"mean", Missing::mean}, {"keep", Missing::keep}}};
constexpr std::array<std::pair<const char*, DataFormat>, 5> kFormats = {{{"auto", DataFormat::detect},
                                                                         {"letor", DataFormat::letor},
                                                                         {"csv", DataFormat::csv},
                                                                         {"tsv", DataFormat::tsv},
                                                                         {"binary", DataFormat::binary}}};

template <class Table>
auto parse_name(const Table& table, const char* what, const std::string& name) {
  std::string expected;
  for (const auto& [known, value] : table) {
    if (name == known) return value;
    expected += (expected.empty() ? "\"" : ", \"") + std::string(known) + "\"";
  }
  throw Error(ErrorCode::bad_option, std::string(what) + " is \"" + name + "\"; expected one of " + expected);
}

template <class T>
void take(const nb::dict& fields, const char* key, T& out) {
  if (fields.contains(key)) out = nb::cast<T>(fields[key]);
}

void take_roles(const nb::dict& fields, ColumnRoles& roles) {
  take(fields, "label_column", roles.label);
  take(fields, "query_column", roles.query);
  take(fields, "document_column", roles.document);
  take(fields, "group_column", roles.group);
  take(fields, "weight_column", roles.weight);
  take(fields, "ignore_columns", roles.ignored);
}

Missing missing_from(const nb::dict& fields) {
  std::string name = "error";
  take(fields, "missing", name);
  return parse_name(kMissing, "missing", name);
}

ReadOptions read_options(const nb::dict& fields) {
  ReadOptions options;
  std::string format = "auto";
  take(fields, "format", format);
  options.format = parse_name(kFormats, "format", format);
  options.missing = missing_from(fields);
  take_roles(fields, options.columns);
  take(fields, "means", options.means);
  take(fields, "features", options.features);
  take(fields, "judgments", options.judgments);
  take(fields, "query_ids", options.query_ids);
  take(fields, "need_labels", options.need_labels);
  take(fields, "need_groups", options.need_groups);
  take(fields, "threads", options.threads);
  options.mapped = false;  // arrays are handed out, and nobody could tell numpy that their file has become shorter
  return options;
}

nb::tuple read_documents(const std::string& path, const nb::dict& fields, const std::string& unjudged) {
  const ReadOptions options = read_options(fields);
  const Unjudged rule = parse_unjudged(unjudged);
  ReadReport report;
  Dataset data;
  {
    const nb::gil_scoped_release unlocked;
    data = with_unjudged(read_dataset(path, options, &report), rule);
  }
  return nb::make_tuple(std::move(data), report.warnings);
}

/// Columns of text, each distinct value made once: runs repeat their query thousands of times.
template <class Entry>
nb::list column(const std::vector<Entry>& entries, std::string Entry::*member) {
  nb::list out;
  nb::object last;
  const std::string* before = nullptr;
  for (const Entry& entry : entries) {
    if (!before || *before != entry.*member) last = text_from(entry.*member);
    before = &(entry.*member);
    out.append(last);
  }
  return out;
}

template <class Entry>
nb::object numbers(const std::vector<Entry>& entries, auto Entry::*member) {
  std::vector<double> out;
  for (const Entry& entry : entries) out.push_back(static_cast<double>(entry.*member));
  return to_numpy(std::move(out));
}

nb::tuple qrels_columns(const std::string& path) {
  const std::vector<Judgment> entries = read_qrels(path);
  return nb::make_tuple(column(entries, &Judgment::query), column(entries, &Judgment::document),
                        numbers(entries, &Judgment::label));
}

nb::tuple run_columns(const std::string& path) {
  std::string tag;
  const std::vector<RunEntry> entries = read_run(path, &tag);
  return nb::make_tuple(column(entries, &RunEntry::query), column(entries, &RunEntry::document),
                        numbers(entries, &RunEntry::score), text_from(tag));
}

nb::tuple subtopic_columns(const std::string& path) {
  const std::vector<SubtopicJudgment> entries = read_subtopics(path);
  return nb::make_tuple(column(entries, &SubtopicJudgment::query), column(entries, &SubtopicJudgment::document),
                        numbers(entries, &SubtopicJudgment::label), column(entries, &SubtopicJudgment::subtopic));
}

}  // namespace

nb::object text_from(std::string_view bytes) {
  return nb::steal(PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "backslashreplace"));
}

nb::dict to_dict(const InputDescription& input) {
  nb::dict out, means;
  out["label_column"] = input.columns.label;
  out["query_column"] = input.columns.query;
  out["document_column"] = input.columns.document;
  out["group_column"] = input.columns.group;
  out["weight_column"] = input.columns.weight;
  out["ignore_columns"] = input.columns.ignored;
  out["missing"] = kMissing[static_cast<std::size_t>(input.missing)].first;
  for (const auto& [name, mean] : input.means) means[text_from(name)] = mean;
  out["means"] = means;
  return out;
}

InputDescription input_from(const nb::dict& fields) {
  InputDescription input;
  take_roles(fields, input.columns);
  input.missing = missing_from(fields);
  take(fields, "means", input.means);
  return input;
}

void bind_reading(nb::module_& module) {
  module.def("read_dataset", &read_documents, "path"_a, "options"_a, "unjudged"_a, "Judged documents and warnings.");
  module.def(
      "write_dataset",
      [](const Dataset& data, const std::string& path) {
        const nb::gil_scoped_release unlocked;
        write_dataset(data, path);
      },
      "data"_a, "path"_a, "In the format of the extension.");
  module.def("read_qrels", &qrels_columns, "path"_a, "Queries, documents and labels.");
  module.def("read_run", &run_columns, "path"_a, "Queries, documents, scores and the tag.");
  module.def("read_subtopics", &subtopic_columns, "path"_a, "Queries, documents, labels and subtopics.");
}

}  // namespace dorm::python
