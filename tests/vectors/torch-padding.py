"""Records what PyTorch makes of a padded batch, for the tests of the page (web/figures/torch-padding.json).

The batch is the page's cross-attention example twice, in float64: the first sequence has padding in its
last two keys, the second is all padding. Of the second only NaN comes, so only the first is recorded.

    python3 tests/vectors/torch-padding.py > web/figures/torch-padding.json
"""

import json
import pathlib

import torch

example = pathlib.Path(__file__).parents[2] / "web/examples/cross-attention.json"
inputs = json.loads(example.read_text())["inputs"]
query, key, value = (
    torch.tensor([inputs[name]] * 2, dtype=torch.float64) for name in ("query", "key", "value")
)
padding = torch.tensor([[0, 0, 0, 1, 1], [1, 1, 1, 1, 1]], dtype=torch.bool)

# Identity matrices for the projections, so that only the attention is left. Values of width 3 come out
# 4 wide, with a zero behind them.
attention = torch.nn.MultiheadAttention(
    4, 1, bias=False, kdim=4, vdim=3, batch_first=True, dtype=torch.float64
)
with torch.no_grad():
    for name in ("q_proj_weight", "k_proj_weight", "v_proj_weight"):
        weight = getattr(attention, name)
        weight.copy_(torch.eye(*weight.shape))
    attention.out_proj.weight.copy_(torch.eye(4))
    output, weights = attention(query, key, value, key_padding_mask=padding)

assert output[1].isnan().all()
recorded = {
    "program": "PyTorch " + ".".join(torch.__version__.split(".")[:2]),
    "output": output[0, :, :3].tolist(),
    "weights": weights[0].tolist(),
}
print(json.dumps(recorded, indent=2))
