import { EpochChanged, type Cursor } from '@ledgerline/platform/log/log-reader';
import { invalid } from '../http/problems';

const SHAPE = /^(?<organization>\w{1,64}) (?<place>[!-~]{1,200})$/;

/** A place in an organization's history, as one opaque word. */
export const cursorText = (organizationId: string, place: Cursor): string =>
  Buffer.from(`${organizationId} ${place}`, 'utf8').toString('base64url');

/** @throws Problem VALIDATION_ERROR for what is no cursor of this organization's audit log */
export function placeOf(organizationId: string, cursor: string | undefined): Cursor | undefined {
  if (cursor === undefined) return undefined;
  const { organization, place } = SHAPE.exec(Buffer.from(cursor, 'base64url').toString('utf8'))?.groups ?? {};
  if (organization === organizationId && place !== undefined && cursorText(organization, place) === cursor)
    return place;
  throw invalidCursor();
}

/** Of a read that began at the place of a cursor, which only the event store can judge. @throws Problem VALIDATION_ERROR */
export function orInvalidCursor(error: unknown): never {
  throw error instanceof EpochChanged ? invalidCursor() : error;
}

const invalidCursor = () =>
  invalid([{ field: 'cursor', message: 'Must be the nextCursor of a page of this audit log.' }]);
