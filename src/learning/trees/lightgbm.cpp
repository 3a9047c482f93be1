// SPDX-License-Identifier: Apache-2.0
#include "learning/trees/lightgbm.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <limits>
#include <vector>

#include "base/module.h"
#include "dorm/error.h"

namespace dorm {
namespace {

constexpr const char* kVariable = "DORM_LIGHTGBM";
constexpr int kFloat = 0, kInt32 = 2, kInt64 = 3;  // LightGBM's numbers of types
constexpr int kSplitImportance = 0;

/// The library in a folder of Python packages.
void add_packages(const std::filesystem::path& packages, std::vector<std::string>& out) {
  out.push_back((packages / "lightgbm" / "lib" / "lib_lightgbm.so").string());
  out.push_back((packages / "lightgbm" / "lib_lightgbm.so").string());
}

/// Those of a Python installation: PREFIX/lib/python3.*/site-packages.
void add_python(const std::filesystem::path& prefix, std::vector<std::string>& out) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(prefix / "lib", ignored))
    if (entry.path().filename().string().starts_with("python3"))
      for (const char* folder : {"site-packages", "dist-packages"}) add_packages(entry.path() / folder, out);
}

/// Where a copy of the Python package may be: beside the package of this program, in the environment in use, of the
/// python3 that is found first, of the user.
std::vector<std::string> places() {
  std::vector<std::string> out;
  const std::filesystem::path own = own_folder();
  if (!own.empty())
    for (const char* up : {"..", "../..", "../../.."}) add_packages(own / up, out);
  for (const char* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"})
    if (const char* prefix = std::getenv(variable)) add_python(prefix, out);
  if (const char* path = std::getenv("PATH")) {
    std::string_view rest = path;
    while (!rest.empty()) {
      const std::filesystem::path folder(rest.substr(0, rest.find(':')));
      rest.remove_prefix(std::min(rest.size(), folder.native().size() + 1));
      std::error_code ignored;
      if (folder.is_absolute() && std::filesystem::exists(folder / "python3", ignored)) {
        add_python(folder / "..", out);
        break;
      }
    }
  }
  if (const char* home = std::getenv("HOME")) add_python(std::filesystem::path(home) / ".local", out);
  for (const char* system : {"/usr/local", "/usr"}) {
    add_python(system, out);
    for (const char* folder : {"lib", "lib64"})
      out.push_back((std::filesystem::path(system) / folder / "lib_lightgbm.so").string());
  }
  return out;
}

LoadedLibrary found(const std::string& path) {
  if (!path.empty()) return load_library({path});
  if (const char* named = std::getenv(kVariable)) return load_library({named});
  LoadedLibrary library = load_library(places());
  // By the paths of the system's loader.
  if (library.handle == nullptr && library.file.empty())
    library.handle = dlopen("lib_lightgbm.so", RTLD_NOW | RTLD_LOCAL);
  if (library.handle != nullptr && library.file.empty()) library.file = "lib_lightgbm.so";
  return library;
}

}  // namespace

LightGbm::LightGbm(const std::string& path) {
  const LoadedLibrary library = found(path);
  if (library.handle == nullptr && !library.file.empty())
    throw Error(ErrorCode::unsupported, {library.file}, fmt::format("LightGBM cannot be loaded ({})", library.why_not));
  if (library.handle == nullptr)
    throw Error(ErrorCode::unsupported,
                path.empty()
                    ? fmt::format("growing trees needs LightGBM, which was not found; pip install lightgbm, or "
                                  "set {} to the path of its library lib_lightgbm.so",
                                  kVariable)
                    : fmt::format("{}: there is no such file; expected the library lib_lightgbm.so of "
                                  "LightGBM (pip install lightgbm)",
                                  path));
  file_ = library.file;
  const auto resolve = [&](auto& function, const char* name) {
    void* const symbol = dlsym(library.handle, name);
    if (symbol == nullptr)
      throw Error(ErrorCode::unsupported, {file_},
                  fmt::format("not a usable library of LightGBM: it has no {}; expected version 3 or later", name));
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(symbol);
  };
  resolve(last_error_, "LGBM_GetLastError");
  resolve(from_mat_, "LGBM_DatasetCreateFromMat");
  resolve(from_csr_, "LGBM_DatasetCreateFromCSR");
  resolve(set_field_, "LGBM_DatasetSetField");
  resolve(dataset_free_, "LGBM_DatasetFree");
  resolve(create_, "LGBM_BoosterCreate");
  resolve(booster_free_, "LGBM_BoosterFree");
  resolve(add_valid_, "LGBM_BoosterAddValidData");
  resolve(update_, "LGBM_BoosterUpdateOneIter");
  resolve(update_custom_, "LGBM_BoosterUpdateOneIterCustom");
  resolve(num_predict_, "LGBM_BoosterGetNumPredict");
  resolve(predict_, "LGBM_BoosterGetPredict");
  resolve(to_text_, "LGBM_BoosterSaveModelToString");
}

