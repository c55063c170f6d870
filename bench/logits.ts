/** Normally distributed, roughly like a model's logits; deterministic. */
export function normalLogits(vocabSize: number): Float32Array {
  let state = 1;
  const uniform = (): number => (state = (state * 48271) % 2147483647) / 2147483647;
  return Float32Array.from({ length: vocabSize }, () => {
    const radius = Math.sqrt(-2 * Math.log(uniform()));
    return 3 * radius * Math.cos(2 * Math.PI * uniform());
  });
}
