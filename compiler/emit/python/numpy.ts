/** Ops in NumPy. What is not exactly rounded in float32 is computed in float64 and then rounded, as the reference does. */
import { f32Text, sharedEmitters, type Emitter, type Emitters, type WriteF32 } from "./shared.js";

/** NumPy 1 makes the result float64 if a plain number is near the largest float32. */
const f32: WriteF32 = (value) => `np.float32(${f32Text(value)})`;

const call =
  (name: string): Emitter =>
  ({ operands: [x] }) =>
    `np.${name}(${x})`;

/** A function that libraries round differently in float32. */
const wide =
  (name: string): Emitter =>
  ({ operands: [x] }) =>
    `np.${name}(${x}.astype(np.float64)).astype(np.float32)`;

export const NUMPY: Emitters = {
  ...sharedEmitters(f32),
  input: ({ attrs }) => `given[${attrs["index"] as number}]`,
  abs: call("abs"),
  step: ({ operands: [x] }) => `(${x} > 0).astype(np.float32)`,
  exp: wide("exp"),
  log: wide("log"),
  sqrt: call("sqrt"),
  sigmoid: ({ operands: [x] }) => `(1 / (1 + np.exp(-${x}.astype(np.float64)))).astype(np.float32)`,
  tanh: wide("tanh"),
  floor: call("floor"),
  ceil: call("ceil"),
  clamp: ({ operands: [x], attrs: { lo, hi } }) => `np.clip(${x}, ${f32(lo)}, ${f32(hi)})`,
  roll: ({ operands: [x], attrs }) => `np.roll(${x}, ${attrs["shift"] as number}, 1)`,
  cast: ({ operands: [x], attrs }) => `${x}.astype(${attrs["to"] === "f32" ? "np.float32" : "np.int64"})`,
  repeat: ({ operands: [x], rows }) => `np.repeat(${x}, ${rows}, 1)`,
  fill: ({ attrs, rows }) => `np.full((1, ${rows}), ${f32(attrs["value"])}, np.float32)`,
  arange: ({ rows }) => `np.arange(${rows}, dtype=np.float32)[None]`,
};

/** The functions that the expressions call, by name. */
export const NUMPY_FUNCTIONS: Readonly<Record<string, string>> = {
  _round: `
def _round(x):
    wide = x.astype(np.float64)
    return (np.sign(wide) * np.floor(np.abs(wide) + 0.5)).astype(np.float32)`,
  _sgn: `
def _sgn(x):
    return (x > 0).astype(np.float32) - (x < 0).astype(np.float32)`,
  _numbers: `
def _numbers(x):
    return np.where(np.isnan(x), np.float32("-inf"), x)`,
  _argmax: `
def _argmax(x):
    return _numbers(x).argmax(1)[:, None]`,
  _argsort: `
def _argsort(x, descending):
    x = _numbers(x)
    return np.argsort(-x if descending else x, 1, kind="stable")`,
  _top_k: `
def _top_k(x, k):
    """The indices of the k largest, ascending; of equal ones the first."""
    x = _numbers(x)
    least = np.partition(x, x.shape[1] - k, 1)[:, x.shape[1] - k : x.shape[1] - k + 1]
    larger, equal = x > least, x == least
    missing = k - larger.sum(1, keepdims=True)
    return np.nonzero(larger | (equal & (np.cumsum(equal, 1) <= missing)))[1].reshape(x.shape[0], k)`,
  _wide: `
def _wide(x, batch):
    return np.broadcast_to(x, (batch, x.shape[1]))`,
  _take: `
def _take(x, rows):
    batch = max(len(x), len(rows))
    rows = np.clip(rows, 0, x.shape[1] - 1)
    return np.take_along_axis(_wide(x, batch), _wide(rows, batch), 1)`,
  _put: `
def _put(x, rows, y):
    batch = max(len(x), len(rows), len(y))
    x = _wide(x, batch).copy()
    np.put_along_axis(x, _wide(rows, batch), _wide(y, batch), 1)
    return x`,
  _cumsum: `
def _cumsum(x):
    return np.cumsum(x, 1, dtype=np.float64).astype(np.float32)`,
  _sum: `
def _sum(x):
    return x.sum(1, keepdims=True, dtype=np.float64).astype(np.float32)`,
  _soft_max: `
def _soft_max(x):
    powers = np.exp((x - x.max(1, keepdims=True)).astype(np.float64)).astype(np.float32)
    return (powers / powers.sum(1, keepdims=True, dtype=np.float64)).astype(np.float32)`,
  _from_integers: `
def _from_integers(x):
    return x.astype(np.float32)`,
  _integers: `
def _integers(x, most):
    return np.nan_to_num(np.clip(x, 0, most)).astype(np.int64)`,
};
