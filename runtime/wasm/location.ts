/** Where the module for chains on plain logits is in a page: beside this file, or beside the bundle that has this code. */
export const moduleBeside = (): URL => new URL("./ggsl.wasm", import.meta.url);
