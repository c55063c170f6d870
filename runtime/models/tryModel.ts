/** The process that tries a model file. */
import type { Binding } from "../backends/native/binding.js";

/** Loads a model, tokenizes, and computes two tokens. Rejects with what the addon throws. */
export async function tryModel(addon: Binding, path: string): Promise<void> {
  addon.loadBackends(addon.libraries);
  const model = await addon.loadModel(path, { gpuLayers: 0 });
  const { vocabSize, bos } = model.info;
  const tokens = model.tokenize("a \n\t\u00e9 1", true, true).filter((token) => token < vocabSize);
  model.pieces();
  const context = await model.createContext({ contextSize: 256, chains: [] });
  const decode = (token: number, position: number): Promise<unknown> =>
    context.decode({
      tokens: Int32Array.of(token),
      positions: Int32Array.of(position),
      sequences: Int32Array.of(0),
      outputs: Uint8Array.of(1),
    });
  await decode(bos >= 0 && bos < vocabSize ? bos : 0, 0);
  await decode(tokens.at(-1) ?? 0, 1);
  context.dispose();
  model.dispose();
}
