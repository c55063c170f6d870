/** Emitters of what the host feeds. */
import { WORD_BITS } from "../../graph/wire.js";
import { remainder } from "./arithmetic.js";
import { Builder, type Emitter, type Name } from "./builder.js";

const input: Emitter = (b, { attrs, dim }) => {
  const { name, dtype, isPacked, isConstant } = b.surface.inputs[attrs["index"] as number]!;
  const isBatched = !isConstant;
  if (isPacked) return { name: b.slice(unpacked(b, name), 0, b.rows(dim)), isBatched };
  return { name: dtype === "i32" ? b.cast(name, "i64") : name, isBatched };
};

/** The bits of words, `[B, words]` as `[B, words * WORD_BITS]`: of 16 bits, so that they are exact in f32. */
function unpacked(b: Builder, words: Name): Name {
  const each = b.add("Unsqueeze", [b.cast(words, "f32"), b.i64s(2)]);
  const powers = b.f32s(Array.from({ length: WORD_BITS }, (_, i) => 2 ** -i));
  const bits = remainder(b, b.add("Floor", [b.add("Mul", [each, powers])]), 2);
  return b.add("Reshape", [bits, b.i64s(0, -1)]);
}

const uniform: Emitter = (b, { attrs }) => {
  const known = b.surface.uniforms[attrs["index"] as number]!;
  if ("value" in known) return { name: b.scalar(known.value), isBatched: false };
  return { name: b.part(b.surface.uniformsName, b.surface.fed.length, known.place), isBatched: true };
};

export const LEAVES = { input, uniform };
