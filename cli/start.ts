#!/usr/bin/env node
/** The first module of the bundled `ggsl` command. Node.js 22.8 and later keep compiled code on disk, of modules that are loaded after this. */
import * as module from "node:module";

const { enableCompileCache } = module as { enableCompileCache?: () => unknown };
enableCompileCache?.();
await import("./main.js");
