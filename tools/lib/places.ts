/** The pages that are shown in pictures and measured, each opened when it is first needed. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { main as build } from "../build.js";
import { openModel } from "../playground.js";
import { root } from "./process.js";
import { servePlayground } from "./servedPlayground.js";

/**
 * `static`: the playground, whose texts a model in the page writes. `playground`: the same with a server, as of `npm run playground`.
 * `explain`: the page of `ggsl explain --html`.
 */
export type Place = "static" | "playground" | "explain";

interface Places {
  addressOf(place: Place): Promise<string>;
  close(): Promise<void>;
}

/** The first port of each place that is tried. */
const PORT = 5300;

export function newPlaces(): Places {
  const folder = mkdtempSync(join(tmpdir(), "ggsl-pictures-"));
  const opened = new Map<Place, Promise<string>>();
  const closers: (() => Promise<unknown>)[] = [];

  async function startModel(): Promise<string> {
    const server = (await openModel(true))!;
    closers.push(() => server.close(0));
    return server.listen();
  }

  async function openPage(server?: string): Promise<string> {
    const page = await servePlayground(PORT, server);
    closers.push(() => page.close());
    return page.address;
  }

  async function explain(): Promise<string> {
    await build();
    const file = join(folder, "explain.html");
    const chain = "top_k(40) |> min_p(0.05) |> temp(0.8) |> dist()";
    writeFileSync(
      file,
      execFileSync(process.execPath, [join(root, "runtime/dist/cli/main.js"), "explain", "-e", chain, "--html"]),
    );
    return pathToFileURL(file).href;
  }

  const open: Readonly<Record<Place, () => Promise<string>>> = {
    static: () => openPage(),
    playground: async () => openPage(await startModel()),
    explain,
  };
  return {
    addressOf(place) {
      const address = opened.get(place) ?? open[place]();
      opened.set(place, address);
      return address;
    },
    async close() {
      await Promise.all(closers.map((close) => close()));
      rmSync(folder, { recursive: true });
    },
  };
}
