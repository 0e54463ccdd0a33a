import { Problem, type FieldError } from '@ledgerline/contracts/errors/error-codes';
import type { IntakeContext, Refusal } from './intake-context';

/**
 * How many items were accepted, and why others were not; clients take anything but `status: "success"` for a failure.
 * @throws Problem when all are bad
 */
export const countResponse =
  (type: string) =>
  ({ items, refused }: IntakeContext): object => {
    const errors = refusedFields(refused);
    if (items.length === 0) throw allRefused(refused, errors);
    return { status: 'success', type, count: items.length, ...(errors.length > 0 ? { errors } : {}) };
  };

/** The response of `/` and `/identify`. @throws Problem when the event is bad */
export function singleResponse(context: IntakeContext): object {
  const [item] = context.items;
  if (item === undefined) throw allRefused(context.refused, refusedFields(context.refused));
  return { status: 'success', type: wireType(item.payload.facts.type) };
}

/** The response of `/batch`: a result for each item, in order, and never a failure because of bad items alone. */
export function batchResponse(context: IntakeContext): object {
  const { items, refused } = context;
  if (items.length === 0 && refused.some(({ code }) => code !== 'VALIDATION_ERROR'))
    throw allRefused(refused, refusedFields(refused));
  const results = [
    ...items.map(({ index, payload: { facts, clientEventId } }) => ({
      index,
      result: { status: 'success', type: wireType(facts.type), eventId: clientEventId },
    })),
    ...refused.map(({ index, eventId, code, errors }) => ({
      index,
      result: { status: 'error', eventId, message: sentence(errors), code, errors },
    })),
  ].sort((a, b) => a.index - b.index);
  return {
    status: refused.length === 0 ? 'success' : 'partial',
    batch: true,
    processed: items.length,
    results: results.map(({ result }) => result),
  };
}

const WIRE_TYPES: Readonly<Record<string, string>> = {
  OutgoingLinkClicked: 'outgoing_link',
  VisitorIdentified: 'identify',
};

const wireType = (type: string): string => WIRE_TYPES[type] ?? 'track';

const refusedFields = (refused: readonly Refusal[]) =>
  refused
    .flatMap(({ index, errors }) => errors.map((error) => ({ index, ...error })))
    .sort((a, b) => a.index - b.index);

/** One reason shared by all items is the request's own; otherwise it is simply not valid. */
function allRefused(refused: readonly Refusal[], errors: readonly FieldError[]): Problem {
  const [code = 'VALIDATION_ERROR', ...others] = new Set(refused.map((each) => each.code));
  const shared = others.length === 0 ? code : 'VALIDATION_ERROR';
  const message = shared === 'FORBIDDEN' ? 'Insufficient permissions' : sentence(errors);
  return new Problem(shared, message, errors);
}

const sentence = (errors: readonly FieldError[]): string => {
  const [first] = errors;
  return first === undefined ? 'The request holds no events' : `${first.field} ${first.message}`;
};

/** `X-Log-Position`: the position of each partition after a write, for queries that must include it. */
export const logPositionOf = (positions: ReadonlyMap<number, string>): string =>
  [...positions]
    .map(([partition, position]) =>
      isOfTopic(position) ? `k${partition}:${position.slice(1)}` : `i${partition}:${position}`,
    )
    .join(',');

/** Of the topic that is copied into the log. */
const isOfTopic = (position: string): boolean => position.startsWith('k');
