import type { TagDetails } from '@ledgerline/contracts/events/tag.events';
import { type NamedRecordCommand, namedRecords } from '../named-records';

export type TagCommand = NamedRecordCommand<'Tag', 'tagId', TagDetails>;

export const plainTag = { color: 'gray' } as const;

/** The tags of an organization. */
export const tag = namedRecords<'tags', TagCommand>('tags', { full: 'TAGS_FULL' });
