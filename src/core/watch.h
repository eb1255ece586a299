#pragma once

// Watching a call while it runs: for progress bars, for stopping it, for showing how it works.

#include <functional>
#include <vector>

#include "core/mask.h"

namespace attention {

/// Keys of a tile. A tile of keys and values of width 64 is 32 KiB: it stays in the first cache
/// while all panels of a block use it.
inline constexpr Index default_tile_keys = 64;

/// What one tile did to one row: the step of the online softmax, in the kernel's own numbers.
struct TileRecord {
  Row row;
  Index begin, end;             ///< the tile's keys, of those that the panel reads
  std::vector<double> scores;   ///< of these keys, masked
  std::vector<double> weights;  ///< e^(score − row_max), after dropout
  double tile_max;
  double row_max;              ///< of all keys so far
  double rescale;              ///< e^(row_max before − row_max): what the earlier sums shrink by
  double row_sum;              ///< Σ e^(score − row_max) of all keys so far
  std::vector<double> output;  ///< Σ weight·value of all keys so far, not yet divided by row_sum
};

/// All of it may be left out, and then costs nothing.
struct Watch {
  /// Told on the caller's thread, after each piece of work of some milliseconds, which share of the
  /// call is done. False stops the call; its results are then incomplete.
  std::function<bool(double share)> progress;
  /// Told every tile of every row; the call then runs on the caller's thread alone. Keys are merged
  /// in chunks of 16 tiles, whose rows start anew.
  std::function<void(const TileRecord&)> tile;
  /// Where the inputs arrive during the work: brings the next heads of [B·H_kv], keys, values and
  /// the queries that read them, and returns how many have come by now. Called on the caller's
  /// thread: until all have come, where other threads work on what is there; else as they are
  /// needed. Left out: all are there.
  std::function<Index()> more_heads;
  /// Told on the caller's thread, between pieces of its work, how many rows of the output [B·H·T],
  /// from the first, are written for good: they can be taken away while the rest is computed. Only
  /// when all inputs have come, and seldom of the last rows.
  std::function<void(Index rows)> rows_done;
  /// Other sizes show more steps of a small example; they can change the last bits of results.
  Index tile_keys = default_tile_keys;
};

}  // namespace attention
