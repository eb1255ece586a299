#pragma once

// Results that are objects in JavaScript: those for which time does not matter. Tensors among them
// say where they are in memory, { name, dtype, shape, address }, and are copied from there.

#include <emscripten/val.h>

#include <vector>

#include "core/attention.h"

namespace attention {

/// { steps, lse, diagnostics }
emscripten::val to_val(const Trace& trace, const Sizes& sizes);

emscripten::val to_val(const TileRecord& tile);

/// An array of strings.
emscripten::val to_array(const std::vector<const char*>& names);

}  // namespace attention