void LightGbm::check(int code) const {
  if (code != 0) throw Error(ErrorCode::bad_input, fmt::format("LightGBM refuses: {}", last_error_()));
}

LightGbm::Handle LightGbm::dense(const Dataset& data, const std::string& parameters, void* like) const {
  const std::size_t width = data.num_features();
  std::vector<float> rows(data.num_documents() * width);
  float* out = rows.data();
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    const FeatureRows from = data.query(q).rows;
    for (std::size_t i = 0; i < from.size(); ++i, out += width) from.load(i, std::span(out, width));
  }
  void* handle = nullptr;
  check(from_mat_(rows.data(), kFloat, static_cast<std::int32_t>(data.num_documents()),
                  static_cast<std::int32_t>(width), 1, parameters.c_str(), like, &handle));
  return {handle, dataset_free_};
}

LightGbm::Handle LightGbm::compressed(const Dataset& data, const std::string& parameters, void* like) const {
  std::vector<std::int64_t> begin = {0};
  std::vector<std::int32_t> columns;
  std::vector<float> values;
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    const FeatureRows from = data.query(q).rows;
    for (std::size_t i = 0; i < from.size(); ++i) {
      const SparseRow row = from.sparse_row(i);
      columns.insert(columns.end(), row.columns.begin(), row.columns.end());
      values.insert(values.end(), row.values.begin(), row.values.end());
      begin.push_back(static_cast<std::int64_t>(values.size()));
    }
  }
  void* handle = nullptr;
  check(from_csr_(begin.data(), kInt64, columns.data(), values.data(), kFloat, static_cast<std::int64_t>(begin.size()),
                  static_cast<std::int64_t>(values.size()), static_cast<std::int64_t>(data.num_features()),
                  parameters.c_str(), like, &handle));
  return {handle, dataset_free_};
}

LightGbm::Handle LightGbm::dataset(const Dataset& data, const std::string& parameters, void* like) const {
  if (data.num_documents() > std::size_t{std::numeric_limits<std::int32_t>::max()})
    throw Error(ErrorCode::unsupported,
                fmt::format("{} documents; LightGBM takes fewer than 2^31", data.num_documents()));
  Handle handle = data.dense() ? dense(data, parameters, like) : compressed(data, parameters, like);
  std::vector<float> labels, weights;
  std::vector<std::int32_t> sizes;
  bool weighted = false;
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    const Query query = data.query(q);
    labels.insert(labels.end(), query.labels.begin(), query.labels.end());
    weights.insert(weights.end(), query.size(), static_cast<float>(query.weight));
    sizes.push_back(static_cast<std::int32_t>(query.size()));
    weighted = weighted || query.weight != 1;
  }
  const auto set = [&](const char* field, const void* values, std::size_t count, int type) {
    check(set_field_(handle.get(), field, values, static_cast<int>(count), type));
  };
  set("label", labels.data(), labels.size(), kFloat);
  set("group", sizes.data(), sizes.size(), kInt32);
  if (weighted) set("weight", weights.data(), weights.size(), kFloat);
  return handle;
}

LightGbm::Handle LightGbm::booster(void* train, void* validation, const std::string& parameters) const {
  void* made = nullptr;
  check(create_(train, parameters.c_str(), &made));
  Handle handle(made, booster_free_);
  if (validation != nullptr) check(add_valid_(made, validation));
  return handle;
}

bool LightGbm::update(void* booster) const {
  int finished = 0;
  check(update_(booster, &finished));
  return finished == 0;
}

bool LightGbm::update(void* booster, const float* gradient, const float* curvature) const {
  int finished = 0;
  check(update_custom_(booster, gradient, curvature, &finished));
  return finished == 0;
}

void LightGbm::scores(void* booster, int which, std::vector<double>& out) const {
  std::int64_t size = 0;
  check(num_predict_(booster, which, &size));
  out.resize(static_cast<std::size_t>(size));
  check(predict_(booster, which, &size, out.data()));
}

std::string LightGbm::text(void* booster, std::size_t rounds) const {
  std::int64_t size = 0;
  std::string text(1 << 16, '\0');
  for (int pass = 0; pass < 2; ++pass) {
    check(to_text_(booster, 0, static_cast<int>(rounds), kSplitImportance, static_cast<std::int64_t>(text.size()),
                   &size, text.data()));
    const bool whole = static_cast<std::size_t>(size) <= text.size();
    text.resize(static_cast<std::size_t>(size));
    if (whole) break;
  }
  while (!text.empty() && text.back() == '\0') text.pop_back();  // it is counted with its end
  return text;
}

std::shared_ptr<const LightGbm> load_lightgbm(const std::string& path) {
  return std::make_shared<const LightGbm>(path);
}

std::string lightgbm_file(const LightGbm& library) { return library.file(); }

}  // namespace dorm
