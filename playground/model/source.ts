/** Where texts and a model's logits come from: the server that the page is from, else a model in the page. */
import { serverModels } from "../server/models.js";
import { server } from "../server/present.js";
import { llamaModule as module } from "./files.js";
import { ownModels } from "./own.js";
import type { Models } from "./types.js";

/** Undefined in a build without the model's module. */
export const models: Models | undefined = server ? serverModels(server) : module === undefined ? undefined : ownModels;
