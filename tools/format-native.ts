/** `npm run format:native`: formats all C++ sources. */
export { formatNative as main } from "./lib/clang-format.js";
