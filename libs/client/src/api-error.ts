import type { FieldError, Need, Problem } from './schema.js';

/** What the api refused: its code, the wrong fields or what is needed, and the id that finds the request in its log. */
export class ApiError extends Error {
  readonly code: Problem['code'] | undefined;
  readonly details: readonly FieldError[];
  /** Scopes or roles that the credential lacks. */
  readonly needs: readonly Need[];
  readonly requestId: string | undefined;
  readonly status: number;
  /** Seconds after which trying again makes sense. */
  readonly retryAfter: number | undefined;

  constructor(problem: unknown, response: Response) {
    const { error, code, details = [], requestId } = isProblem(problem) ? problem : NO_PROBLEM;
    super(error ?? `The api answered ${response.status}`);
    this.name = 'ApiError';
    this.status = response.status;
    this.code = code;
    this.details = details.filter((each) => 'field' in each);
    this.needs = details.filter((each) => 'needs' in each);
    this.requestId = requestId;
    this.retryAfter = Number(response.headers.get('retry-after')) || undefined;
  }
}

/** Of a response of a proxy before the api. */
const NO_PROBLEM: Partial<Problem> = {};

const isProblem = (body: unknown): body is Problem =>
  typeof body === 'object' && body !== null && 'code' in body && 'error' in body;

/** What a method of openapi-fetch resolves to. */
interface Result {
  readonly data?: unknown;
  readonly error?: unknown;
  readonly response: Response;
}

type DataOf<Of extends Result> = Extract<Of, { readonly error?: never }>['data'];

/** The data of a call: `dataOf(client.GET('/v1/links', …))`. @throws ApiError when it is refused */
export async function dataOf<Of extends Result>(call: Promise<Of>): Promise<DataOf<Of>> {
  const { data, error, response } = await call;
  if (!response.ok) throw new ApiError(error, response);
  return data;
}
