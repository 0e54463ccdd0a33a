import { readCurl } from './curl';

/** The output of a command, as JSON where it is some, and the HTTP status it came with. */
interface Output {
  readonly status: number;
  readonly text: string;
}

/** The commands of a text, one a line: a backslash or an open quote continues a line. */
export function commandsIn(text: string): string[] {
  const joined = text.replaceAll(/\s*\\\n\s*/g, ' ').replaceAll(/'[^']*'/g, (quoted) => quoted.replaceAll('\n', ' '));
  return joined.split('\n').filter((line) => line.trim() !== '');
}

/**
 * A shell of few words: variables, `curl` with files of cookies and headers, `grep` in files, `field`, which takes a
 * field from JSON, and `header`, which takes one from a file of headers. Any other command is an error, so that no
 * example goes untested.
 */
export class Shell {
  private readonly variables = new Map<string, string>();
  private readonly cookieFiles = new Map<string, string>();
  private readonly headerFiles = new Map<string, Headers>();

  /** The files that the commands read, by their names. */
  constructor(private readonly files: Readonly<Record<string, () => string>>) {}

  /** Undefined for a command that only sets a variable of the shell. */
  async run(command: string): Promise<Output | undefined> {
    if (/^(field|header)\(\) /.test(command)) return undefined;
    const [, name, substitution, literal] = /^([A-Z]+)=(?:\$\((.*)\)|(.*))$/.exec(command) ?? [];
    if (name === undefined) return this.curl(command);
    const output = substitution === undefined ? undefined : await this.substitute(substitution);
    this.set(name, output?.text ?? literal!.replaceAll("'", ''));
    return output;
  }

  /** Sets a variable; what is set first holds: a test sets the addresses before the document does. */
  set(name: string, value: string): void {
    if (!this.variables.has(name)) this.variables.set(name, value);
  }

  private async substitute(command: string): Promise<Output> {
    const [, path, variable] = /^field (\S+) <<< "\$([A-Z]+)"$/.exec(command) ?? [];
    if (path !== undefined) return { status: 200, text: fieldOf(this.variables.get(variable!) ?? '', path) };
    const [, pattern, file] = /^grep -oh '([^']*)' (\S+) \| tail -1$/.exec(command) ?? [];
    if (pattern !== undefined) return { status: 200, text: this.lastMatch(pattern, file!) };
    const [, header, headers] = /^header (\S+) (\S+)$/.exec(command) ?? [];
    if (header !== undefined) return { status: 200, text: this.headerFiles.get(headers!)?.get(header) ?? '' };
    const [curl = '', field] = command.split(' | field ');
    const output = await this.curl(curl);
    return field === undefined ? output : { ...output, text: fieldOf(output.text, field) };
  }

  private async curl(command: string): Promise<Output> {
    if (!command.startsWith('curl ')) throw new Error(`An example uses a command that is not understood: ${command}`);
    const { url, method, headers, body = null, cookies = {}, headersTo } = readCurl(this.expand(command));
    const cookie = this.cookieFiles.get(cookies.from ?? '');
    const sent = { ...headers, ...(cookie === undefined ? {} : { cookie }) };
    const response = await fetch(url, { method, headers: sent, body, redirect: 'manual' });
    if (cookies.to !== undefined) {
      const received = response.headers.getSetCookie().map((each) => each.split(';')[0]);
      this.cookieFiles.set(cookies.to, received.join('; '));
    }
    if (headersTo !== undefined) this.headerFiles.set(headersTo, response.headers);
    return { status: response.status, text: await response.text() };
  }

  /** In a POSIX pattern, a backslash between brackets is itself. */
  private lastMatch(pattern: string, file: string): string {
    const expression = new RegExp(pattern.replaceAll('\\', '\\\\'), 'g');
    const [match] = [...(this.files[file]?.() ?? '').matchAll(expression)].at(-1) ?? [];
    if (match === undefined) throw new Error(`There is no ${pattern} in ${file}`);
    return match;
  }

  private expand(command: string): string {
    return command.replaceAll(/\$([A-Z]+)/g, (_, name: string) => {
      const value = this.variables.get(name);
      if (value === undefined) throw new Error(`An example uses $${name}, which nothing has set: ${command}`);
      return value;
    });
  }
}

/** `data[0].id` of a JSON text. */
function fieldOf(text: string, path: string): string {
  const names = path.split(/[.[\]]+/).filter(Boolean);
  const value = names.reduce<unknown>((of, name) => (of as Record<string, unknown>)[name], JSON.parse(text));
  if (typeof value !== 'string') throw new Error(`There is no ${path} in ${text}`);
  return value;
}
