#include "core/plain.h"

namespace attention {
namespace {

/// Where in `chosen` each of `count` indices stands; an index may be chosen twice.
std::vector<std::vector<Index>> places(const std::vector<Index>& chosen, Index count) {
  std::vector<std::vector<Index>> result(static_cast<std::size_t>(count));
  for (std::size_t place = 0; place < chosen.size(); ++place) {
    result[static_cast<std::size_t>(chosen[place])].push_back(static_cast<Index>(place));
  }
  return result;
}

template <class Number, class Stored>
void store_row(const Number* from, Index width, const View<Stored>& to, Index b, Index h, Index i) {
  for (Index j = 0; j < width; ++j) to(b, h, i, j) = narrow<Stored>(from[j]);
}

}  // namespace

Info attend_plain(const Call& call, const Plan& plan, const Result& result) {
  const Sizes& sizes = plan.sizes;
  Info info;
  info.path = "plain";
  info.allowed_cells = plan.mask.allowed_cells();
  info.total_cells = count({sizes.batch, sizes.heads, sizes.queries, sizes.keys});
  const auto head_places = places(plan.weight_heads, sizes.heads);
  const auto query_places = places(plan.weight_queries, sizes.queries);

  dispatch(call.query.dtype, [&](auto zero) {
    using Stored = decltype(zero);
    using Number = Compute<Stored>;
    const auto output = view<Stored>(result.output);
    const auto lse = view<Number>(result.lse);
    const auto weights = view<Stored>(result.weights);
    const Storage<Number> storage(call, sizes, 1);
    const RowStages<Number> stage = storage.row(0);
    const Number* returned = stage[stage[Stage::dropped] ? Stage::dropped : Stage::weights];

    PlainPath<Native<Number>> path(call, plan);
    for_rows(plan, [&](const Row& row, Index) {
      const auto [b, h, i, position] = row;
      const Number row_lse = path.run(row, stage);
      if (path.allowed().empty()) ++info.empty_rows;
      if (output.data) store_row(stage[Stage::output], sizes.value_dim, output, b, h, i);
      if (lse.data) lse(0, b, h, i) = row_lse;
      if (!weights.data) return;
      for (const Index head : head_places[static_cast<std::size_t>(h)]) {
        for (const Index query : query_places[static_cast<std::size_t>(i)]) {
          store_row(returned, sizes.keys, weights, b, head, query);
        }
      }
    });
  });
  return info;
}

}  // namespace attention
