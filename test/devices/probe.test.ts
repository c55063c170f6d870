/** Drivers are probed in a child process: whatever they do, this process survives and reports it. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chooseDevice, chooseDeviceSync } from "../../runtime/backends/devices/choose.js";
import { cpuLibraries } from "../../runtime/backends/devices/locate.js";
import { probe, probeSync } from "../../runtime/backends/devices/probe.js";

let folder: string;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), "ggsl-probe-"))));
afterAll(() => rmSync(folder, { recursive: true }));

/** A real shared library that runs code when it is loaded. */
function library(name: string, body: string): string {
  const [source, path] = [join(folder, `${name}.cc`), join(folder, `lib${name}.so`)];
  writeFileSync(
    source,
    `#include <csignal>\n#include <unistd.h>\n__attribute__((constructor)) void start() { ${body} }\n`,
  );
  execFileSync("g++", ["-shared", "-fPIC", "-o", path, source]);
  return path;
}

test("a driver that crashes is reported", async () => {
  const path = library("crash", "raise(SIGSEGV);");
  const expected = { library: path, devices: [], failure: "the driver crashed (SIGSEGV)", isBroken: true };
  expect(await probe(path)).toEqual(expected);
  expect(probeSync(library("abort", "raise(SIGABRT);")).failure).toBe("the driver crashed (SIGABRT)");
});

test("a driver that hangs is killed and reported", async () => {
  const failure = "the driver did not answer within 1 s";
  const body = "signal(SIGTERM, SIG_IGN); for (;;) sleep(1);";
  expect(await probe(library("hang", body), 1)).toMatchObject({ failure, isBroken: true });
  expect(probeSync(library("hang2", body), 1)).toMatchObject({ failure, isBroken: true });
});

test("a library that is not a backend, or is missing, is reported", () => {
  const report = probeSync(library("other", ""));
  expect(report).toMatchObject({ devices: [], isBroken: false });
  expect(report.failure).toMatch(/libother\.so does not load: llama\.cpp said: .*ggml_backend_init/);
  expect(probeSync(join(folder, "none.so")).failure).toMatch(/none\.so does not load: .*no such file/i);
});

test("a driver that exits the process is reported", () => {
  expect(probeSync(library("exit", "_exit(3);"))).toMatchObject({ failure: "the driver ended the process" });
});

test("the CPU's devices are chosen by number and by name", async () => {
  expect(await chooseDevice({ backend: "cpu" })).toMatchObject({ backend: "cpu", device: "CPU", skipped: [] });
  expect(chooseDeviceSync({ backend: "cpu", device: 0 }).device).toBe("CPU");
  expect(chooseDeviceSync({ backend: "cpu", device: "cpu" }).device).toBe("CPU");
  expect(() => chooseDeviceSync({ backend: "cpu", device: 1 })).toThrow(
    /^the backend `cpu` has no device 1; its devices:\n {2}0: CPU \(/,
  );
  expect(() => chooseDeviceSync({ backend: "cpu", device: -1 })).toThrow(
    "`device` must be a device's number or name, found -1",
  );
  expect(() => chooseDeviceSync({ backend: "metal" as never })).toThrow(
    '`backend` must be one of auto, cpu, vulkan, cuda, found "metal"',
  );
});

test("a backend without a device says why, what is installed, and what to do", () => {
  // no NVIDIA GPU is expected here, and the CPU's library folder is not a CUDA backend
  expect(cpuLibraries()).toMatch(/@node-llama-cpp/);
  const found = chooseDeviceSync({ backend: "auto" });
  const cuda = found.skipped.find(({ backend }) => backend === "cuda");
  if (found.backend === "cuda") return;
  expect(cuda!.reason).not.toBe("");
  expect(() => chooseDeviceSync({ backend: "cuda" })).toThrow(
    /^the backend `cuda` is not available: [^]*\nInstalled: @node-llama-cpp\/[^]*\nTo fix it:\n {2}1\. /,
  );
});
