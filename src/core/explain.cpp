// explain(): the plain path with every stage kept, and what there is to say about it.

#include <cmath>
#include <utility>

#include "core/plain.h"

namespace attention {
namespace {

template <class Number>
Step make_step(const char* name, Shape shape, int rank, std::shared_ptr<std::vector<Number>> data) {
  Tensor tensor;
  tensor.data = data->data();
  tensor.dtype = std::is_same_v<Number, double> ? DType::float64 : DType::float32;
  tensor.rank = rank;
  tensor.shape = shape;
  tensor.strides = row_major(shape);
  tensor.length = static_cast<std::int64_t>(data->size());
  return {name, tensor, std::move(data)};
}

/// Gathers the diagnostics while the rows pass in order.
template <class Arithmetic>
class Diagnosis {
  using Path = PlainPath<Arithmetic>;
  using Number = typename Arithmetic::Number;

 public:
  Diagnosis(const Options& options, const Plan& plan, Index rows) : options_(options), plan_(plan) {
    result_.rows.reserve(static_cast<std::size_t>(rows));
  }

  void add(const Path& path, const Row& row, const RowStages<Number>& stage) {
    RowDiagnostics& diagnosis = result_.rows.emplace_back();
    diagnosis.empty = path.allowed().empty();
    if (diagnosis.empty) {
      result_.empty_rows.push_back({row.batch, row.head, row.query, causes(path, row)});
      return;
    }
    weigh(path, stage[Stage::weights], diagnosis);
    find_non_finite(path, row, stage);
  }

  Diagnostics finish() {
    result_.first_non_finite = earliest(non_finite_);
    result_.first_overflow = earliest(overflow_);
    return std::move(result_);
  }

 private:
  using Cells = std::array<Cell, stages.size()>;  ///< the first of each stage

  std::vector<const char*> causes(const Path& path, const Row& row) const {
    std::vector<RuleRow> sources = plan_.mask.rule_rows(row.batch, row.head, row.query);
    if (options_.bias) sources.push_back({"bias", path.bias_ranges()});
    const KeyRanges all = {{0, plan_.sizes.keys}};
    std::vector<const char*> alone, together;
    for (const RuleRow& source : sources) {
      if (source.ranges.empty()) alone.push_back(source.kind);
      if (source.ranges != all) together.push_back(source.kind);
    }
    return plan_.sizes.keys == 0 ? std::vector<const char*>() : alone.empty() ? together : alone;
  }

  static void weigh(const Path& path, const Number* weights, RowDiagnostics& diagnosis) {
    Index keys = 0;
    path.for_allowed([&](Index j) {
      const double weight = weights[j];
      ++keys;
      if (weight != 0) diagnosis.entropy_bits -= weight * std::log2(weight);
      if (weight > diagnosis.largest_weight || std::isnan(weight)) {
        diagnosis.largest_weight = weight;
      }
    });
    diagnosis.saturated = keys > 1 && diagnosis.largest_weight == 1;
  }

  void find_non_finite(const Path& path, const Row& row, const RowStages<Number>& stage) {
    path.for_allowed([&](Index j) {
      bool finite = true;
      for (const Stage s : {Stage::scores, Stage::scaled, Stage::capped, Stage::biased}) {
        if (!stage[s] || std::isfinite(stage[s][j])) continue;
        finite = false;
        note(non_finite_, s, row, j);
        if (path.inputs_finite(row, j)) note(overflow_, s, row, j);
      }
      if (finite) return;
      ++result_.non_finite_scores;
      if (path.inputs_finite(row, j)) ++result_.overflows;
    });
    for (const Stage s : {Stage::row_max, Stage::row_sum}) {
      if (!std::isfinite(*stage[s])) note(non_finite_, s, row, 0);
    }
    for (const Stage s : {Stage::masked, Stage::exponentials, Stage::weights, Stage::dropped}) {
      if (!stage[s]) continue;
      path.for_allowed([&](Index j) {
        if (!std::isfinite(stage[s][j])) note(non_finite_, s, row, j);
      });
    }
    for (Index c = 0; c < plan_.sizes.value_dim; ++c) {
      if (!std::isfinite(stage[Stage::output][c])) note(non_finite_, Stage::output, row, c);
    }
  }

  static void note(Cells& cells, Stage stage, const Row& row, Index column) {
    Cell& cell = cells[static_cast<std::size_t>(stage)];
    if (!cell.step) cell = {info(stage).name, row.batch, row.head, row.query, column};
  }

  static Cell earliest(const Cells& cells) {
    for (const Cell& cell : cells) {
      if (cell.step) return cell;
    }
    return {};
  }

  const Options& options_;
  const Plan& plan_;
  Diagnostics result_;
  Cells non_finite_, overflow_;
};

template <class Arithmetic>
Trace trace(const Call& call, const Plan& plan) {
  using Number = typename Arithmetic::Number;
  const Sizes& sizes = plan.sizes;
  const Index rows = sizes.batch * sizes.heads * sizes.queries;
  const Storage<Number> storage(call, sizes, rows);
  const auto lse = std::make_shared<std::vector<Number>>(static_cast<std::size_t>(rows));
  PlainPath<Arithmetic> path(call, plan);
  Diagnosis<Arithmetic> diagnosis(call.options, plan, rows);
  Trace result;
  for_rows(plan, [&](const Row& row, Index number) {
    const RowStages<Number> stage = storage.row(number);
    (*lse)[static_cast<std::size_t>(number)] = path.run(row, stage);
    diagnosis.add(path, row, stage);
  });
  result.diagnostics = diagnosis.finish();

  const int rank = call.query.rank;
  const Shape per_row = {1, sizes.batch, sizes.heads, sizes.queries};
  for (std::size_t s = 0; s < stages.size(); ++s) {
    if (!storage[s]) continue;
    const Axis axis = stages[s].axis;
    const Shape shape = {sizes.batch, sizes.heads, sizes.queries,
                         axis == Axis::keys ? sizes.keys : sizes.value_dim};
    result.steps.push_back(axis == Axis::none
                               ? make_step(stages[s].name, per_row, rank - 1, storage[s])
                               : make_step(stages[s].name, shape, rank, storage[s]));
  }
  result.lse = make_step("lse", per_row, rank - 1, lse);
  return result;
}

}  // namespace

Explanation explain(const Call& call, const Plan& plan) {
  const DType dtype = call.query.dtype;
  if (dtype == DType::float64) return {trace<Native<double>>(call, plan), {}};
  Explanation result{trace<Native<float>>(call, plan), {}};
  if (dtype == DType::float16) result.unwidened = trace<Narrow<Float16>>(call, plan);
  if (dtype == DType::bfloat16) result.unwidened = trace<Narrow<BFloat16>>(call, plan);
  return result;
}

}  // namespace attention
