import { ApiError } from '@ledgerline/client';

/** One parameter of a request that failed alone; its message is the api's. */
export class FailedParameter extends Error {}

/** Of the api, or `UNREACHABLE` without an answer of it. */
export const codeOf = (error: Error): string =>
  error instanceof FailedParameter ? 'FAILED_ALONE' : (error instanceof ApiError && error.code) || 'UNREACHABLE';

/** One sentence for people. */
export function messageOf(error: Error): string {
  if (error instanceof ApiError && error.needs.length > 0) return `This needs ${error.needs.map(needed).join(' or ')}.`;
  if (error instanceof ApiError || error instanceof FailedParameter) return error.message;
  return 'The api did not answer. Is it running, and are you online?';
}

const needed = ({ needs, of = 'organization' }: ApiError['needs'][number]): string => `“${needs}” of the ${of}`;

/** The id that finds the request in the log of the api. */
export const requestIdOf = (error: Error): string | undefined =>
  error instanceof ApiError ? error.requestId : undefined;

/** Whether the same request may succeed a moment later. */
export const isTransient = (error: Error): boolean => ['UNREACHABLE', 'SERVICE_UNAVAILABLE'].includes(codeOf(error));

/** What is wrong with one field of the request. */
export const fieldMessage = (error: Error | null, field: string): string | undefined => {
  const found = error instanceof ApiError ? error.details.find((detail) => detail.field === field) : undefined;
  return found && fieldSentence(found);
};

/** Without the name that programs have for the field: people see its label. */
export function fieldSentence({ field, message }: { readonly field: string; readonly message: string }): string {
  const name = field.split('.').at(-1) ?? field;
  const prefix = [field, name].find((each) => message.startsWith(`${each} `));
  const text = prefix === undefined ? message : message.slice(prefix.length + 1);
  return text.charAt(0).toUpperCase() + text.slice(1);
}
