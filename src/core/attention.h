#pragma once

// Scaled dot-product attention: the public interface of the core, and its manual.
//
//   query  [B, H,    T, d_k]   key [B, H_kv, S, d_k]   value [B, H_kv, S, d_v]
//   output [B, H,    T, d_v]   lse [B, H, T]           weights [B, H, T, S]
//
// H is a multiple of H_kv; query head h reads key/value head ⌊h / (H/H_kv)⌋. Always in this order:
//
//   scores = Q·Kᵀ → × scale → softcap → + bias, + ALiBi → −∞ where the mask does not allow
//          → softmax (sinks join its denominator) → dropout → · V
//
// A query with no allowed key (decided from the mask and −∞ in the bias, never from scores) has
// output 0, weights 0 and lse −∞, or the sink's logit where there is one. A key that is not allowed
// is never read into the result. float16 and bfloat16 are widened to float32 before the dot product
// and rounded back once, at the end.

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/dropout.h"
#include "core/error.h"
#include "core/mask.h"
#include "core/options.h"
#include "core/steps.h"
#include "core/tensor.h"
#include "core/watch.h"

namespace attention {

class ThreadPool;

/// The tensors and options of one call, as the caller gave them.
struct Call {
  Tensor query;
  Tensor key;
  Tensor value;
  Options options;
};

/// A call that has passed check(): sizes, defaults filled in, the mask compiled.
struct Plan {
  Sizes sizes;
  double scale = 1;
  Mask mask;
  std::vector<double> slopes;       ///< ALiBi's, [H] or [B, H]; empty = off
  std::vector<Index> weight_heads;  ///< heads whose weights are returned, in the caller's order
  std::vector<Index>
      weight_queries;      ///< queries whose weights are returned; both empty if none are
  std::int64_t bytes = 0;  ///< memory needed: inputs, results, steps, scratch, mask

  /// ALiBi's slope of head h; only where slopes are not empty.
  double slope(Index b, Index h) const {
    const bool by_batch = slopes.size() > static_cast<std::size_t>(sizes.heads);
    return slopes[static_cast<std::size_t>(by_batch ? b * sizes.heads + h : h)];
  }
};

/// What a call is checked for: explain() needs memory for every step, a mask by itself only for
/// its tables.
enum class Purpose { attend, explain, mask };

/// Checks everything about a call before any work or allocation and fills in the plan.
/// `memory_limit` is what the address space can give, in bytes (0 = no limit), `workers` how many
/// threads attend() will have. Data is not read here, except by dense mask rules, which are
/// run-length coded.
/// Decided here: d_k = 0 needs a scale (1/√0 is infinite); d_v = 0, T = 0, S = 0, B = 0, H = 0 are
/// fine; a sink of −∞ is no sink; a bias has the inputs' dtype, or float32 beside float16 and
/// bfloat16.
Error check(const Call& call, Purpose purpose, std::int64_t memory_limit, Plan& plan,
            int workers = 1);

/// Where attend() writes. `output` and `weights` have the inputs' dtype; lse is float64 for float64
/// inputs and float32 otherwise. A null data pointer means: not wanted.
struct Result {
  Tensor output;   ///< [B, H, T, d_v]
  Tensor lse;      ///< [1, B, H, T]
  Tensor weights;  ///< [B, heads asked for, queries asked for, S]
  /// The rows of [B·H·T] that attend() computes and writes, others being done elsewhere: all unless
  /// said, and all where weights are wanted.
  Index first_row = 0, end_row = std::numeric_limits<Index>::max();
};

struct Info {
  std::int64_t empty_rows = 0;     ///< rows left without a key by the mask or by −∞ in the bias
  std::int64_t allowed_cells = 0;  ///< by the mask's rules; −∞ in the bias is not counted here
  std::int64_t total_cells = 0;    ///< B·H·T·S
  std::int64_t tiles_skipped = 0;
  std::int64_t tiles_total = 0;
  const char* path = "";  ///< which algorithm ran: "tiled", "decode", "plain"
  int threads = 1;
  bool stopped = false;  ///< by whoever watched it; the results are incomplete
};

/// The fast path: tiled, online softmax, no memory of size T×S.
///   Error: about that of the plain path, never more than twice (tested).
///   Memory beyond inputs and results: for each thread the queries and outputs of a block (64 rows
///   of float32) and one tile; and where few blocks are split over threads, an output for each 1024
///   keys. The bits of a row depend on its query, keys, values and options alone: not on threads,
///   nor on the other rows of the call.
Info attend(const Call& call, const Plan& plan, const Result& result, ThreadPool& pool,
            const Watch& watch = {});

/// One stage of the plain path, row-major, in the type it was computed in.
struct Step {
  const char* name;
  Tensor tensor;
  std::shared_ptr<const void> storage;  ///< what `tensor` points into
};

/// A cell [batch, head, query, column] of a step; column is 0 for steps [B, H, T].
struct Cell {
  const char* step = nullptr;  ///< null: there is none
  Index batch = 0, head = 0, query = 0, column = 0;
};

struct RowDiagnostics {
  double entropy_bits = 0;    ///< of the weights before dropout
  double largest_weight = 0;  ///< before dropout
  bool empty = false;         ///< no allowed key
  bool saturated = false;     ///< one of several keys has a weight of exactly 1
};

/// A query with no allowed key.
struct EmptyRow {
  Index batch = 0, head = 0, query = 0;
  /// The mask rules, or "bias", that forbid every key by themselves; if none does, all that forbid
  /// some. Nothing where there are no keys.
  std::vector<const char*> causes;
};

/// Only allowed cells count: what stands behind the mask cannot reach the result.
struct Diagnostics {
  std::vector<RowDiagnostics> rows;  ///< [B, H, T]
  std::vector<EmptyRow> empty_rows;
  Cell first_non_finite;               ///< in the order of the steps, then of the cells
  std::int64_t non_finite_scores = 0;  ///< cells that are not finite in a step up to `masked`
  Cell first_overflow;                 ///< as first_non_finite, among the overflows
  std::int64_t overflows = 0;          ///< non-finite scores made from finite numbers
};

/// One run of the plain path.
struct Trace {
  std::vector<Step> steps;  ///< in the order of the formula
  Step lse;                 ///< [B, H, T]
  Diagnostics diagnostics;
};

struct Explanation : Trace {
  /// For float16 and bfloat16 inputs: what their own arithmetic would have given, with every
  /// intermediate number rounded to the type instead of widened before the dot product.
  std::optional<Trace> unwidened;
};

/// The plain path: the formula stage by stage, every stage kept, in the shapes of core/steps.h.
/// `scores` up to `biased` show what there is behind the mask too, NaN included; from `masked` on
/// it is −∞, then 0. A query with no allowed key: rowMax −∞ (the sink's logit where there is one),
/// rowSum 0 (1), weights and output 0.
/// Memory: O(B·H·T·S), twice for float16 and bfloat16. Error: sums are taken in order, so about
/// d_k roundings in a score and S in a row's sum and output.
/// Source: Vaswani et al. 2017, "Attention is all you need", section 3.2.
Explanation explain(const Call& call, const Plan& plan);

/// The plain path without its record, into the same places as attend(): what attend() must equal.
/// Memory: one row of every stage, and 16-bit inputs widened. Error: as explain(), and the rounding
/// to the inputs' dtype.
Info attend_plain(const Call& call, const Plan& plan, const Result& result);

/// The tables of options, mask kinds, dtypes and steps, as JSON.
std::string describe();

}  // namespace attention
