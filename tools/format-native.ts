/** `npm run format:native`: lays out all C++ sources. */
export { formatNative as main } from "./lib/clang-format.js";
