/** Serves the built page of the example application and prints what Chromium makes of it. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { preview } from "vite";

const server = await preview({
  configFile: "examples/typed-app/vite.config.ts",
  preview: { port: 0 },
  logLevel: "silent",
});
const options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=20000", "--dump-dom"];
try {
  const { port } = server.httpServer.address();
  const { stdout } = await promisify(execFile)("chromium", [...options, `http://localhost:${port}/`]);
  process.stdout.write(stdout);
} finally {
  await server.close();
}
process.exit();
