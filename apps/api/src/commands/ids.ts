import { ulid } from 'ulid';
import { v5 } from 'uuid';

export type IdPrefix = 'org' | 'site' | 'link' | 'key' | 'sec';

/** `site_01J…`: a readable prefix and a ULID, so that ids sort by the time they were made. */
export const newId = (prefix: IdPrefix): string => `${prefix}_${ulid()}`;

/** The id of the nth event of one step of a command: the same for every attempt at it. */
export const eventId = (commandId: string, step: string, n: number): string => v5(`${step}:${n}`, commandId);
