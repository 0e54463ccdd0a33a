import type { Operation, Schema } from '../discovery/document';

/** The value of a header: a text, or a secret in a variable of the environment. */
export type HeaderValue = string | { readonly prefix: string; readonly variable: string };

/** A request that a sample makes. */
export interface SampleRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: HeaderValue])[];
  /** A text is sent as it is, all else as JSON; undefined for a request without a body. */
  readonly body: unknown;
}

/** An operation with its place in the document. */
export interface LocatedOperation {
  readonly server: string;
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
  /** Of the cookie of a signed-in person. */
  readonly cookie: string;
}

/** The request of the examples of an operation. */
export function sampleRequest(located: LocatedOperation): SampleRequest {
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
    const schema = each.schema as Schema | undefined;
    const example: unknown = each.example ?? schema?.example ?? (each.required ? each.name.toUpperCase() : undefined);
    return example === undefined ? [] : [[each.name, textOf(example)]];
  });
}

function bodyOf({ requestBody }: Operation): { readonly type?: string; readonly body?: unknown } {
  if (!requestBody || '$ref' in requestBody) return {};
  const [type, media] = Object.entries(requestBody.content)[0] ?? [];
  if (type === undefined) return {};
  if (type === FORM) return { type, body: formOf(media?.schema as Schema) };
  const first = Object.values(media?.examples ?? {})[0];
  return { type, body: (media?.example ?? (first && 'value' in first ? first.value : undefined)) as unknown };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const FORM = 'application/x-www-form-urlencoded';

function formOf({ properties = {}, required = Object.keys(properties) }: Schema): string {
  const fields = required.map(
    (name) => [name, textOf(properties[name]?.example ?? name.toUpperCase())] as [string, string],
  );
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
