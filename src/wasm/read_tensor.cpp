#include <cmath>

#include "core/memory.h"
#include "wasm/read.h"

namespace attention {
namespace {

constexpr double largest_whole = 0x1p53;

bool is_whole(double number) {
  return std::trunc(number) == number && std::abs(number) <= largest_whole;
}

/// Four lengths or strides. What argument they are of is spelled out only where they are wrong.
Error read_axes(std::span<const double> words, const std::string& argument, const char* what,
                Shape& result) {
  for (std::size_t axis = 0; axis < 4; ++axis) {
    const double number = words[axis];
    if (!is_whole(number)) {
      return {"shape", argument,
              argument + "." + what + " must hold whole numbers, not " + to_text(number)};
    }
    result[axis] = static_cast<std::int64_t>(number);
  }
  return {};
}

Error place(const std::string& argument, const Host& host, std::int64_t elements, Tensor& tensor) {
  const auto width = static_cast<std::int64_t>(info(tensor.dtype).bytes);
  const std::int64_t bytes = saturating_product(elements, width);
  tensor.data = host.allocate(bytes);
  if (tensor.data) return {};
  return {"memory", argument,
          argument + " needs " + std::to_string(bytes) +
              " bytes of WebAssembly memory, more than is left"};
}

Error fill(const Value& value, const std::string& argument, const Tensor& tensor) {
  for (std::size_t i = 0; i < value.words.size(); ++i) {
    const double element = value.words[i];
    if (tensor.dtype == DType::float64) {
      static_cast<double*>(tensor.data)[i] = element;
    } else if (tensor.dtype == DType::float32) {
      static_cast<float*>(tensor.data)[i] = static_cast<float>(element);
    } else if (element == 0 || element == 1) {
      static_cast<std::uint8_t*>(tensor.data)[i] = element != 0;
    } else {
      return {"dtype", argument,
              argument + " must hold true and false, or 1 and 0, not " + to_text(element) +
                  "; numbers to add to the scores are the option bias"};
    }
  }
  return {};
}

}  // namespace

Error wrong_type(const std::string& argument, const char* expected, const Value& value) {
  return {"type", argument, argument + " must be " + expected + ", not " + text(value)};
}

Error read_whole(double number, const std::string& argument, std::int64_t& result) {
  if (is_whole(number)) {
    result = static_cast<std::int64_t>(number);
    return {};
  }
  return {"type", argument, argument + " must be whole numbers up to 2⁵³, not " + to_text(number)};
}

Error read_wholes(std::span<const double> numbers, const std::string& argument,
                  std::vector<std::int64_t>& result) {
  result.reserve(numbers.size());
  for (std::size_t at = 0; at < numbers.size(); ++at) {
    if (Error error = read_whole(numbers[at], argument, result.emplace_back())) {
      error.message.insert(argument.size(), sentence("[", at, "]"));
      return error;
    }
  }
  return {};
}

std::int64_t reach(const Tensor& tensor) {
  if (tensor.size() == 0) return 0;
  std::int64_t last = 0;
  for (std::size_t axis = 0; axis < 4; ++axis) {
    const std::int64_t steps = tensor.shape[axis] - 1;
    if (steps > 0) last = saturating_sum(last, saturating_product(steps, tensor.strides[axis]));
  }
  return saturating_sum(last, 1);
}

Error read_tensor(const Value& value, const std::string& argument, Tensor& tensor) {
  if (value.tag != Tag::tensor) {
    Error error = wrong_type(argument, "a tensor { shape, data }", value);
    if (value.tag == Tag::numbers) error.message += "; tensor() makes one of nested arrays";
    return error;
  }
  const std::span<const double> words = value.words;
  const double dtype = words[1];
  const double rank = words[2];
  if (!(rank >= 0 && rank <= 4)) {
    return {"rank", argument, argument + " has rank " + to_text(rank) + "; give at most 4"};
  }
  if (!(dtype >= 0 && dtype < static_cast<double>(dtypes.size()))) {
    return {"dtype", argument, argument + " has no dtype"};
  }
  tensor.dtype = static_cast<DType>(dtype);
  tensor.rank = static_cast<int>(rank);
  Error error = read_axes(words.subspan(3, 4), argument, "shape", tensor.shape);
  tensor.strided = words[7] != 0;
  if (!tensor.strided) {
    tensor.strides = row_major(tensor.shape);
  } else if (!error) {
    error = read_axes(words.subspan(8, 4), argument, "strides", tensor.strides);
  }
  if (error) return error;
  if (!is_whole(words[12])) return {"data", argument, argument + " has data without a length"};
  tensor.length = static_cast<std::int64_t>(words[12]);
  return {};
}

Error read_placed_tensor(const Value& value, const std::string& argument, DType nested,
                         const Host& host, Tensor& tensor) {
  if (value.tag == Tag::tensor) {
    if (Error error = read_tensor(value, argument, tensor)) return error;
    if (Error error = check_layout(tensor, argument)) return error;
    if (Error error = place(argument, host, reach(tensor), tensor)) return error;
    const auto address = reinterpret_cast<std::uintptr_t>(tensor.data);
    value.words[tensor_address] = static_cast<double>(address);
    return {};
  }
  const std::size_t rank = value.shape.size();
  if (rank > 4) {
    return {"rank", argument, argument + " has rank " + std::to_string(rank) + "; give at most 4"};
  }
  tensor.dtype = nested;
  tensor.rank = static_cast<int>(rank);
  for (std::size_t axis = 0; axis < rank; ++axis) tensor.shape[4 - rank + axis] = value.shape[axis];
  tensor.strides = row_major(tensor.shape);
  if (Error error = place(argument, host, tensor.size(), tensor)) return error;
  return fill(value, argument, tensor);
}

}  // namespace attention
