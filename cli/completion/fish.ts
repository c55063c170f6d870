/** The completion script for fish 3 and newer. */
import type { Completed, Flag, Listed } from "./tree.js";

const FUNCTIONS = `# fish completion for ggsl, printed by \`ggsl completion fish\`

function __ggsl_has_no_command
    test (count (commandline -opc)) -eq 1
end

function __ggsl_command
    set -l words (commandline -opc)
    test (count $words) -ge 2; and test $words[2] = $argv[1]
end

# folders, and files with these extensions
function __ggsl_files
    complete -C "'' "(commandline -ct) | string match -r -- '^[^\\t]*(?:/|\\.(?:'(string join '|' $argv)'))(?=\\t|$)'
end

complete -c ggsl -f
complete -c ggsl -n __ggsl_has_no_command -l help -s h -d 'list the commands'
complete -c ggsl -n __ggsl_has_no_command -l version -s V -d 'print the version'
`;

export const fishScript = (commands: readonly Listed[]): string => FUNCTIONS + commands.map(linesOf).join("");

function linesOf({ name, about, flags, args }: Listed): string {
  const inCommand = `complete -c ggsl -n ${quoted(`__ggsl_command ${name}`)}`;
  // fish does not count arguments
  const first = args.find((values) => values !== undefined);
  return [
    `\ncomplete -c ggsl -n __ggsl_has_no_command -a ${name} -d ${quoted(about)}\n`,
    ...flags.map((flag) => `${inCommand} ${flagOf(flag)}\n`),
    ...(first ? [`${inCommand} ${valuesOption(first)}\n`] : []),
  ].join("");
}

const flagOf = ({ short, long, about, value, values }: Flag): string =>
  [
    ...(short === undefined ? [] : [`-s ${short.slice(1)}`]),
    `-l ${long.slice(2)}`,
    ...(value === undefined ? [] : ["-r", values ? valuesOption(values) : "-f"]),
    `-d ${quoted(about)}`,
  ].join(" ");

function valuesOption(values: Completed): string {
  if ("folders" in values) return "-f -a '(__fish_complete_directories)'";
  if ("files" in values)
    return values.files.length === 0 ? "-F" : `-f -a ${quoted(`(__ggsl_files ${values.files.join(" ")})`)}`;
  const words = values.words.join(" ");
  return values.isList ? `-f -a ${quoted(`(__fish_append , ${words})`)}` : `-f -a ${quoted(words)}`;
}

const quoted = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
