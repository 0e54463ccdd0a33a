import { Problem, type FieldError } from '@ledgerline/contracts/errors/error-codes';
import type { Delivery, Refusal } from './delivery';

/** What `/track` answers: clients take anything but `status: "success"` for a failure. */
export const trackAnswer = countAnswer('custom_event');
export const vitalsAnswer = countAnswer('vitals');
export const errorsAnswer = countAnswer('errors');
export const engagementAnswer = countAnswer('engagement');

/** How many were taken, and why others were not. @throws Problem when all are bad */
function countAnswer(type: string): (delivery: Delivery) => object {
  return (delivery) => {
    const errors = refusedFields(delivery.refused);
    if (delivery.items.length === 0) throw allRefused(delivery.refused, errors);
    const count = delivery.items.length;
    return { status: 'success', type, count, ...(errors.length > 0 ? { errors } : {}) };
  };
}

/** What `/` answers. @throws Problem when the event is bad */
export function singleAnswer(delivery: Delivery): object {
  const [item] = delivery.items;
  if (item === undefined) throw allRefused(delivery.refused, refusedFields(delivery.refused));
  return { status: 'success', type: wireType(item.payload.facts.type) };
}

/** What `/batch` answers: a result for each item, in order, and never a failure because of bad items alone. */
export function batchAnswer(delivery: Delivery): object {
  const { items, refused } = delivery;
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

const wireType = (type: string): string => (type === 'OutgoingLinkClicked' ? 'outgoing_link' : 'track');

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
