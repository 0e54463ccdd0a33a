import type { SegmentDto } from '@ledgerline/client';
import { describeFilter } from '../view/filter-fields';

type Deed = SegmentDto['did'][number];

/** Returns whose sessions a segment has, sentence by sentence. */
export const describeSegment = ({ filters, did }: Pick<SegmentDto, 'filters' | 'did'>): readonly string[] => [
  ...filters.map(describeFilter),
  ...did.map(describeDeed),
];

const EVENTS: Readonly<Record<Deed['condition']['kind'], string>> = {
  page: 'viewed a page',
  event: 'had a custom event',
  outgoing_link: 'followed an outgoing link',
  error: 'met an error',
  form_submit: 'sent a form',
  vital: 'had a web vital measured',
  link_click: 'came by a short link',
};

/** Such as `Did not: sent a form (Page is /order), in the range`. */
function describeDeed({ condition: { kind, filters = [] }, within, not = false }: Deed): string {
  const of = filters.length > 0 ? ` (${filters.map(describeFilter).join(', ')})` : '';
  return `${not ? 'Never' : 'Once'} ${EVENTS[kind]}${of}, ${within === 'session' ? 'in the session' : 'in the range'}`;
}
