import type { Problem } from '@ledgerline/contracts/errors/error-codes';
import type { RefusedRequest } from '@ledgerline/platform/http/raw-reply';
import { statusOf } from '@ledgerline/platform/http/statuses';
import { PROBLEM } from '../../discovery/error-responses';
import { text } from '../../http/json-schema';

/** Where the routes of the OpenFeature Remote Evaluation Protocol begin. */
export const OFREP = '/public/v1/flags/ofrep/v1/evaluate/flags';

/** What that protocol wants in the body of a refusal, beside ours; nothing elsewhere. */
export function ofrepFailure(
  problem: Problem,
  { routeOptions, params }: RefusedRequest & { params?: unknown },
): object {
  const errorCode = routeOptions.url?.startsWith(OFREP) ? errorCodeOf(problem) : undefined;
  if (errorCode === undefined) return {};
  const { key } = (params ?? {}) as { readonly key?: string };
  return { ...(key === undefined ? {} : { key }), errorCode, errorDetails: detailsOf(problem) };
}

/** All that providers show to developers. */
const detailsOf = ({ message, details = [] }: Problem): string =>
  details.length === 0 ? message : details.map(({ field, message: wrong }) => `${field}: ${wrong}`).join(' ');

/** The protocol has bodies for 400 and 404 alone. */
function errorCodeOf(problem: Problem): string | undefined {
  const { code, details } = problem;
  if (code === 'NOT_FOUND') return 'FLAG_NOT_FOUND';
  if (statusOf(problem) !== 400) return undefined;
  if (!details) return 'PARSE_ERROR';
  return details.some(({ field }) => field.startsWith('context')) ? 'INVALID_CONTEXT' : 'GENERAL';
}

/** The error body of every route, with the fields of the protocol. */
export const OFREP_FAILURE = {
  ...PROBLEM,
  properties: {
    ...PROBLEM.properties,
    key: { ...text, description: 'Of the flag' },
    errorCode: { ...text, description: 'In the words of OpenFeature: `FLAG_NOT_FOUND`, `INVALID_CONTEXT` …' },
    errorDetails: text,
  },
  required: [...PROBLEM.required, 'errorCode', 'errorDetails'],
};
