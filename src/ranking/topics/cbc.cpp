// SPDX-License-Identifier: Apache-2.0
// CBC, the branch-and-cut solver of COIN-OR, behind the interface of integer_program.h.
#include <CbcConfig.h>

#include <CbcModel.hpp>
#include <CoinPackedMatrix.hpp>
#include <OsiClpSolverInterface.hpp>
#include <algorithm>
#include <cmath>

#include "base/signals_wait.h"
#include "ranking/topics/integer_program.h"

namespace dorm {
namespace {

// Nodes are cut off only when they cannot gain even this: the answer is exact for objectives near 1 in size.
constexpr double kLeastGain = 1e-9;

void load(const IntegerProgram& program, OsiClpSolverInterface& lp) {
  const int columns = static_cast<int>(program.objective.size());
  CoinPackedMatrix matrix(false, 0, 0);
  matrix.setDimensions(0, columns);
  std::vector<double> lower, upper;
  for (const ProgramRow& row : program.rows) {
    matrix.appendRow(static_cast<int>(row.columns.size()), row.columns.data(), row.values.data());
    lower.push_back(std::isfinite(row.lower) ? row.lower : -lp.getInfinity());
    upper.push_back(std::isfinite(row.upper) ? row.upper : lp.getInfinity());
  }
  const std::vector<double> zeros(program.objective.size(), 0.0), ones(program.objective.size(), 1.0);
  lp.setHintParam(OsiDoReducePrint, true, OsiHintTry);
  lp.messageHandler()->setLogLevel(0);
  std::vector<double> cost(program.objective);
  for (double& x : cost) x = -x;
  lp.loadProblem(matrix, zeros.data(), ones.data(), cost.data(), lower.data(), upper.data());
}

// Solves the relaxation in `lp`; false when it has no solution.
bool relax(OsiClpSolverInterface& lp, ProgramSolution& out) {
  lp.initialSolve();
  if (!lp.isProvenOptimal()) return false;
  out.relaxed.assign(lp.getColSolution(), lp.getColSolution() + lp.getNumCols());
  out.bound = -lp.getObjValue();
  return true;
}

// Plain branch and bound: with so few whole variables cuts and heuristics cost more than they save, and knapsack covers
// were seen to cut off optima.
void configure(CbcModel& model, double seconds) {
  model.setLogLevel(0);
  model.messageHandler()->setLogLevel(0);
  model.solver()->messageHandler()->setLogLevel(0);
  model.setAllowableGap(0);
  model.setAllowableFractionGap(0);
  model.setDblParam(CbcModel::CbcCutoffIncrement, kLeastGain);
  model.setIntegerTolerance(1e-7);
  model.setUseElapsedTime(true);
  if (seconds > 0) model.setMaximumSeconds(seconds);
}

ProgramSolution solve_by_cbc(const IntegerProgram& program, double seconds) {
  const SignalsWait wait;  // the solver has a handler of its own, by which an ignored interrupt would cut it short
  ProgramSolution out;
  OsiClpSolverInterface lp;
  load(program, lp);
  if (!relax(lp, out)) return out;
  for (std::size_t column = 0; column < program.integers; ++column) lp.setInteger(static_cast<int>(column));
  CbcModel model(lp);
  configure(model, seconds);
  model.branchAndBound();
  if (model.isProvenInfeasible()) return out;
  out.status = model.isProvenOptimal() ? ProgramStatus::optimal : ProgramStatus::limit_reached;
  out.bound = std::min(out.bound, -model.getBestPossibleObjValue());
  if (model.bestSolution() == nullptr) return out;
  out.values.assign(model.bestSolution(), model.bestSolution() + program.objective.size());
  return out;
}

// CBC is not known to be safe in several threads.
constexpr ProgramSolver kCbc = {"CBC " CBC_VERSION, false, solve_by_cbc};

}  // namespace
}  // namespace dorm

extern "C" const dorm::ProgramSolver* dorm_program_solver() { return &dorm::kCbc; }
