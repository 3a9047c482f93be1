// SPDX-License-Identifier: Apache-2.0
// SolverState: scaling along a path of C, and the file form.
//
// File: "DORMSTAT", u32 version, u32 zero, u64 payload bytes, u64 checksum, payload. Little-endian; vectors are a u64
// count and the elements. Counts are checked against what is left of the payload before allocation.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <istream>
#include <ostream>
#include <string>

#include "base/byte_stream.h"
#include "dorm/error.h"
#include "learning/solver/proximal_point.h"
#include "learning/solver/solver_table.h"

namespace dorm {
namespace {

constexpr char kMagic[8] = {'D', 'O', 'R', 'M', 'S', 'T', 'A', 'T'};
constexpr std::uint32_t kVersion = 4;  // no other is read

struct Header {
  char magic[8];
  std::uint32_t version = 0;
  std::uint32_t reserved = 0;
  std::uint64_t size = 0;
  std::uint64_t checksum = 0;
};

[[noreturn]] void refuse(const std::string& why) { throw Error(ErrorCode::bad_input, "solver state: " + why); }

void write_block(ByteWriter& to, const BlockPlanes& block) {
  to.value<std::uint64_t>(block.planes.size());
  for (const Plane& plane : block.planes) {
    to.value(plane.offset);
    to.vector(plane.direction);
    to.vector(plane.columns);
  }
  to.vector(block.alpha);
  to.vector(block.last_active);
}

BlockPlanes read_block(ByteReader& from) {
  BlockPlanes block;
  block.planes.resize(from.count(3 * sizeof(std::uint64_t)));
  for (Plane& plane : block.planes) {
    plane.offset = from.value<double>();
    plane.direction = from.vector<float>();
    plane.columns = from.vector<std::uint32_t>();
  }
  block.alpha = from.vector<double>();
  block.last_active = from.vector<std::uint64_t>();
  return block;
}

template <class T>
bool finite(const std::vector<T>& v) {
  return std::all_of(v.begin(), v.end(), [](T x) { return std::isfinite(x); });
}

bool weights(const std::vector<double>& v) {
  return finite(v) && std::all_of(v.begin(), v.end(), [](double x) { return x >= 0; });
}

void check(const SolverState& state) {
  const auto require = [](bool ok, const char* what) {
    if (!ok) refuse(what);
  };
  const std::size_t blocks = state.block_weights.size();
  require(state.dimension > 0 && state.w.size() == state.dimension && finite(state.w), "bad weights w");
  require(weights(state.block_weights), "bad block weights");
  require(state.best_w.empty() || (state.best_w.size() == state.dimension && finite(state.best_w)), "bad best w");
  const std::size_t centred = state.kappa == 0 ? 0 : state.dimension;
  require(std::isfinite(state.kappa) && state.kappa >= 0 && state.centre.size() == centred && finite(state.centre) &&
              state.last_centred.size() == centred && finite(state.last_centred),
          "bad centre");
  require(std::isfinite(state.best_primal) && std::isfinite(state.best_dual), "bad bounds");
  require(state.blocks.empty() || state.blocks.size() == blocks, "wrong number of blocks");
  for (const BlockPlanes& held : state.blocks) {
    const std::size_t count = held.planes.size();
    require(held.alpha.size() == count && held.last_active.size() == count, "planes and dual weights differ");
    require(weights(held.alpha), "bad dual weights");
    for (const Plane& plane : held.planes)
      require(std::isfinite(plane.offset) && finite(plane.direction), "a plane is not finite");
  }
  for (const AggregatePlane& plane : state.aggregates) {
    const bool fits = plane.direction.size() == state.dimension || plane.direction.empty();
    require(fits && std::isfinite(plane.offset) && finite(plane.direction), "bad aggregate plane");
  }
  const bool mixtures = solver_row(state.solver).family == StateFamily::mixtures;
  const std::size_t expected = mixtures ? 0 : state.aggregates.size();
  require(state.aggregate_alpha.size() == expected && weights(state.aggregate_alpha), "bad aggregate weights");
  if (mixtures) require(state.aggregates.empty() || state.aggregates.size() == blocks, "wrong number of aggregates");
}

std::string read_payload(std::istream& in, std::uint64_t size) {
  constexpr std::uint64_t kPiece = 1u << 20;  // so that a false size does not allocate before the data is seen
  std::string bytes;
  while (bytes.size() < size) {
    const auto piece = static_cast<std::size_t>(std::min<std::uint64_t>(kPiece, size - bytes.size()));
    const std::size_t before = bytes.size();
    bytes.resize(before + piece);
    if (!in.read(bytes.data() + before, static_cast<std::streamsize>(piece))) refuse("cut short");
  }
  return bytes;
}

}  // namespace

void SolverState::rescale(double factor) {
  if (!(factor > 0) || !std::isfinite(factor))
    throw Error(ErrorCode::bad_option, fmt::format("factor is {}; expected a number > 0", factor));
  const auto scale = [factor](std::vector<double>& v) {
    for (double& x : v) x *= factor;
  };
  end_proximal(*this);
  scale(block_weights);
  scale(w);
  scale(aggregate_alpha);
  for (BlockPlanes& held : blocks) {
    scale(held.alpha);
    std::fill(held.last_active.begin(), held.last_active.end(), 0);
  }
  if (solver_row(solver).family == StateFamily::mixtures) {
    for (AggregatePlane& mixture : aggregates) {
      mixture.offset *= factor;
      scale(mixture.direction);
    }
  }
  best_w.clear();
  best_primal = best_dual = 0;
  pass = oracle_calls = stalled = 0;
  between = false;
}

void SolverState::save(std::ostream& out) const {
  ByteWriter to;
  to.value(static_cast<std::uint32_t>(solver));
  for (const std::uint64_t x : {dimension, pass, oracle_calls, stalled, std::uint64_t{between}}) to.value(x);
  for (const double x : {best_primal, best_dual, kappa}) to.value(x);
  for (const auto* v : {&block_weights, &w, &aggregate_alpha, &best_w, &centre, &last_centred}) to.vector(*v);
  to.value<std::uint64_t>(blocks.size());
  for (const BlockPlanes& held : blocks) write_block(to, held);
  to.value<std::uint64_t>(aggregates.size());
  for (const AggregatePlane& plane : aggregates) {
    to.value(plane.offset);
    to.vector(plane.direction);
  }
  Header header;
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  header.version = kVersion;
  header.size = to.bytes().size();
  header.checksum = checksum_of(to.bytes());
  out.write(reinterpret_cast<const char*>(&header), sizeof header);
  out.write(to.bytes().data(), static_cast<std::streamsize>(to.bytes().size()));
  if (!out) throw Error(ErrorCode::io, "solver state: the stream refused the data");
}

SolverState SolverState::load(std::istream& in) {
  Header header;
  if (!in.read(reinterpret_cast<char*>(&header), sizeof header)) refuse("cut short");
  if (std::memcmp(header.magic, kMagic, sizeof kMagic) != 0) refuse("not a solver state");
  if (header.version != kVersion) refuse(fmt::format("found version {}; expected {}", header.version, kVersion));
  if (header.reserved != 0) refuse("the header is damaged");
  const std::string bytes = read_payload(in, header.size);
  if (checksum_of(bytes) != header.checksum) refuse("the checksum does not match: the file is damaged");

  ByteReader from(bytes, "solver state");
  SolverState state;
  const auto kind = from.value<std::uint32_t>();
  if (kind >= num_solvers()) refuse("unknown solver");
  state.solver = static_cast<SolverKind>(kind);
  for (std::uint64_t* x : {&state.dimension, &state.pass, &state.oracle_calls, &state.stalled})
    *x = from.value<std::uint64_t>();
  state.between = from.value<std::uint64_t>() != 0;
  for (double* x : {&state.best_primal, &state.best_dual}) *x = from.value<double>();
  state.kappa = from.value<double>();
  for (std::vector<double>* v : {&state.block_weights, &state.w, &state.aggregate_alpha, &state.best_w})
    *v = from.vector<double>();
  for (std::vector<double>* v : {&state.centre, &state.last_centred}) *v = from.vector<double>();
  const std::uint64_t block_count = from.count(sizeof(std::uint64_t));
  for (std::uint64_t k = 0; k < block_count; ++k) state.blocks.push_back(read_block(from));
  state.aggregates.resize(from.count(2 * sizeof(std::uint64_t)));
  for (AggregatePlane& plane : state.aggregates) {
    plane.offset = from.value<double>();
    plane.direction = from.vector<double>();
  }
  if (!from.at_end()) refuse("bytes are left over");
  check(state);
  return state;
}

}  // namespace dorm
