// Calls of the core for tests to make: owned inputs in any dtype, owned results.
#pragma once

#include <algorithm>
#include <deque>
#include <string>
#include <vector>

#include "core/attention.h"
#include "reference.h"

namespace attention {

/// Keeps the arrays of the tensors that it makes.
class Arrays {
 public:
  /// A row-major tensor of 1 to 4 axes with room for its elements.
  Tensor make(DType dtype, const std::vector<std::int64_t>& shape) {
    Tensor tensor;
    tensor.dtype = dtype;
    tensor.rank = static_cast<int>(shape.size());
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      tensor.shape[4 - shape.size() + axis] = shape[axis];
    }
    tensor.strides = row_major(tensor.shape);
    tensor.length = tensor.size();
    arrays_.emplace_back(static_cast<std::size_t>(tensor.length) * info(dtype).bytes);
    tensor.data = arrays_.back().data();
    return tensor;
  }

  /// The same with numbers, rounded to the dtype.
  Tensor make(DType dtype, const std::vector<std::int64_t>& shape,
              const std::vector<double>& numbers) {
    const Tensor tensor = make(dtype, shape);
    dispatch(dtype, [&](auto zero) {
      using Stored = decltype(zero);
      for (std::size_t n = 0; n < numbers.size(); ++n) {
        static_cast<Stored*>(tensor.data)[n] =
            narrow<Stored>(static_cast<Compute<Stored>>(numbers[n]));
      }
    });
    return tensor;
  }

 private:
  std::deque<std::vector<unsigned char>> arrays_;
};

/// The elements of a float tensor in row-major order.
inline std::vector<double> numbers(const Tensor& tensor) {
  std::vector<double> result;
  dispatch(tensor.dtype, [&](auto zero) {
    const auto cells = view<const decltype(zero)>(tensor);
    for (Index b = 0; b < cells.shape[0]; ++b)
      for (Index h = 0; h < cells.shape[1]; ++h)
        for (Index i = 0; i < cells.shape[2]; ++i)
          for (Index j = 0; j < cells.shape[3]; ++j) result.push_back(widen(cells(b, h, i, j)));
  });
  return result;
}

/// A bool tensor.
inline Tensor make_bools(const std::vector<std::int64_t>& shape, const std::vector<int>& bools,
                         Arrays& arrays) {
  const Tensor tensor = arrays.make(DType::boolean, shape);
  std::copy(bools.begin(), bools.end(), static_cast<unsigned char*>(tensor.data));
  return tensor;
}

/// The inputs of a reference case as a call. The numbers of the case become those of the dtype, so
/// that both compute from the same.
inline Call make_call(reference::Case& c, DType dtype, Arrays& arrays) {
  Call call;
  call.query = arrays.make(dtype, {c.batch, c.heads, c.queries, c.head_dim}, c.query);
  call.key = arrays.make(dtype, {c.batch, c.kv_heads, c.keys, c.head_dim}, c.key);
  call.value = arrays.make(dtype, {c.batch, c.kv_heads, c.keys, c.value_dim}, c.value);
  c.query = numbers(call.query);
  c.key = numbers(call.key);
  c.value = numbers(call.value);
  call.options.scale = c.scale;
  call.options.softcap = c.softcap;
  if (!c.sinks.empty()) call.options.sinks = c.sinks;
  return call;
}

/// Room for everything that a checked call returns.
inline Result make_result(const Call& call, const Plan& plan, Arrays& arrays) {
  const Sizes& n = plan.sizes;
  const DType dtype = call.query.dtype;
  Result result;
  result.output = arrays.make(dtype, {n.batch, n.heads, n.queries, n.value_dim});
  result.lse = arrays.make(dtype == DType::float64 ? DType::float64 : DType::float32,
                           {1, n.batch, n.heads, n.queries});
  if (call.options.returns.weights) {
    result.weights = arrays.make(dtype, {n.batch, static_cast<Index>(plan.weight_heads.size()),
                                         static_cast<Index>(plan.weight_queries.size()), n.keys});
  }
  return result;
}

/// The step of this name, or null.
inline const Step* find_step(const Trace& trace, const std::string& name) {
  for (const Step& step : trace.steps) {
    if (step.name == name) return &step;
  }
  return nullptr;
}

}  // namespace attention
