#pragma once

// The options of a call. The table below is what crosses the border: the bindings read it,
// describe() prints it, the TypeScript declarations are generated from it.

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "core/mask.h"
#include "core/tensor.h"

namespace attention {

/// Place of query 0 on the key axis: unsaid, a corner, a number, or a number for each batch
/// element.
struct Start {
  enum Corner { unsaid, top_left, bottom_right, numbers };
  Corner corner = unsaid;
  std::vector<std::int64_t> values;  ///< one, or one for each batch element, when corner is numbers
};

/// Slopes of ALiBi: off, the paper's, [H] or [B][H].
struct Alibi {
  enum Kind { off, paper, slopes };
  Kind kind = off;
  int rank = 1;
  std::vector<double> values;
};

/// Each weight is dropped with probability p, kept ones are divided by 1 − p.
struct Dropout {
  double p = 0;
  std::uint64_t seed = 0;
};

struct Returns {
  bool lse = true;
  bool weights = false;
};

/// Which rows of the weights are returned; unsaid means all.
struct WeightsFor {
  std::optional<std::vector<std::int64_t>> heads;
  std::optional<std::vector<std::int64_t>> queries;
};

struct Options {
  std::optional<double> scale;
  double softcap = 0;
  std::vector<Rule> mask;
  Start start;
  std::optional<Tensor> bias;
  Alibi alibi;
  std::optional<std::vector<double>> sinks;
  std::optional<Dropout> dropout;
  Returns returns;
  WeightsFor weights_for;

  /// The sink of head h; −∞ is none.
  double sink(Index h) const {
    return sinks ? (*sinks)[static_cast<std::size_t>(h)] : -std::numeric_limits<double>::infinity();
  }
};

using OptionMember =
    std::variant<std::optional<double> Options::*, double Options::*, std::vector<Rule> Options::*,
                 Start Options::*, std::optional<Tensor> Options::*, Alibi Options::*,
                 std::optional<std::vector<double>> Options::*, std::optional<Dropout> Options::*,
                 Returns Options::*, WeightsFor Options::*>;

struct OptionField {
  const char* name;
  OptionMember member;
  const char* typescript;
  const char* fallback;  ///< the default, as documented
  const char* doc;
};

inline constexpr std::array<OptionField, 10> option_fields = {{
    {"scale", &Options::scale, "number", "1/√d_k",
     "Factor on every score: any finite number, 0 and negatives included."},
    {"softcap", &Options::softcap, "number", "0 (off)",
     "s ← softcap·tanh(s/softcap), after the scale, before bias and mask."},
    {"mask", &Options::mask, "MaskRule | readonly MaskRule[]", "none",
     "A rule or a list of rules; a query reads a key only where every rule allows it."},
    {"start", &Options::start, "'top-left' | 'bottom-right' | number | Numbers", "0 when T = S",
     "Place of query 0 on the key axis: query i stands at position i + start. top-left is 0, "
     "bottom-right is S − T; a list gives one for each batch element. Must be said when T ≠ S and "
     "a "
     "rule or option uses positions."},
    {"bias", &Options::bias, "Tensor | Nested<number>", "none",
     "Added to the scores; broadcasts to [B, H, T, S], aligned right, without being expanded. −∞ "
     "means not allowed."},
    {"alibi", &Options::alibi, "true | Numbers | readonly Numbers[]", "off",
     "Bias −slope·|position − j|: true for the paper's slopes, or slopes [H] or [B][H]."},
    {"sinks", &Options::sinks, "Numbers", "none",
     "One extra logit for each head in the softmax's denominator; not scaled, capped or masked."},
    {"dropout", &Options::dropout, "{ p: number; seed: number | bigint }", "none",
     "Drops each weight with probability p and divides the others by 1 − p. The pattern depends "
     "only on the seed and the cell."},
    {"returns", &Options::returns, "readonly ('lse' | 'weights')[]", "['lse']",
     "What to return beside the output. Weights are [B, H, T, S], after dropout."},
    {"weightsFor", &Options::weights_for, "{ heads?: Numbers; queries?: Numbers }", "all",
     "Limits the weights returned to these heads and queries."},
}};

}  // namespace attention
