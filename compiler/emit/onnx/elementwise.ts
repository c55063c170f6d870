/** Emitters of ops that compute each row from the same row of their operands. */
import { flag } from "./arithmetic.js";
import type { Emitter } from "./builder.js";

/** The operator of that name. */
const operator =
  (name: string): Emitter =>
  (b, { operands }) =>
    b.add(
      name,
      operands.map((x) => x.name),
    );

const step: Emitter = (b, { operands: [x] }) => flag(b, b.add("Greater", [x!.name, b.f32(0)]));

const sqr: Emitter = (b, { operands: [x] }) => b.add("Mul", [x!.name, x!.name]);

/** `Round` rounds halves to even. */
const round: Emitter = (b, { operands: [x] }) => {
  const size = b.add("Abs", [x!.name]);
  const whole = b.add("Floor", [size]);
  const rest = b.add("Sub", [size, whole]);
  const up = flag(b, b.add("GreaterOrEqual", [rest, b.f32(0.5)]));
  return b.add("Mul", [b.add("Sign", [x!.name]), b.add("Add", [whole, up])]);
};

/** ONNX Runtime's own approximates, and is 0 where the result is small. */
const sigmoid: Emitter = (b, { operands: [x] }) =>
  b.add("Div", [b.f32(1), b.add("Add", [b.add("Exp", [b.add("Neg", [x!.name])]), b.f32(1)])]);

const scale: Emitter = (b, { operands: [x], attrs }) => {
  const [s, offset] = [Math.fround(attrs["s"] as number), Math.fround(attrs["b"] as number)];
  const scaled = s === 1 ? x!.name : b.add("Mul", [x!.name, b.f32(s)]);
  return offset === 0 ? scaled : b.add("Add", [scaled, b.f32(offset)]);
};

const clamp: Emitter = (b, { operands: [x], attrs }) =>
  b.add("Clip", [x!.name, b.f32(attrs["lo"] as number), b.f32(attrs["hi"] as number)]);

export const ELEMENTWISE = {
  abs: operator("Abs"),
  neg: operator("Neg"),
  sgn: operator("Sign"),
  step,
  exp: operator("Exp"),
  log: operator("Log"),
  sqrt: operator("Sqrt"),
  sqr,
  sigmoid,
  tanh: operator("Tanh"),
  floor: operator("Floor"),
  ceil: operator("Ceil"),
  round,
  scale,
  clamp,
  add: operator("Add"),
  sub: operator("Sub"),
  mul: operator("Mul"),
  div: operator("Div"),
};
