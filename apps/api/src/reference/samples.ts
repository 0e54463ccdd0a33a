import type { OpenAPIObject } from '@nestjs/swagger';
import { fromKeys, keysOf } from '@ledgerline/contracts/json';
import type { Operation, OpenApiSchema } from './document';

/** The value of a header: a text, or a secret in a variable of the environment. */
type HeaderValue = string | { readonly prefix: string; readonly variable: string };

/** A request that a sample makes. */
export interface SampleRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: HeaderValue])[];
  /** A text is sent as it is, all else as JSON; undefined for a request without a body. */
  readonly body: unknown;
}

/** An operation with its place in the document. */
interface LocatedOperation {
  readonly server: string;
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
  /** The name of the cookie of a signed-in person. */
  readonly cookie: string;
}

/** The request of the examples of an operation. */
function sampleRequest(located: LocatedOperation): SampleRequest {
  const { server, path, method, operation } = located;
  const { type, body } = bodyOf(operation);
  const query = new URLSearchParams(parametersIn(operation, 'query'));
  const filled = parametersIn(operation, 'path').reduce((url, [name, value]) => url.replace(`{${name}}`, value), path);
  return {
    method: method.toUpperCase(),
    url: `${server}${filled}${query.size > 0 ? `?${query.toString()}` : ''}`,
    headers: [
      ...credentialOf(located),
      ...parametersIn(operation, 'header'),
      ...(path === '/v1/mcp' ? [['accept', 'application/json, text/event-stream'] as const] : []),
      ...(type === undefined ? [] : [['content-type', type] as const]),
    ],
    body,
  };
}

/** Parameters with an example, and those that are required. */
function parametersIn({ parameters = [] }: Operation, place: string): [name: string, value: string][] {
  return parameters.flatMap((each) => {
    if ('$ref' in each || each.in !== place) return [];
    const schema = each.schema as OpenApiSchema | undefined;
    const example: unknown = each.example ?? schema?.example ?? (each.required ? each.name.toUpperCase() : undefined);
    return example === undefined ? [] : [[each.name, plainText(example)]];
  });
}

function bodyOf({ requestBody }: Operation): { readonly type?: string; readonly body?: unknown } {
  if (!requestBody || '$ref' in requestBody) return {};
  const [content] = Object.entries(requestBody.content);
  if (!content) return {};
  const [type, media] = content;
  if (type === FORM) return { type, body: formOf(media.schema as OpenApiSchema) };
  const [first] = Object.values(media.examples ?? {});
  const body: unknown = media.example ?? (first && 'value' in first ? first.value : undefined);
  return { type, body };
}

const plainText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const FORM = 'application/x-www-form-urlencoded';

function formOf({ properties = {}, required = Object.keys(properties) }: OpenApiSchema): string {
  const fields = required.map((name): [string, string] => [
    name,
    plainText(properties[name]?.example ?? name.toUpperCase()),
  ]);
  return new URLSearchParams(fields).toString();
}

/** Groups whose public operations answer more with a key. */
const KEYED = ['Query', 'Tracking'];

function credentialOf({ operation, cookie }: LocatedOperation): SampleRequest['headers'] {
  const { security = [], tags = [] } = operation;
  const isPublic = security.some((each) => Object.keys(each).length === 0);
  if (isPublic && !KEYED.some((tag) => tags.includes(tag))) return [];
  if (security.some((each) => 'apiKey' in each)) return [['x-api-key', { prefix: '', variable: 'API_KEY' }]];
  return isPublic ? [] : [['cookie', { prefix: `${cookie}=`, variable: 'SESSION' }]];
}

/** The writers of requests in each language, by the name that the reference shows. */
export const LANGUAGES = {
  curl: curlOf,
  JavaScript: javascriptOf,
  Python: pythonOf,
  PHP: phpOf,
} satisfies Readonly<Record<string, (request: SampleRequest) => string>>;

export type Language = keyof typeof LANGUAGES;

function curlOf({ method, url, headers, body }: SampleRequest): string {
  const lines = [
    `curl ${inShell(url)}`,
    ...(method === 'GET' ? [] : [`-X ${method}`]),
    ...headers.map(([name, value]) =>
      typeof value === 'string'
        ? `-H ${inShell(`${name}: ${value}`)}`
        : `-H "${name}: ${value.prefix}$${value.variable}"`,
    ),
    ...(body === undefined ? [] : [`-d ${inShell(textOf(body))}`]),
  ];
  return lines.join(' \\\n  ');
}

function javascriptOf({ method, url, headers, body }: SampleRequest): string {
  const valueOf = (value: HeaderValue) => {
    if (typeof value === 'string') return quoted(value);
    const variable = `process.env.${value.variable}`;
    return value.prefix === '' ? variable : `\`${value.prefix}\${${variable}}\``;
  };
  const options = [
    ...(method === 'GET' ? [] : [`  method: ${quoted(method)},`]),
    ...(headers.length === 0
      ? []
      : ['  headers: {', ...headers.map(([name, value]) => `    ${quoted(name)}: ${valueOf(value)},`), '  },']),
    ...(body === undefined
      ? []
      : [`  body: ${typeof body === 'string' ? quoted(body) : `JSON.stringify(${literal(body, JSON_SYNTAX, 1)})`},`]),
  ];
  const more = options.length === 0 ? '' : `, {\n${options.join('\n')}\n}`;
  return `const response = await fetch(${quoted(url)}${more});\nconsole.log(response.status, await response.text());`;
}

