import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ANONYMOUS } from '@ledgerline/domain/access/caller';
import type { Cursor } from '@ledgerline/platform/log/log-reader';
import { invalid } from './problems';
import type { CallerRequest } from './route';

/** The content of a write's X-Log-Position: the end of each log at that time. */
export interface WritePosition {
  /** In the event store. */
  readonly decided?: Cursor;
  /** Offsets in the intake log by partition. */
  readonly observed: ReadonlyMap<number, number>;
  /** Offsets in the Kafka topic that is copied into the intake log, by partition. */
  readonly sent?: ReadonlyMap<number, number>;
}

/** The time for which a request waits until its X-Min-Position is included. */
export const MAX_WAIT_MS = 2_000;

const DECIDED = /^e:[\w./-]{1,200}$/;

/** The X-Min-Position of a request: what the answer should include. */
export interface AwaitedPosition extends WritePosition {
  /** When all waiting for it ends, by `performance.now()`. */
  readonly until: number;
}

/** @throws Problem VALIDATION_ERROR for what is no X-Log-Position */
function readPosition(text: string): WritePosition {
  let decided: Cursor | undefined;
  const observed = new Map<number, number>();
  const sent = new Map<number, number>();
  for (const part of text.split(',').map((piece) => piece.trim())) {
    const [, log, partition, offset] = /^([ik])(\d{1,4}):(\d{1,15})$/.exec(part) ?? [];
    if (log !== undefined) (log === 'i' ? observed : sent).set(Number(partition), Number(offset));
    else if (DECIDED.test(part)) decided = part.slice(2);
    else throw invalid([{ field: 'X-Min-Position', message: 'Must be an X-Log-Position of this service.' }]);
  }
  return decided === undefined ? { observed, sent } : { decided, observed, sent };
}

type PositionedRequest = Pick<CallerRequest, 'headers' | 'caller'> & { awaited?: AwaitedPosition };

/**
 * Read once for a request, whose time to wait begins then. Without a credential it is over at once, so that only those
 * hold connections who may. @throws Problem VALIDATION_ERROR
 */
export function awaitedPosition(request: PositionedRequest): AwaitedPosition | undefined {
  const { caller = ANONYMOUS, headers } = request;
  const sent = headers['x-min-position'];
  if (sent === undefined) return undefined;
  const until = caller.kind === 'anonymous' ? 0 : performance.now() + MAX_WAIT_MS;
  return (request.awaited ??= { ...readPosition(sent.toString()), until });
}

/** The X-Min-Position of the request, as a parameter of the route. */
export const MinPosition = createParamDecorator((_: unknown, context: ExecutionContext): AwaitedPosition | undefined =>
  awaitedPosition(context.switchToHttp().getRequest()),
);
