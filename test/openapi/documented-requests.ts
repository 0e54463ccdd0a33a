/** An operation of an OpenAPI document, as far as a request to it is concerned. */
export interface DescribedOperation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, MediaType>> };
  readonly responses: Readonly<Record<string, object>>;
  readonly servers?: readonly object[];
}

interface Parameter {
  readonly name?: string;
  readonly in?: string;
  readonly example?: string | number;
  readonly schema?: { readonly example?: string | number };
}

interface MediaType {
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

export interface DocumentedRequest {
  /** `GET /v1/links/{id}` */
  readonly operation: string;
  readonly method: string;
  /** With the examples of its parameters. */
  readonly path: string;
  readonly body: unknown;
  /** The status of success. */
  readonly success: number;
}

type Paths = Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;

/** The requests that a document gives as examples: one for each operation, or for each example of its body. */
export const documentedRequests = ({ paths }: { readonly paths: Paths }): readonly DocumentedRequest[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => requestsOf(path, method.toUpperCase(), operation)),
  );

function requestsOf(path: string, method: string, operation: DescribedOperation): DocumentedRequest[] {
  const { parameters = [], requestBody, responses } = operation;
  const query = new URLSearchParams();
  let filled = path;
  for (const { name = '', in: where, schema, example = schema?.example } of parameters) {
    if (where === 'path') filled = filled.replace(`{${name}}`, String(example));
    if (where === 'query' && example !== undefined) query.set(name, String(example));
  }
  const { example, examples } = Object.values(requestBody?.content ?? {})[0] ?? {};
  const bodies = examples ? Object.values(examples).map(({ value }) => value) : [example];
  return bodies.map((body) => ({
    operation: `${method} ${path}`,
    method,
    path: query.size > 0 ? `${filled}?${query.toString()}` : filled,
    body,
    success: Number(Object.keys(responses).find((status) => status.startsWith('2'))),
  }));
}
