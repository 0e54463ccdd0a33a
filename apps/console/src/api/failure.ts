import { ApiError } from '@ledgerline/client';

/** One parameter of a request that failed alone; its message is the api's. */
export class FailedParameter extends Error {}

/** Returns the error code of the api, or `UNREACHABLE` without an answer of it. */
export const codeOf = (error: Error): string =>
  error instanceof FailedParameter ? 'FAILED_ALONE' : (error instanceof ApiError && error.code) || 'UNREACHABLE';

/** Returns what happened and what can be done, in a sentence for people. */
export function messageOf(error: unknown): string {
  if (error instanceof FailedParameter) return stopped(error.message);
  if (!(error instanceof ApiError)) return 'The api did not answer. Is it running, and are you online?';
  const { code, message, details, needs, status } = error;
  const then = waitOf(error);
  if (needs.length > 0) return `This needs ${needs.map(needed).join(' or ')}.`;
  if (code === undefined) return `Something before the api answered ${status}; try again ${then}.`;
  if (code === 'RATE_LIMITED') return `${message}; try again ${then}.`;
  if (code === 'SERVICE_UNAVAILABLE' && !message.includes('.')) return `${message}; try again ${then}.`;
  if (code === 'AUTH_REQUIRED') return 'You are signed out; sign in again.';
  if (code === 'NOT_FOUND') return `${message}; somebody may have deleted it.`;
  if (code === 'INTERNAL') return `${message}; the log of the api says what, at the request ${error.requestId ?? ''}.`;
  return details.length > 0 ? details.map((each) => each.message).join(' ') : stopped(message);
}

const needed = ({ needs, of = 'organization' }: ApiError['needs'][number]): string => `“${needs}” of the ${of}`;

const stopped = (text: string): string => (/[.?!]$/.test(text) ? text : `${text}.`);

/** When the same request may succeed. */
function waitOf({ retryAfter = 0 }: ApiError): string {
  if (retryAfter <= 5) return 'in a moment';
  return retryAfter <= 90 ? `in ${retryAfter} seconds` : `in ${Math.ceil(retryAfter / 60)} minutes`;
}

/** The id that finds the request in the log of the api. */
export const failedRequestId = (error: Error): string | undefined =>
  error instanceof ApiError ? error.requestId : undefined;

/** Returns whether the same request may succeed a moment later. */
export const isTransient = (error: Error): boolean => ['UNREACHABLE', 'SERVICE_UNAVAILABLE'].includes(codeOf(error));

const detailsOf = (error: Error | null) => (error instanceof ApiError ? error.details : []);

/** Returns what is wrong with one field of the request as a whole. */
export function wholeMessage(error: Error | null, field: string): string | undefined {
  const found = detailsOf(error).find((detail) => detail.field === field);
  return found && fieldSentence(found);
}

/** Returns what is wrong with one field of the request, or else first with something in it: an entry, a part. */
export function fieldMessage(error: Error | null, field: string): string | undefined {
  const whole = wholeMessage(error, field);
  const found = detailsOf(error).find((detail) => isOf(detail.field, [field]));
  if (whole !== undefined || !found) return whole;
  const entry = /^\[(\d+)\]$/.exec(found.field.slice(field.length))?.[1];
  return entry === undefined ? fieldSentence(found) : `Entry ${Number(entry) + 1}: ${fieldSentence(found)}`;
}

/** Returns whether a field is one of these, or within one: `tags[2]` of `tags`. */
export const isOf = (field: string, fields: readonly string[]): boolean =>
  fields.some((each) => field.startsWith(each) && ['', '.', '['].includes(field.charAt(each.length)));

/** Without the name that programs have for the field: people see its label. */
export function fieldSentence({ field, message }: { readonly field: string; readonly message: string }): string {
  const name = field.slice(field.lastIndexOf('.') + 1);
  const prefix = [field, name].find((each) => message.startsWith(`${each} `));
  const text = prefix === undefined ? message : message.slice(prefix.length + 1);
  return stopped(text.charAt(0).toUpperCase() + text.slice(1));
}
