import type { CallToolResult } from '@modelcontextprotocol/server';
import { type ErrorCode, ForbiddenProblem, type Problem, detailsOf } from '@ledgerline/contracts/errors/error-codes';
import { TOOLS } from './catalogue';

/** Answers as text alone: clients compare structured content, also that of an error, with the schema of the tool's results. */
export function toolError(problem: Problem, tool: string, requestId?: string): CallToolResult {
  const { code, message, retryAfter } = problem;
  const details = detailsOf(problem);
  const wait = retryAfter === undefined ? '' : ` Wait ${retryAfter} s.`;
  const hint = hintOf(problem, tool) ?? HINTS[code];
  const error = { code, message, hint: `${hint}${wait}`, requestId, ...(details ? { details } : {}) };
  return { isError: true, content: [{ type: 'text', text: JSON.stringify(error) }] };
}

/** Hints at what a model can do about an error, by its code. */
const HINTS: Readonly<Record<ErrorCode, string>> = {
  AUTH_REQUIRED: 'Connect again with a valid API key, or sign in.',
  FORBIDDEN: 'The credential lacks a scope that details name; an owner or admin of the organization can give it more.',
  VALIDATION_ERROR:
    'Correct the arguments that details names, and call again. list_query_types shows names, fields and filters.',
  METHOD_NOT_ALLOWED: 'Use another tool.',
  REQUEST_TIMEOUT: 'Call again.',
  NOT_FOUND: 'Look up the id with the tool that lists its kind.',
  CONFLICT: 'Read again what is there, decide anew, and call again.',
  PAYLOAD_TOO_LARGE: 'Send shorter arguments.',
  RATE_LIMITED: 'Wait before the next call.',
  SERVICE_UNAVAILABLE: 'Nothing was changed. Call again after some seconds.',
  REBUILDING: 'The tables are being filled after an upgrade. Call again later; other query types can be asked for now.',
  TOO_LARGE: 'The query holds too many sessions. Call again with a shorter range, or without filters.',
  INTERNAL: 'This is an error of the service. Report the requestId to those who run it.',
};

/** A hint that names the tool which shows what there is of the kind in question; undefined where none does. */
function hintOf(problem: Problem, tool: string): string | undefined {
  if (problem.code === 'CONFLICT') return conflictHint(problem, kindIn(/^[a-z]+_(\w+)$/, tool));
  const reach = problem instanceof ForbiddenProblem ? problem.needs.find(({ of }) => listOf(of))?.of : undefined;
  if (reach)
    return `The credential lacks a scope, or does not reach this ${reach}. ${listOf(reach)} shows what it may query; an owner or admin of the organization can give it more.`;
  const texts = [problem.message, ...(problem.details ?? []).map(({ message }) => message)];
  const list = texts.map((text) => listOf(kindIn(NOT_FOUND, text) ?? kindIn(NOT_OF_WEBSITE, text))).find(Boolean);
  return list && `Look up the id with ${list}.`;
}

/** As `notFound` and options that name a definition say it. */
const NOT_FOUND = /^([\w ]+) not found$/;
const NOT_OF_WEBSITE = /(goal|funnel|segment)s?(?:\[\d+\])? is ".*", which the website does not have/;

const kindIn = (pattern: RegExp, text: string): string | undefined =>
  pattern.exec(text)?.[1]?.toLowerCase().replace(' ', '_');

function conflictHint({ details }: Problem, kind: string | undefined): string | undefined {
  if (details?.some(({ field }) => field === 'slug')) return 'The slug is taken: call again with another slug.';
  const reader = toolNamed(`get_${kind}`) ?? listOf(kind);
  return reader && `Read the ${kind} again with ${reader}, decide anew, and call again.`;
}

const listOf = (kind: string | undefined): string | undefined => toolNamed(`list_${kind}s`);

const toolNamed = (name: string): string | undefined => TOOLS.find((tool) => tool.name === name)?.name;
