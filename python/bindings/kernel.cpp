// SPDX-License-Identifier: Apache-2.0
// A Python function as a kernel.
#include "dorm/learning/kernel.h"

#include <fmt/format.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include <algorithm>

#include "arrays.h"
#include "bindings.h"
#include "dorm/error.h"

namespace dorm::python {
namespace {

using namespace nb::literals;

using View = nb::ndarray<nb::numpy, const float, nb::ndim<2>>;
using Result = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

nb::object view_of(const DenseBlock& block) {
  const auto nothing = nb::capsule(&block, [](void*) noexcept {});  // valid during the call only
  return nb::cast(View(block.data, {block.rows, block.features}, nothing));
}

/// Kept by the kernel, called from its threads one at a time; the interpreter lock is taken for each call.
class Callback {
 public:
  explicit Callback(nb::object function) : function_(std::make_shared<Held>(std::move(function))) {}

  void operator()(const DenseBlock& left, const DenseBlock& right, float* out) const {
    const nb::gil_scoped_acquire lock;
    const Result values = nb::cast<Result>(function_->object(view_of(left), view_of(right)));
    if (values.shape(0) != left.rows || values.shape(1) != right.rows)
      throw Error(ErrorCode::bad_input,
                  fmt::format("the kernel function returned a matrix of {} x {} for {} and {} documents; expected "
                              "one row per document of its first argument, one column per document of its second",
                              values.shape(0), values.shape(1), left.rows, right.rows));
    std::copy_n(values.data(), values.size(), out);
  }

 private:
  /// Released with the lock held, whichever thread lets go last.
  struct Held {
    explicit Held(nb::object given) : object(std::move(given)) {}
    ~Held() {
      const nb::gil_scoped_acquire lock;
      object.reset();
    }
    nb::object object;
  };
  std::shared_ptr<Held> function_;
};

}  // namespace

void bind_kernel(nb::module_& module) {
  nb::class_<Kernel>(module, "Kernel").def_prop_ro("spec", &Kernel::spec);
  module.def(
      "function_kernel",
      [](nb::object function, std::string name) {
        return nb::cast(const_cast<Kernel*>(function_kernel(Callback(std::move(function)), std::move(name)).release()),
                        nb::rv_policy::take_ownership);
      },
      "function"_a, "name"_a);
}

}  // namespace dorm::python
