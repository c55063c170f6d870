/** Functions of the emitted file that are alike for NumPy and PyTorch. */
import { HALF, HASH_RANGE, ROUND_CONSTANTS, SHIFT } from "../../graph/hash.js";
import { F32_MAX, F32_MIN, MAX_INTEGER } from "../../graph/interval.js";
import { NEVER } from "../../graph/uniform.js";
import { numberText } from "./expression.js";

const BITS = Math.log2(HALF);

/** The functions by name. A function's body names those that it calls. */
export const FUNCTIONS: Readonly<Record<string, string>> = {
  _mix: `
def _mix(x, key):
    """The permutation \`key\` of the integers below 2^24."""
    left, right = (x >> ${BITS}) & ${HALF - 1}, x & ${HALF - 1}
    for i, constant in enumerate((${ROUND_CONSTANTS.join(", ")})):
        difference = right - ((key if i % 2 == 0 else key >> ${BITS}) & ${HALF - 1})
        left, right = right, (left + ((difference * difference) >> ${SHIFT}) + constant) & ${HALF - 1}
    return right * ${HALF} + left`,
  _permute: `
def _permute(x, key):
    return _from_integers(_mix(_integers(x, ${HASH_RANGE}), _integers(key, ${HASH_RANGE - 1})))`,
  _hash: `
def _hash(x, key):
    return float(_mix(int(np.floor(x)) % ${HASH_RANGE}, int(np.floor(key)) % ${HASH_RANGE}))`,
  _saturate: `
def _saturate(x):
    """A result of the host: never NaN, and at most the largest float32."""
    return np.float64(0.0 if x != x else min(max(x, ${numberText(-F32_MAX)}), ${numberText(F32_MAX)}))`,
  _new_seed: `
def _new_seed():
    return secrets.randbits(32)`,
  _param: `
def _param(name, kind, standard, least, most, above, below, value):
    """The value of a parameter, checked; None: its default, or a new seed."""
    if value is None:
        return _new_seed() if standard is None else float(np.float32(standard)) if kind != "seed" else int(standard)
    value = int(value) if kind == "seed" else float(value)
    if kind == "seed" and not 0 <= value < 2**32:
        raise ValueError(f"{name}: expected an integer from 0 to 4294967295, found {value}")
    is_low = least is not None and (value <= least if above else value < least)
    if is_low or most is not None and (value >= most if below else value > most) or value != value:
        raise ValueError(f"{name}: expected a number from {least} to {most}, found {value}")
    return value if kind == "seed" else float(np.float32(value))`,
  _divisor: `
def _divisor(x):
    return np.float64(${numberText(F32_MIN)}) if x == 0.0 else x`,
  _mod: `
def _mod(x, y):
    return x - _divisor(y) * np.floor(_saturate(x / _divisor(y)))`,
  _pow: `
def _pow(x, y):
    return 0.0 if x < 0.0 and np.floor(y) != y else np.power(np.float64(x), np.float64(y))`,
  _next: `
def _next(x, direction):
    """The next float32 above (1) or below (-1)."""
    x = np.float32(x)
    if abs(x) < ${numberText(F32_MIN)}:
        return direction * ${numberText(F32_MIN)}
    return np.float64(np.nextafter(x, np.float32(direction * np.inf)))`,
  _stream_seed: `
def _stream_seed(seed, stream):
    """The seed of one of the streams of a seed."""

    def mix(h):
        h = (h ^ (h >> 16)) * 0x85EBCA6B & 0xFFFFFFFF
        h = (h ^ (h >> 13)) * 0xC2B2AE35 & 0xFFFFFFFF
        return h ^ (h >> 16)

    return mix(seed ^ mix(stream))`,
  _Stream: `
class _Stream:
    """The words of std::mt19937."""

    def __init__(self, seed):
        self._generator = np.random.RandomState(seed)._bit_generator
        self._words = []

    def word(self, index):
        while len(self._words) <= index:
            self._words.append(int(self._generator.random_raw()))
        return self._words[index]`,
  _draw_f64: `
def _draw_f64(stream, count):
    value = (stream.word(2 * count) + stream.word(2 * count + 1) * 2.0**32) / 2.0**64
    return np.float64(min(max(value, 2.0**-54), 1 - 2.0**-53))`,
  _draw_f32: `
def _draw_f32(stream, count):
    value = float(np.float32(stream.word(count))) / 2.0**32
    return np.float64(min(max(value, 2.0**-54), 1 - 2.0**-24))`,
  _occurrences: `
def _occurrences(tokens, last):
    """How often each token occurs among the last ones; a negative number means all."""
    counts = {}
    for token in tokens if last < 0 else tokens[max(0, len(tokens) - last) :]:
        counts[token] = counts.get(token, 0.0) + 1.0
    return counts`,
  _flags: `
def _flags(members, is_not, vocab):
    """1 for the tokens of a set, else 0, or the other way round."""
    flags = np.zeros(vocab, np.float32)
    flags[[token for token in members if token < vocab]] = 1.0
    return 1.0 - flags if is_not else flags`,
  _ids: `
def _ids(pairs, size, vocab):
    """The tokens of the pairs, then tokens that are in no pair."""
    ids = [token for token in pairs if token < vocab]
    if len(ids) > size:
        raise ValueError(f"expected at most {size} tokens, found {len(ids)}")
    free = (token for token in range(vocab) if token not in pairs)
    return np.array(ids + [next(free) for _ in range(size - len(ids))], np.int64)`,
  _values: `
def _values(pairs, size, vocab, fill):
    values = [value for token, value in pairs.items() if token < vocab]
    return np.clip(np.array(values + [fill] * (size - len(values)), np.float64), -${numberText(F32_MAX)}, ${numberText(F32_MAX)}).astype(np.float32)`,
  _kept: `
def _kept(value):
    """A state of type i32 stays an integer that float32 holds."""
    return min(max(value, ${numberText(-MAX_INTEGER)}), ${numberText(MAX_INTEGER)})`,
};

export const NEVER_TEXT = numberText(NEVER);

/** The functions that a text calls, directly or through others, in the order of the table. */
export function functionsFor(text: string, table: Readonly<Record<string, string>>): string[] {
  const needed = new Set<string>();
  const visit = (body: string): void => {
    for (const [name, definition] of Object.entries(table)) {
      if (needed.has(name) || !new RegExp(`\\b${name}\\(`).test(body)) continue;
      needed.add(name);
      visit(definition);
    }
  };
  visit(text);
  return Object.entries(table).flatMap(([name, definition]) => (needed.has(name) ? [definition] : []));
}
