#include "wasm/to_val.h"

#include <string>

#include "wasm/session.h"

using emscripten::val;

namespace attention {

val to_array(const std::vector<const char*>& names) {
  val result = val::array();
  for (const char* name : names) result.call<void>("push", std::string(name));
  return result;
}

namespace {

val to_val(const Step& step) {
  const Tensor& tensor = step.tensor;
  val shape = val::array();
  for (int axis = 4 - tensor.rank; axis < 4; ++axis) {
    shape.call<void>("push", static_cast<double>(tensor.shape[static_cast<std::size_t>(axis)]));
  }
  val result = val::object();
  result.set("name", std::string(step.name));
  result.set("dtype", static_cast<int>(tensor.dtype));
  result.set("shape", shape);
  result.set("address", address(tensor.data));
  return result;
}

val to_val(const Cell& cell) {
  if (!cell.step) return val::null();
  val result = val::object();
  result.set("step", std::string(cell.step));
  result.set("batch", static_cast<double>(cell.batch));
  result.set("head", static_cast<double>(cell.head));
  result.set("query", static_cast<double>(cell.query));
  result.set("column", static_cast<double>(cell.column));
  return result;
}

val to_val(const EmptyRow& row) {
  val result = val::object();
  result.set("batch", static_cast<double>(row.batch));
  result.set("head", static_cast<double>(row.head));
  result.set("query", static_cast<double>(row.query));
  result.set("causes", to_array(row.causes));
  return result;
}

val to_val(const RowDiagnostics& row, Index b, Index h, Index i) {
  val result = val::object();
  result.set("batch", static_cast<double>(b));
  result.set("head", static_cast<double>(h));
  result.set("query", static_cast<double>(i));
  result.set("entropy", row.entropy_bits);
  result.set("largestWeight", row.largest_weight);
  result.set("saturated", row.saturated);
  result.set("empty", row.empty);
  return result;
}

}  // namespace

val to_val(const Trace& trace, const Sizes& sizes) {
  val steps = val::array();
  for (const Step& step : trace.steps) steps.call<void>("push", to_val(step));

  const Diagnostics& found = trace.diagnostics;
  val rows = val::array();
  auto row = found.rows.begin();
  for (Index b = 0; b < sizes.batch; ++b) {
    for (Index h = 0; h < sizes.heads; ++h) {
      for (Index i = 0; i < sizes.queries; ++i) rows.call<void>("push", to_val(*row++, b, h, i));
    }
  }
  val empty_rows = val::array();
  for (const EmptyRow& empty : found.empty_rows) empty_rows.call<void>("push", to_val(empty));

  val diagnostics = val::object();
  diagnostics.set("rows", rows);
  diagnostics.set("emptyRows", empty_rows);
  diagnostics.set("firstNonFinite", to_val(found.first_non_finite));
  diagnostics.set("nonFiniteScores", static_cast<double>(found.non_finite_scores));
  diagnostics.set("firstOverflow", to_val(found.first_overflow));
  diagnostics.set("overflows", static_cast<double>(found.overflows));

  val result = val::object();
  result.set("steps", steps);
  result.set("lse", to_val(trace.lse));
  result.set("diagnostics", diagnostics);
  return result;
}

val to_val(const TileRecord& tile) {
  val result = val::object();
  result.set("batch", static_cast<double>(tile.row.batch));
  result.set("head", static_cast<double>(tile.row.head));
  result.set("query", static_cast<double>(tile.row.query));
  result.set("begin", static_cast<double>(tile.begin));
  result.set("end", static_cast<double>(tile.end));
  result.set("scores", val::array(tile.scores));
  result.set("weights", val::array(tile.weights));
  result.set("tileMax", tile.tile_max);
  result.set("rowMax", tile.row_max);
  result.set("rescale", tile.rescale);
  result.set("rowSum", tile.row_sum);
  result.set("output", val::array(tile.output));
  return result;
}

}  // namespace attention
