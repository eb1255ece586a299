// The graphs that onnxruntime-web runs, written as ONNX's protocol buffers (onnx.proto).

/** One field: a varint for whole numbers, fixed 32 bits for { float }, else length and bytes. */
function field(number, value) {
  if (typeof value === 'number') return [...varint(number << 3), ...varint(value)];
  if (value.float !== undefined) {
    return [
      ...varint((number << 3) | 5),
      ...new Uint8Array(new Float32Array([value.float]).buffer),
    ];
  }
  const bytes = typeof value === 'string' ? new TextEncoder().encode(value) : value;
  return [...varint((number << 3) | 2), ...varint(bytes.length), ...bytes];
}

function varint(value) {
  const bytes = [];
  for (; value > 127; value >>>= 7) bytes.push((value & 127) | 128);
  return [...bytes, value];
}

const attribute = {
  float: (name, value) => [...field(1, name), ...field(2, { float: value }), ...field(20, 1)],
  int: (name, value) => [...field(1, name), ...field(3, value), ...field(20, 2)],
  ints: (name, values) => [
    ...field(1, name),
    ...values.flatMap((value) => field(8, value)),
    ...field(20, 7),
  ],
};

const node = (type, inputs, output, ...attributes) => [
  ...inputs.flatMap((input) => field(1, input)),
  ...field(2, output),
  ...field(4, type),
  ...attributes.flatMap((one) => field(5, one)),
];

const float = 1; // TensorProto.DataType

/** A value of rank 4 whose axes may have any length. */
function valueInfo(name) {
  const axes = ['a', 'b', 'c', 'd'].map((axis) => field(1, field(2, `${name}_${axis}`)));
  const tensorType = [...field(1, float), ...field(2, axes.flat())];
  return [...field(1, name), ...field(2, field(1, tensorType))];
}

const scalar = (name, value) => [
  ...field(2, float),
  ...field(4, { float: value }),
  ...field(8, name),
];

function model(nodes, inputs, initializers = []) {
  const graph = [
    ...nodes.flatMap((one) => field(1, one)),
    ...field(2, 'attention'),
    ...initializers.flatMap((one) => field(5, one)),
    ...inputs.flatMap((name) => field(11, valueInfo(name))),
    ...field(12, valueInfo('output')),
  ];
  const opset = [...field(1, ''), ...field(2, 23)];
  return Uint8Array.from([...field(1, 10), ...field(7, graph), ...field(8, opset)]);
}

/** `inputs` that are no inputs any more but known beforehand: name → { data, shape }. */
export function withConstants(model, constants) {
  const parts = [model];
  for (const [name, { data, shape }] of Object.entries(constants)) {
    const raw = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    const open = (number, length) => [...varint((number << 3) | 2), ...varint(length)];
    const tensor = [...shape.flatMap((length) => field(1, length)), ...field(2, float)];
    tensor.push(...field(8, name), ...open(9, raw.length));
    const initializer = [...open(5, tensor.length + raw.length), ...tensor];
    // A second graph field is read as more of the first.
    parts.push(Uint8Array.from([...open(7, initializer.length + raw.length), ...initializer]), raw);
  }
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** softmax(scale · Q·Kᵀ + mask)·V as matrix products. */
export function matmulGraph(scale, masked, inputs) {
  const nodes = [
    node('Transpose', ['key'], 'columns', attribute.ints('perm', [0, 1, 3, 2])),
    node('MatMul', ['query', 'columns'], 'scores'),
    node('Mul', ['scores', 'scale'], masked ? 'scaled' : 'last'),
    ...(masked ? [node('Add', ['scaled', 'mask'], 'last')] : []),
    node('Softmax', ['last'], 'weights', attribute.int('axis', 3)),
    node('MatMul', ['weights', 'value'], 'output'),
  ];
  return model(nodes, inputs, [scalar('scale', scale)]);
}

/** The standard's own operator. */
export function attentionGraph(scale, masked, causal, inputs) {
  const attributes = [attribute.float('scale', scale), attribute.int('is_causal', causal ? 1 : 0)];
  const arguments_ = ['query', 'key', 'value', ...(masked ? ['mask'] : [])];
  return model([node('Attention', arguments_, 'output', ...attributes)], inputs);
}
