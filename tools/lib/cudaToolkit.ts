/** CUDA's compiler: the one in PATH, or Debian's packages unpacked in build/, without installing anything. */
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { nvccFault, versionOf } from "./cuda.js";
import { attempt, root, run, ToolError } from "./process.js";
import { once } from "./stamp.js";

export interface Toolkit {
  readonly nvcc: string;
  /** e.g. "12.4". */
  readonly version: string;
  /** Where it is from, for reports. */
  readonly source: string;
}

/** The Debian release whose toolkit is used on any release: its programs need glibc 2.34. */
const SUITE = "trixie";
const PACKAGES = [
  // the compiler, then headers
  ...["nvidia-cuda-toolkit", "libnvvm4"],
  ...["nvidia-cuda-dev", "libcu++-dev", "libcub-dev", "libthrust-dev"],
];
const KEYS = "/usr/share/keyrings/debian-archive-keyring.gpg";

const FOLDER = join(root, "build", "cuda-toolkit");
const TREE = join(FOLDER, "tree");
const COMPILER = join(TREE, "usr", "lib", "nvidia-cuda-toolkit");
const NVCC = join(COMPILER, "bin", "nvcc");

/** Throws a `ToolError` that says why there is none. */
export async function findToolkit(): Promise<Toolkit> {
  const fault = await nvccFault("nvcc", FOLDER);
  if (fault === undefined) return { nvcc: "nvcc", version: await versionOf("nvcc"), source: "in PATH" };
  console.log(`check:cuda: ${fault}; Debian's packages are used`);
  try {
    await unpack();
    return await unpacked();
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    throw new ToolError(
      `check:cuda: no CUDA compiler can be used: ${fault}, and Debian's packages did not help: ${error.message}\n` +
        "Install the CUDA toolkit with cuBLAS's headers, then: PATH=/usr/local/cuda/bin:$PATH npm run check:cuda",
    );
  }
}

async function unpacked(): Promise<Toolkit> {
  const fault = await nvccFault(NVCC, FOLDER);
  if (fault !== undefined) throw new ToolError(fault);
  return { nvcc: NVCC, version: await versionOf(NVCC), source: `of Debian ${SUITE}` };
}

/** What nvcc reads beside itself: the packages' own names places where they would be installed. */
const profile = (): string => `NVVMIR_LIBRARY_DIR = ${join(COMPILER, "libdevice")}
PATH += ${join(COMPILER, "bin")}:${join(TREE, "usr", "bin")}:
INCLUDES += -I${join(TREE, "usr", "include")}
`;

/** Downloads and unpacks the packages, unless that is done. */
async function unpack(): Promise<void> {
  const stamp = `${SUITE} ${PACKAGES.join(" ")}`;
  const made = { stampFile: join(FOLDER, "stamp"), stamp, outputs: [TREE] };
  await once(made, async () => {
    const archives = join(FOLDER, "archives");
    for (const folder of [archives, TREE]) {
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder, { recursive: true });
    }
    const options = await aptOptions();
    console.log(`check:cuda: downloading ${PACKAGES.join(", ")} (1 GB)`);
    await run("apt-get", [...options, "update"]);
    await run("apt-get", [...options, "download", ...PACKAGES], { cwd: archives });
    for (const file of readdirSync(archives)) await unpackOne(join(archives, file));
    rmSync(archives, { recursive: true });
    rmSync(`${NVCC}.profile`);
    writeFileSync(`${NVCC}.profile`, profile());
  });
}

/** Without the static libraries, which are most of it. */
const unpackOne = (file: string): Promise<void> =>
  run("sh", [
    "-c",
    `dpkg-deb --fsys-tarfile "$1" | tar -x -C "$2" --exclude='*.a' --exclude='./usr/share/doc'`,
    "sh",
    file,
    TREE,
  ]);

/** apt with lists, a cache and one source of its own: where this machine gets Debian from, with the section non-free. */
async function aptOptions(): Promise<string[]> {
  const apt = join(FOLDER, "apt");
  for (const folder of ["state/lists/partial", "cache/archives/partial"])
    mkdirSync(join(apt, folder), { recursive: true });
  const [status, sources] = [join(apt, "status"), join(apt, "sources.list")];
  writeFileSync(status, "");
  writeFileSync(sources, `deb [signed-by=${KEYS}] ${await debian()} ${SUITE} main non-free\n`);
  const settings = {
    "Dir::State": join(apt, "state"),
    "Dir::State::status": status,
    "Dir::Cache": join(apt, "cache"),
    "Dir::Etc::sourcelist": sources,
    "Dir::Etc::sourceparts": "-",
    // otherwise root's downloads are written by another user
    "APT::Sandbox::User": "root",
  };
  return Object.entries(settings).flatMap(([name, value]) => ["-o", `${name}=${value}`]);
}

/** The address of the machine's own source of Debian packages. */
async function debian(): Promise<string> {
  const format = ["indextargets", "--format", "$(REPO_URI) $(COMPONENT)", "Created-By: Packages"];
  const { status, output, reason } = await attempt("apt-get", format);
  if (status !== 0) throw new ToolError(`apt-get: ${reason ?? output}`);
  const found = /^(\S+\/debian\/?) main$/m.exec(output)?.[1];
  if (found === undefined || !existsSync(KEYS)) throw new ToolError("apt has no source of Debian's packages");
  return found;
}
