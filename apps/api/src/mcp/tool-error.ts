import { detailsOf, type ErrorCode, type Problem } from '@ledgerline/contracts/errors/error-codes';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { cutText } from '../http/display-name';

/** What a model can do about an error, by its code. */
const HINTS: Readonly<Record<ErrorCode, string>> = {
  AUTH_REQUIRED: 'Connect again with a valid API key, or sign in.',
  FORBIDDEN:
    'The credential lacks a scope, or does not reach this website or link. list_websites shows what it may query; an owner or admin of the organization can give it more.',
  VALIDATION_ERROR:
    'Correct the arguments that details names, and call again. list_query_types shows names, fields and filters.',
  METHOD_NOT_ALLOWED: 'Use another tool.',
  REQUEST_TIMEOUT: 'Call again.',
  NOT_FOUND: 'Look up the id with list_links or list_websites.',
  CONFLICT: 'Read the link again with get_link, decide anew, and call again.',
  PAYLOAD_TOO_LARGE: 'Send shorter arguments.',
  RATE_LIMITED: 'Wait before the next call.',
  SERVICE_UNAVAILABLE: 'Nothing was changed. Call again after some seconds.',
  REBUILDING: 'The tables are being filled after an upgrade. Call again later; other query types can be asked for now.',
  INTERNAL: 'This is an error of the service. Report the requestId to those who run it.',
};

const SLUG_TAKEN = 'The slug is taken: call again with another slug.';

export function toolError(problem: Problem, requestId?: string): CallToolResult {
  const { code, message, retryAfter } = problem;
  const details = detailsOf(problem);
  const wait = retryAfter === undefined ? '' : ` Wait ${retryAfter} s.`;
  const isSlugTaken = code === 'CONFLICT' && problem.details?.some(({ field }) => field === 'slug');
  const error = {
    code,
    message,
    hint: `${isSlugTaken ? SLUG_TAKEN : HINTS[code]}${wait}`,
    requestId,
    ...(details ? { details } : {}),
  };
  // as text alone: clients compare structured content, also that of an error, with the schema of the tool's results
  return { isError: true, content: [{ type: 'text', text: JSON.stringify(error) }] };
}

/** As structured content, and as text for clients that know no other; not twice, as some clients show a model both. */
export const toolResult = (content: object): CallToolResult => {
  const text = JSON.stringify(content);
  const structuredContent = JSON.parse(text) as Record<string, unknown>;
  return { content: [{ type: 'text', text: beginningOf(text) }], structuredContent };
};

const MAX_TEXT = 2_000;

const beginningOf = (text: string): string =>
  text.length <= MAX_TEXT
    ? text
    : `${cutText(text, MAX_TEXT)} (${MAX_TEXT} of ${text.length} characters. structuredContent has all; where it is not shown, ask for less at once.)`;
