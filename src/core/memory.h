#pragma once

// Whether data and memory hold what a call asks for. Products of sizes saturate here; only sizes
// that have passed become an Index.

#include <cstdint>
#include <string>

#include "core/attention.h"
#include "core/error.h"
#include "core/tensor.h"

namespace attention {

/// Whether the tensor's elements lie within its data and can be indexed, in memory of so many bytes
/// (0 = the whole address space).
Error check_layout(const Tensor& tensor, const std::string& argument,
                   std::int64_t memory_limit = 0);

/// Whether a call's inputs, results and scratch, and the steps if it is explain(), fit in memory of
/// so many bytes; `total` is what they take.
Error check_memory(const Call& call, Purpose purpose, std::int64_t memory_limit, const Sizes& sizes,
                   int workers, std::int64_t& total);

/// What attend() takes beside inputs and results, whose numbers have so many bytes while it
/// computes.
std::int64_t scratch_bytes(const Call& call, const Sizes& sizes, int workers,
                           std::int64_t number_bytes);

/// The error of a mask whose tables do not fit in so many bytes.
Error mask_too_large(std::int64_t most_bytes);

}  // namespace attention
