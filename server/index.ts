/** The public interface of the package. */
export type { NamedFile, NamedSlot, ServeOptions } from "./config/options.js";
export { checkServer, isOpenToAll, openServer, serve, type Server } from "./serve.js";
