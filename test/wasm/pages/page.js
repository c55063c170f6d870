// loads the module by the form that the fragment of the page's address names, and shows what a chain picks
import { compilePipeline, loadWasm } from "ggsl";

const bytes = async () => (await fetch("of-page.wasm")).arrayBuffer();

/** Locations that are relative to the page name a file that is not beside the script. */
const FORMS = {
  nothing: () => undefined,
  name: () => "of-page.wasm",
  relative: () => "./of-page.wasm",
  above: () => "../above.wasm",
  rooted: () => "/site/page/of-page.wasm",
  absolute: () => new URL("of-page.wasm", location.href).href,
  url: () => new URL("of-page.wasm", document.baseURI),
  bytes: async () => new Uint8Array(await bytes()),
  buffer: bytes,
  module: async () => WebAssembly.compile(await bytes()),
  missing: () => "missing.wasm",
  html: () => "./",
};

async function written(form) {
  if (form === "worker")
    return new Promise((resolve) => {
      const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = ({ message }) => resolve(`the worker: ${message}`);
    });
  await loadWasm(await FORMS[form]());
  const { token, backend } = await compilePipeline("greedy()").evaluate([1, 3, 2]);
  return `${token} on ${backend}`;
}

document.title = await written(location.hash.slice(1)).catch((error) => error.message);
