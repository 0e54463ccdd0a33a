import { HAPPENING_KINDS } from '@ledgerline/contracts/read-models/registry';
import { enumField, nullableField, textField, timestamp } from '../../declaration/fields';
import { queryType } from '../../declaration/query-type';

const KINDS = ['note', 'deploy', ...HAPPENING_KINDS, 'monitor_down', 'monitor_up', 'alert_fired'] as const;

/** A row of what happened, with times in epoch ms. */
export type AnnotationRow = Readonly<{
  at: number;
  /** When it ended, of what lasted; null = it did not last, or goes on. */
  until: number | null;
  kind: (typeof KINDS)[number];
  text: string;
  /** The id of the annotation or event; of a downtime made of its monitor and time. */
  id: string;
  /** The subject; of what is noted null = everything of the organization. */
  subject: string | null;
}>;

export const annotations = queryType({
  name: 'annotations',
  shape: 'list',
  category: 'Annotations',
  description:
    'What happened, by time: what people and programs noted of the website or link and of all of the organization, and, ' +
    'as far as the caller may read them, changes of targets of links, of flags and of settings of the website, monitors ' +
    'that went down and came up, incidents, and what alerts told; of a link, changes of its target and alerts alone',
  fields: {
    at: timestamp,
    until: nullableField(timestamp),
    kind: enumField(KINDS),
    text: textField,
    id: textField,
    subject: nullableField(textField),
  },
  order: [
    { field: 'at', direction: 'asc' },
    { field: 'id', direction: 'asc' },
  ],
  sources: {
    own: { name: 'history', reason: 'it is about decided events', alsoAbout: 'link' },
  },
});
