/** The loaded models behind the public ones. */
import { invalid, translated } from "../core/errors.js";
import type { LoadedModel } from "./room.js";

const models = new WeakMap<object, LoadedModel>();

export function remember(model: object, loaded: LoadedModel): void {
  models.set(model, loaded);
}

/** Throws `InputError` for anything that is not a model, and for one that was disposed. */
export function loadedModel(model: object, name: string): LoadedModel {
  const loaded = models.get(model);
  if (!loaded) throw invalid(`\`${name}\` must be a model from \`loadModel\` or \`loadModelFromBytes\``);
  translated(() => loaded.native.info);
  return loaded;
}
