/** The packages of a module's samplers, which its beginning names, so that a version that has changed is noticed. */
import { packageText, type PackageVersion } from "@ggsl/compiler/source/source.js";

const LINE = /^\/\/ With samplers of (\S+) (\S+)\.$/gm;

/** A line of the module for each package. */
export const packageLines = (packages: readonly PackageVersion[]): string[] =>
  packages.map((one) => `// With samplers of ${packageText(one)}.`);

/** What changed since a module was generated, as in `@someone/samplers is 1.3.0 and was 1.2.0`. */
export function changedPackages(module: string, packages: readonly PackageVersion[]): string[] {
  const before = new Map([...module.matchAll(LINE)].map(([, name, version]) => [name!, version!]));
  return packages.flatMap(({ name, version }) => {
    const old = before.get(name);
    return old === undefined || old === version ? [] : [`${name} is ${version} and was ${old}`];
  });
}