function pythonOf({ method, url, headers, body }: SampleRequest): string {
  const valueOf = (value: HeaderValue) => {
    if (typeof value === 'string') return quoted(value);
    const variable = `os.environ["${value.variable}"]`;
    return value.prefix === '' ? variable : `${quoted(value.prefix)} + ${variable}`;
  };
  const data =
    typeof body === 'string' ? `${quoted(body)}.encode()` : `json.dumps(${literal(body, PYTHON, 1)}).encode()`;
  return [
    'import json, os, urllib.request',
    '',
    'request = urllib.request.Request(',
    `    ${quoted(url)},`,
    `    method=${quoted(method)},`,
    ...(headers.length === 0
      ? []
      : ['    headers={', ...headers.map(([name, value]) => `        ${quoted(name)}: ${valueOf(value)},`), '    },']),
    ...(body === undefined ? [] : [`    data=${data},`]),
    ')',
    'with urllib.request.urlopen(request) as response:',
    '    print(response.status, response.read().decode())',
  ].join('\n');
}

function phpOf({ method, url, headers, body }: SampleRequest): string {
  const lineOf = ([name, value]: SampleRequest['headers'][number]) =>
    typeof value === 'string'
      ? inPhp(`${name}: ${value}`)
      : `${inPhp(`${name}: ${value.prefix}`)} . getenv('${value.variable}')`;
  const data = typeof body === 'string' ? inPhp(body) : `json_encode(${literal(body, PHP, 1)})`;
  return [
    '<?php',
    `$request = curl_init(${inPhp(url)});`,
    'curl_setopt_array($request, [',
    `    CURLOPT_CUSTOMREQUEST => ${inPhp(method)},`,
    ...(headers.length === 0
      ? []
      : ['    CURLOPT_HTTPHEADER => [', ...headers.map((header) => `        ${lineOf(header)},`), '    ],']),
    ...(body === undefined ? [] : [`    CURLOPT_POSTFIELDS => ${data},`]),
    '    CURLOPT_RETURNTRANSFER => true,',
    ']);',
    'echo curl_exec($request);',
  ].join('\n');
}

const textOf = (body: unknown): string => (typeof body === 'string' ? body : JSON.stringify(body, null, 2));

/** A text that a shell passes as it is. */
const inShell = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** Texts of JSON are texts of JavaScript and Python. */
const quoted = (text: string): string => JSON.stringify(text);

const inPhp = (text: string): string => `'${text.replaceAll(/['\\]/g, String.raw`\$&`)}'`;

/** The syntax of values in a language. */
interface Syntax {
  readonly indent: string;
  readonly words: Readonly<Record<'true' | 'false' | 'null', string>>;
  readonly object: readonly [open: string, colon: string, close: string, empty: string];
  readonly text: (text: string) => string;
}

const WORDS = { true: 'true', false: 'false', null: 'null' };
const PYTHON_WORDS = { true: 'True', false: 'False', null: 'None' };
const JSON_SYNTAX: Syntax = { indent: '  ', words: WORDS, object: ['{', ': ', '}', '{}'], text: quoted };
const PYTHON: Syntax = { ...JSON_SYNTAX, indent: '    ', words: PYTHON_WORDS };
const PHP: Syntax = { indent: '    ', words: WORDS, object: ['[', ' => ', ']', 'new stdClass()'], text: inPhp };

/** A value of JSON in a language, whose first line is at this depth of indentation. */
function literal(value: unknown, syntax: Syntax, depth: number): string {
  if (typeof value === 'string') return syntax.text(value);
  if (value === null || typeof value === 'boolean') return syntax.words[`${value}`];
  if (typeof value !== 'object') return JSON.stringify(value);
  const [open, colon, close, empty] = syntax.object;
  const entries = Array.isArray(value)
    ? value.map((each) => literal(each, syntax, depth + 1))
    : Object.entries(value).map(([name, each]) => `${syntax.text(name)}${colon}${literal(each, syntax, depth + 1)}`);
  if (entries.length === 0) return Array.isArray(value) ? '[]' : empty;
  const [start, end] = Array.isArray(value) ? ['[', ']'] : [open, close];
  const lines = entries.map((entry) => `${syntax.indent.repeat(depth + 1)}${entry},`);
  return `${start}\n${lines.join('\n')}\n${syntax.indent.repeat(depth)}${end}`;
}

/** A program of each language. */
export type Samples = Readonly<Record<Language, string>>;

export const CODE_SAMPLES_SCHEMA = {
  type: 'object',
  description: 'By operation, as `get /v1/links`: a program of each language',
  additionalProperties: {
    type: 'object',
    properties: Object.fromEntries(Object.keys(LANGUAGES).map((language) => [language, { type: 'string' }])),
    required: Object.keys(LANGUAGES),
  },
};

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** Programs that make the request of the examples of each operation. */
export function codeSamples({ paths, servers = [], components }: OpenAPIObject): Readonly<Record<string, Samples>> {
  const { session } = components?.securitySchemes ?? {};
  const cookie = session && 'name' in session ? String(session.name) : '';
  const entries = Object.entries(paths).flatMap(([path, routes]) =>
    METHODS.flatMap((method) => {
      const operation: Operation | undefined = routes[method];
      if (!operation) return [];
      const server = (operation.servers ?? servers)[0]?.url ?? '';
      const request = sampleRequest({ server, path, method, operation, cookie });
      return [[`${method} ${path}`, fromKeys(keysOf(LANGUAGES), (language) => LANGUAGES[language](request))] as const];
    }),
  );
  return Object.fromEntries(entries);
}
