/** Ops in PyTorch. What is not exactly rounded in float32 is computed in float64 and then rounded, as the reference does. */
import { f32Text, sharedEmitters, type Emitter, type Emitters } from "./shared.js";

const call =
  (name: string): Emitter =>
  ({ operands: [x] }) =>
    `torch.${name}(${x})`;

/** A function that devices round differently in float32. */
const wide =
  (name: string): Emitter =>
  ({ operands: [x] }) =>
    `torch.${name}(${x}.double()).float()`;

export const TORCH: Emitters = {
  ...sharedEmitters(f32Text),
  input: ({ attrs }) => `given[${attrs["index"] as number}]`,
  abs: call("abs"),
  step: ({ operands: [x] }) => `(${x} > 0).float()`,
  exp: wide("exp"),
  log: wide("log"),
  sqrt: call("sqrt"),
  sigmoid: ({ operands: [x] }) => `(1 / (1 + torch.exp(-${x}.double()))).float()`,
  tanh: wide("tanh"),
  floor: call("floor"),
  ceil: call("ceil"),
  clamp: ({ operands: [x], attrs: { lo, hi } }) => `torch.clamp(${x}, ${f32Text(lo)}, ${f32Text(hi)})`,
  roll: ({ operands: [x], attrs }) => `torch.roll(${x}, ${attrs["shift"] as number}, 1)`,
  cast: ({ operands: [x], attrs }) => (attrs["to"] === "f32" ? `${x}.float()` : `${x}.long()`),
  repeat: ({ operands: [x], rows }) => `${x}.expand(-1, ${rows})`,
  fill: ({ attrs, rows }) => `logits.new_full((1, ${rows}), ${f32Text(attrs["value"])})`,
  arange: ({ rows }) => `torch.arange(${rows}, dtype=torch.float32, device=logits.device)[None]`,
};

/** The functions that the expressions call, by name. */
export const TORCH_FUNCTIONS: Readonly<Record<string, string>> = {
  _round: `
def _round(x):
    wide = x.double()
    return (torch.sign(wide) * torch.floor(torch.abs(wide) + 0.5)).float()`,
  _sgn: `
def _sgn(x):
    return (x > 0).float() - (x < 0).float()`,
  _numbers: `
def _numbers(x):
    return torch.where(torch.isnan(x), torch.full_like(x, float("-inf")), x)`,
  _argmax: `
def _argmax(x):
    x = _numbers(x)
    rows = torch.arange(x.shape[1], device=x.device)[None]
    return torch.where(x == x.amax(1, keepdim=True), rows, x.shape[1]).amin(1, keepdim=True)`,
  _argsort: `
def _argsort(x, descending):
    return torch.sort(_numbers(x), dim=1, descending=descending, stable=True)[1]`,
  _top_k: `
def _top_k(x, k):
    """The indices of the k largest, ascending; of equal ones the first."""
    x = _numbers(x)
    least = torch.topk(x, k, 1)[0][:, -1:]
    larger, equal = x > least, x == least
    missing = k - larger.sum(1, keepdim=True)
    return (larger | (equal & (torch.cumsum(equal, 1) <= missing))).nonzero()[:, 1].view(x.shape[0], k)`,
  _wide: `
def _wide(x, batch):
    return x.expand(batch, -1)`,
  _take: `
def _take(x, rows):
    batch = max(len(x), len(rows))
    return _wide(x, batch).gather(1, _wide(rows.clamp(0, x.shape[1] - 1), batch))`,
  _put: `
def _put(x, rows, y):
    batch = max(len(x), len(rows), len(y))
    return _wide(x, batch).scatter(1, _wide(rows, batch), _wide(y, batch))`,
  _cumsum: `
def _cumsum(x):
    return torch.cumsum(x, 1, dtype=torch.float64).float()`,
  _sum: `
def _sum(x):
    return x.sum(1, keepdim=True, dtype=torch.float64).float()`,
  _soft_max: `
def _soft_max(x):
    powers = torch.exp((x - x.amax(1, keepdim=True)).double()).float()
    return (powers / powers.sum(1, keepdim=True, dtype=torch.float64)).float()`,
  _from_integers: `
def _from_integers(x):
    return x.float()`,
  _integers: `
def _integers(x, most):
    return torch.nan_to_num(torch.clamp(x, 0, most)).long()`,
};
