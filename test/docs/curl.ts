/** The request of a `curl` command of the documentation. */
interface CurlRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The file that its cookies are read from, and the one that those of the answer are written to. */
  readonly cookies?: { readonly from?: string; readonly to?: string };
  /** The file that the headers of the answer are written to. */
  readonly headersTo?: string;
}

/** The `curl` commands of a text, in order. */
export function curlCommandsIn(text: string): string[] {
  const lines = text.replaceAll(/\s*\\\n\s*/g, ' ').split('\n');
  return lines.map((line) => line.trim()).filter((line) => line.startsWith('curl '));
}

/** Reads the options the documentation uses; any other one is an error, so that no example goes untested. */
export function readCurl(command: string): CurlRequest {
  const words = wordsOf(command).slice(1);
  const headers: Record<string, string> = {};
  let url: string | undefined;
  let body: string | undefined;
  let method: string | undefined;
  let cookies: CurlRequest['cookies'];
  let headersTo: string | undefined;
  while (words.length > 0) {
    const word = words.shift() ?? '';
    const value = () => words.shift() ?? '';
    if (word === '-H') addHeader(headers, value());
    else if (word === '-A') headers['user-agent'] = value();
    else if (word === '-d') body = value();
    else if (word === '-X') method = value();
    else if (word === '-b') cookies = { from: value() };
    else if (word === '-c') cookies = { to: value() };
    else if (word === '-D') headersTo = value();
    else if (!['-s', '-i', '-sS'].includes(word)) {
      if (word.startsWith('-') || url !== undefined)
        throw new Error(`An example uses "${word}", which is not understood.`);
      url = word;
    }
  }
  if (url === undefined) throw new Error(`An example has no address: ${command}`);
  return {
    url,
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers,
    ...(body === undefined ? {} : { body }),
    ...(cookies === undefined ? {} : { cookies }),
    ...(headersTo === undefined ? {} : { headersTo }),
  };
}

/** Sends it as curl would: redirects are not followed. */
export async function send(command: string): Promise<Response> {
  const { url, method, headers, body = null } = readCurl(command);
  return fetch(url, { method, headers, body, redirect: 'manual' });
}

/** Words of a shell command, with their quotes taken away. */
function wordsOf(command: string): string[] {
  const joined = command.replaceAll(/\s*\\\n\s*/g, ' ');
  const words = joined.match(/(?:'[^']*'|"(?:[^"\\]|\\.)*"|[^\s'"])+/g) ?? [];
  return words.map((word) =>
    word.replaceAll(/'([^']*)'|"((?:[^"\\]|\\.)*)"/g, (_, single?: string, double?: string) => single ?? double ?? ''),
  );
}

function addHeader(headers: Record<string, string>, text: string): void {
  const [name = '', ...value] = text.split(':');
  headers[name.toLowerCase()] = value.join(':').trim();
}
