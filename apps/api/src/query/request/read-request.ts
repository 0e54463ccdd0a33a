import type { FieldError } from '@ledgerline/contracts/errors/error-codes';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import type { QueryCall } from './ask';
import { fieldErrors } from '../../http/validation';
import { invalid } from '../../http/problems';
import { resolveRequest, type Asking, type ResolvedRequest } from './resolve-request';
import { MAX_REQUESTS, QueryRequestDto } from './query-request.dto';

type Context = Omit<Asking, 'zone'>;

/** What a body asks, one request or a batch of them, with every date, name and zone resolved. */
export interface ReadBody {
  readonly batch: boolean;
  readonly requests: readonly ResolvedRequest[];
}

/** @throws Problem VALIDATION_ERROR naming every wrong field of every request */
export function readBody({ body, timezone }: Pick<QueryCall, 'body' | 'timezone'>, context: Context): ReadBody {
  const zone = zoneOf(timezone);
  const asking = { ...context, zone };
  const batch = Array.isArray(body);
  const bodies: readonly unknown[] = batch ? (body as unknown[]) : [body];
  if (bodies.length === 0 || bodies.length > MAX_REQUESTS) {
    throw invalid([{ field: '', message: `A batch must hold 1 to ${MAX_REQUESTS} requests.` }]);
  }
  const read = bodies.map((one, at) => readOne(one, asking, batch ? `[${at}]` : ''));
  const errors = read.flatMap((one) => ('errors' in one ? one.errors : []));
  if (errors.length > 0) throw invalid(errors);
  return { batch, requests: read.flatMap((one) => ('errors' in one ? [] : [one])) };
}

function readOne(body: unknown, asking: Asking, path: string): ResolvedRequest | { errors: readonly FieldError[] } {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return { errors: [{ field: path, message: 'Must be a JSON object.' }] };
  }
  const dto = plainToInstance(QueryRequestDto, withoutNulls(body));
  const found = validateSync(dto, { whitelist: true, forbidNonWhitelisted: true });
  if (found.length > 0) return { errors: found.flatMap((error) => fieldErrors(error, path)) };
  const resolved = resolveRequest(dto, asking);
  if (!('errors' in resolved)) return resolved;
  const prefix = path === '' ? '' : `${path}.`;
  return { errors: resolved.errors.map((error) => ({ ...error, field: prefix + error.field })) };
}

/** A field that is null is a field that was not sent. */
const withoutNulls = (body: object): object =>
  JSON.parse(JSON.stringify(body, (_, value: unknown) => (value === null ? undefined : value))) as object;

function zoneOf(timezone: unknown): string | undefined {
  if (timezone === undefined || typeof timezone === 'string') return timezone;
  throw invalid([{ field: 'timezone', message: 'Must be given once.' }]);
}
