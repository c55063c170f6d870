/** Arithmetic that ONNX lacks. */
import type { Builder, Name } from "./builder.js";

/** x modulo a power of 2, for integers x that are not negative; exact in f32. */
export function remainder(b: Builder, x: Name, power: number): Name {
  const whole = b.add("Floor", [b.add("Mul", [x, b.f32(1 / power)])]);
  return b.add("Sub", [x, b.add("Mul", [whole, b.f32(power)])]);
}

/** 1 where a condition holds, else 0. */
export const flag = (b: Builder, condition: Name): Name => b.cast(condition, "f32");
