// SPDX-License-Identifier: Apache-2.0
// HiGHS behind the interface of integer_program.h. Every call has an instance of its own, and HiGHS keeps its task
// scheduler by thread, so calls from several threads do not meet.
#include <Highs.h>

#include <algorithm>
#include <cmath>

#include "ranking/topics/integer_program.h"

namespace dorm {
namespace {

// Nodes are cut off only when they cannot gain even this: the answer is exact for objectives near 1 in size.
constexpr double kLeastGain = 1e-9;

HighsLp linear_program(const IntegerProgram& program) {
  HighsLp lp;
  lp.num_col_ = static_cast<HighsInt>(program.objective.size());
  lp.num_row_ = static_cast<HighsInt>(program.rows.size());
  lp.sense_ = ObjSense::kMaximize;
  lp.col_cost_ = program.objective;
  lp.col_lower_.assign(program.objective.size(), 0.0);
  lp.col_upper_.assign(program.objective.size(), 1.0);
  lp.a_matrix_.format_ = MatrixFormat::kRowwise;
  for (const ProgramRow& row : program.rows) {
    lp.row_lower_.push_back(std::isfinite(row.lower) ? row.lower : -kHighsInf);
    lp.row_upper_.push_back(std::isfinite(row.upper) ? row.upper : kHighsInf);
    lp.a_matrix_.index_.insert(lp.a_matrix_.index_.end(), row.columns.begin(), row.columns.end());
    lp.a_matrix_.value_.insert(lp.a_matrix_.value_.end(), row.values.begin(), row.values.end());
    lp.a_matrix_.start_.push_back(static_cast<HighsInt>(lp.a_matrix_.index_.size()));
  }
  return lp;
}

// False when HiGHS refuses the program. `seconds` 0: no limit.
bool run(Highs& highs, const HighsLp& lp, double seconds) {
  highs.setOptionValue("output_flag", false);
  highs.setOptionValue("threads", 1);
  highs.setOptionValue("parallel", "off");
  highs.setOptionValue("mip_rel_gap", 0.0);
  highs.setOptionValue("mip_abs_gap", kLeastGain);
  highs.setOptionValue("mip_feasibility_tolerance", 1e-7);
  // Programs are small: simplifying them first and the jump heuristic cost more than they save (measured: both off is 2
  // to 15 times as fast for 10 to 200 documents). Versions that lack an option ignore it.
  highs.setOptionValue("presolve", "off");
  highs.setOptionValue("mip_heuristic_run_feasibility_jump", false);
  if (seconds > 0) highs.setOptionValue("time_limit", seconds);
  return highs.passModel(lp) != HighsStatus::kError && highs.run() != HighsStatus::kError;
}

bool infeasible(const Highs& highs) {
  return highs.getModelStatus() == HighsModelStatus::kInfeasible ||
         highs.getModelStatus() == HighsModelStatus::kUnboundedOrInfeasible;  // and variables are bounded
}

ProgramSolution solve_by_highs(const IntegerProgram& program, double seconds) {
  ProgramSolution out;
  HighsLp lp = linear_program(program);
  Highs relaxation;
  if (!run(relaxation, lp, 0)) return {.status = ProgramStatus::refused};
  if (infeasible(relaxation)) return out;
  out.relaxed = relaxation.getSolution().col_value;
  out.bound = relaxation.getInfo().objective_function_value;
  lp.integrality_.assign(program.objective.size(), HighsVarType::kContinuous);
  std::fill_n(lp.integrality_.begin(), program.integers, HighsVarType::kInteger);
  Highs search;
  if (!run(search, lp, seconds)) return {.status = ProgramStatus::refused};
  if (infeasible(search)) return out;
  const bool optimal = search.getModelStatus() == HighsModelStatus::kOptimal;
  out.status = optimal ? ProgramStatus::optimal : ProgramStatus::limit_reached;
  out.bound = std::min(out.bound, search.getInfo().mip_dual_bound);
  if (search.getInfo().primal_solution_status == kSolutionStatusFeasible) out.values = search.getSolution().col_value;
  return out;
}

}  // namespace
}  // namespace dorm

extern "C" const dorm::ProgramSolver* dorm_program_solver() {
  static const std::string name = std::string("HiGHS ") + highsVersion();
  static const dorm::ProgramSolver solver = {name.c_str(), true, dorm::solve_by_highs};
  return &solver;
}
