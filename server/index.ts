/**
 * A server of OpenAI's API: the public interface of the package.
 * @module @ggsl/server
 */
export type { NamedFile, NamedSlot, ServeOptions } from "./config/options.js";
export { checkServer, isOpenToAll, openServer, serve, type Server } from "./serve.js";
export { checkModels, openModelsServer, serveModels, type ModelsServer } from "./front/front.js";
export type { ServeModelsOptions } from "./front/options.js";
