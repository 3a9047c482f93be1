// SPDX-License-Identifier: Apache-2.0
// Reads a LETOR file once and prints, as one JSON object, how long it took, what it found and the peak memory of the
// process. `scan` instead counts the line ends of the mapped file, the floor for any reader.
//   read_letor FILE THREADS|scan [OUTPUT: the dense matrix, float32, row by row]
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>

#include "dorm/dorm.h"

namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void scan(const char* path) {
  const auto start = std::chrono::steady_clock::now();
  const int file = ::open(path, O_RDONLY);
  struct stat status {};
  if (file < 0 || ::fstat(file, &status) != 0) throw std::runtime_error("cannot open the file");
  const auto size = static_cast<std::size_t>(status.st_size);
  void* const pages = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
  if (pages == MAP_FAILED) throw std::runtime_error("cannot map the file");
  const char* p = static_cast<const char*>(pages);
  const char* const end = p + size;
  std::size_t lines = 0;
  while ((p = static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(end - p)))) != nullptr) {
    ++lines;
    if (++p == end) break;
  }
  fmt::print("{{\"seconds\": {}, \"bytes\": {}, \"rows\": {}}}\n", seconds_since(start), size, lines);
  ::munmap(pages, size);
  ::close(file);
}

void write_matrix(const dorm::Dataset& data, const char* path) {
  std::ofstream out(path, std::ios::binary);
  std::vector<float> row(data.num_features());
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    const dorm::Query query = data.query(q);
    for (std::size_t i = 0; i < query.size(); ++i) {
      for (std::size_t j = 0; j < row.size(); ++j) row[j] = query.rows.at(i, j);
      out.write(reinterpret_cast<const char*>(row.data()), static_cast<std::streamsize>(row.size() * sizeof(float)));
    }
  }
}

void read(const char* path, std::size_t threads, const char* matrix) {
  dorm::ReadOptions options;
  options.threads = threads;
  dorm::ReadReport report;
  const auto start = std::chrono::steady_clock::now();
  const dorm::Dataset data = dorm::read_letor(path, options, &report);
  const double seconds = seconds_since(start);
  struct rusage usage {};
  ::getrusage(RUSAGE_SELF, &usage);
  fmt::print(
      "{{\"seconds\": {}, \"bytes\": {}, \"rows\": {}, \"features\": {}, \"dense\": {}, \"peak_bytes\": "
      "{}}}\n",
      seconds, report.bytes, data.num_documents(), data.num_features(), data.dense(), usage.ru_maxrss * 1024L);
  if (matrix != nullptr) write_matrix(data, matrix);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return std::fputs("read_letor FILE THREADS|scan [OUTPUT]\n", stderr), 2;
  try {
    if (std::strcmp(argv[2], "scan") == 0)
      scan(argv[1]);
    else
      read(argv[1], std::stoul(argv[2]), argc > 3 ? argv[3] : nullptr);
  } catch (const std::exception& error) {
    return std::fprintf(stderr, "%s\n", error.what()), 1;
  }
}
