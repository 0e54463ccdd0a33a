import { omit } from '@ledgerline/domain/decider';
import { AlertDto, CreateAlertDto } from '../../alerts/alert.dto';
import { Alerts } from '../../alerts/alerts';
import { TriedDto } from '../../alerts/decision.dto';
import { TryAlert } from '../../alerts/try-alert.query';
import { arraySchema, object, text, whole } from '../../http/record.dto';
import { creationTool } from '../record-tools';
import { listTool } from '../tool';

/** A model reads the latest ones. */
const MAX_TOLD = 20;

const TRIAL = {
  ...object({
    sentence: text,
    timezone: text,
    windows: whole,
    decided: { ...whole, description: 'How many of the windows had a figure, and enough weeks to compare it with' },
    fired: { ...whole, description: 'How often it would have told that it begins' },
    told: { ...arraySchema({ $ref: `#/components/schemas/${TriedDto.name}` }), description: 'The latest ones' },
  }),
  description: 'What it would have told in the last 90 days, or 7 where windows are shorter than an hour; of a preview',
};

export const listAlerts = listTool({
  of: 'alerts',
  title: 'List alerts',
  description:
    'The alerts of websites and links, oldest first: rules that tell when a figure changes, as a sentence, with their ' +
    'state and what they told last.',
  action: 'alerts:read',
  resource: Alerts,
  record: AlertDto,
  nameOf: ({ name }) => name,
});

export const createAlert = creationTool(
  { kind: 'alerts', resource: Alerts, record: AlertDto, create: CreateAlertDto },
  'Creates an alert of a website or link: it tells destinations when a figure of a window of time is above or below a ' +
    'number, changes from what is usual, or fails to come. The preview says what it would have told in the past.',
  {
    output: { trial: TRIAL },
    answer: async (body, { caller, queries, signal }) => {
      const trial = await queries.execute(new TryAlert(body as CreateAlertDto, caller, signal)); // as the tool validated it
      const fired = trial.told.filter(({ outcome }) => outcome === 'fired').length;
      return { trial: { ...omit(trial, 'figures', 'from', 'to'), fired, told: trial.told.slice(-MAX_TOLD) } };
    },
  },
);
