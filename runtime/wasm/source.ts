/** Reads the bytes of a module from a URL or a file. */
import { nodeModule } from "../node.js";

/** Whether it is a file that Node.js can read. */
const isFile = ({ protocol }: URL): boolean => protocol === "file:" && nodeModule("node:fs") !== undefined;

/** Throws an Error for a source that cannot be read. */
export async function bytesOf(source: Uint8Array | URL | string): Promise<Uint8Array> {
  if (source instanceof Uint8Array) return source;
  const url = new URL(source, import.meta.url);
  if (isFile(url)) return nodeModule("node:fs")!.readFileSync(url);
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url.href} returned status ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}
