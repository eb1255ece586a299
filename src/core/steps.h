#pragma once

// The stages of the formula, in order: their names are those of explain()'s steps.

#include <array>
#include <cstddef>

#include "core/options.h"
#include "core/tensor.h"

namespace attention {

enum class Stage {
  scores,
  scaled,
  capped,
  biased,
  masked,
  row_max,
  exponentials,
  row_sum,
  weights,
  dropped,
  output
};

/// The axis along which a stage's rows run, one row for each [B, H, T].
enum class Axis { keys, value_dim, none };

/// Numbers in a row that runs along the axis.
inline Index width(Axis axis, const Sizes& sizes) {
  return axis == Axis::keys ? sizes.keys : axis == Axis::value_dim ? sizes.value_dim : 1;
}

struct StageInfo {
  const char* name;  ///< as callers see it
  Axis axis;
  const char* option;  ///< the option without which there is no such step; "" = always there
  const char* doc;
};

inline constexpr std::array<StageInfo, 11> stages = {{
    {"scores", Axis::keys, "", "Q·Kᵀ: the dot product of each query with each key, masked or not."},
    {"scaled", Axis::keys, "", "scores × scale."},
    {"capped", Axis::keys, "softcap", "softcap · tanh(scaled / softcap)."},
    {"biased", Axis::keys, "bias or alibi", "+ bias, − slope · |position − j|."},
    {"masked", Axis::keys, "", "−∞ where the mask does not allow the key."},
    {"rowMax", Axis::none, "", "The largest of each row, and of the sink if there is one."},
    {"exponentials", Axis::keys, "", "e^(masked − rowMax); 0 where not allowed."},
    {"rowSum", Axis::none, "", "The sum of each row's exponentials, the sink's included."},
    {"weights", Axis::keys, "", "exponentials / rowSum; 0 where not allowed."},
    {"dropped", Axis::keys, "dropout", "weights, some set to 0 and the others divided by 1 − p."},
    {"output", Axis::value_dim, "", "The sum of the values, each times its weight."},
}};

inline constexpr const StageInfo& info(Stage stage) {
  return stages[static_cast<std::size_t>(stage)];
}

/// Whether a call with these options has the stage.
inline bool has_stage(const Options& options, Stage stage) {
  switch (stage) {
    case Stage::capped:
      return options.softcap > 0;
    case Stage::biased:
      return options.bias || options.alibi.kind != Alibi::off;
    case Stage::dropped:
      return options.dropout.has_value();
    default:
      return true;
  }
}

}  // namespace attention
