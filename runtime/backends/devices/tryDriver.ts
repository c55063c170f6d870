/** The process that tries a driver: it loads the library, lists its devices and computes a small graph on each. */
import type { Device, Binding } from "../native/binding.js";

/** The devices that the library adds. Throws for one that computes a wrong result. @param words the graph, as `encodeWire` writes it */
export function tryDriver(addon: Binding, library: string, words: Int32Array): readonly Device[] {
  addon.loadBackends(addon.libraries);
  const before = new Set(addon.devices().map(({ name }) => name));
  addon.loadBackend(library);
  const devices = addon.devices().filter(({ name }) => !before.has(name));
  const logits = Float32Array.of(1, 3, 2);
  for (const { name } of devices) {
    const evaluator = new addon.Evaluator(new addon.Graph(words), { vocabSize: 3, device: name });
    const [token] = evaluator.evaluate({ logits, uniforms: new Float32Array(0) }).sampled!;
    if (token !== 1) throw new Error(`${name} computes a wrong result: the argmax of 1, 3, 2 is 1, found ${token}`);
    evaluator.dispose();
  }
  return devices;
}
