import type {
  AuditEntryDto,
  CreateDestinationDto,
  DeliveryDto,
  DestinationDto,
  TestAnswerDto,
} from '@ledgerline/client';
import { keysOf } from '@ledgerline/contracts/json';
import type { Tone } from '../../components/page-parts';
import { ACTIONS, TARGET_TYPES } from '../audit/audit-words';

type Format = DestinationDto['format'];

interface FormatWords {
  readonly name: string;
  /** What is sent, and to what. */
  readonly means: string;
  /** An address, and where it is found. */
  readonly address: string;
  readonly hint: string;
}

/** What destinations there are to choose from. */
export const DESTINATION_FORMAT_LABELS: Readonly<Record<Format, FormatWords>> = {
  json: {
    name: 'Webhook',
    means: 'Signed JSON for a program',
    address: 'https://hooks.example.com/ledgerline',
    hint: 'Over https.',
  },
  slack: {
    name: 'Slack',
    means: 'Texts in a channel',
    address: 'https://hooks.slack.com/services/…',
    hint: 'Of an incoming webhook of your app.',
  },
  discord: {
    name: 'Discord',
    means: 'Texts in a channel',
    address: 'https://discord.com/api/webhooks/…',
    hint: 'From the settings of the channel: Integrations, Webhooks.',
  },
  text: {
    name: 'Mail',
    means: 'To one address, which confirms it first',
    address: 'on-call@example.com',
    hint: 'Gets a link that confirms it, before anything is sent.',
  },
  jsonl: {
    name: 'Audit stream',
    means: 'Every entry of the audit log in order, for a SIEM',
    address: 'https://siem.example.com/ledgerline',
    hint: 'Over https.',
  },
};

/** Whether a mail may tell of messages of a type. */
export const isMailableType = (type: string): boolean => /^(monitor|incident)\./.test(type);

/** Whether what it gets is signed with a secret that the receiver has to know. */
export const isSigned = (format: Format): boolean => format === 'json' || format === 'jsonl';

interface State {
  readonly tone: Tone;
  readonly word: string;
  /** What it means for messages; empty where nothing is to be said. */
  readonly means: string;
}

/** How sending goes. */
export function stateOf({ enabled, state, kind, lastAnswer }: DestinationDto): State {
  if (!enabled && state !== 'off')
    return { tone: 'neutral', word: 'Paused', means: 'What happens now is sent once it is resumed.' };
  if (state === 'unconfirmed')
    return {
      tone: 'warning',
      word: 'Not confirmed yet',
      means: 'Nothing is sent before the link in its first mail is opened. Set the address again to send that again.',
    };
  if (state === 'off')
    return {
      tone: 'danger',
      word: 'Off',
      means:
        kind === 'mail'
          ? 'The addressee wants no more mails, its server knows no such address, or it failed for three days.'
          : 'It answered 410, or failed for three days. Messages wait until you turn it on.',
    };
  if (state === 'held_back')
    return {
      tone: 'warning',
      word: 'Held back',
      means:
        kind === 'audit'
          ? 'The last try failed. It is tried again until it is taken.'
          : 'The last try failed. It is tried again for three days, and then turned off.',
    };
  if (lastAnswer === null) return { tone: 'neutral', word: 'Nothing sent yet', means: '' };
  return { tone: 'good', word: 'Working', means: '' };
}

/** What a receiver answered, or why nothing did. */
export const answerText = ({ status, text }: Pick<TestAnswerDto, 'status' | 'text'>): string =>
  status === null ? (text ?? 'No answer.') : [`Status ${status}`, text].filter(Boolean).join(': ');

const STATES: Readonly<Record<Exclude<DeliveryDto['state'], 'waiting'>, Pick<State, 'tone' | 'word'>>> = {
  sent: { tone: 'good', word: 'Sent' },
  set_aside: { tone: 'danger', word: 'Set aside' },
  skipped: { tone: 'neutral', word: 'Skipped' },
  expired: { tone: 'neutral', word: 'Expired' },
  erased: { tone: 'neutral', word: 'Erased' },
};

/** How a message is; one that waits has failed if it was tried. */
export function deliveryState({ state, tries }: DeliveryDto): Pick<State, 'tone' | 'word'> {
  if (state !== 'waiting') return STATES[state];
  return tries > 0 ? { tone: 'warning', word: 'Held back' } : { tone: 'neutral', word: 'Waiting' };
}

export type MessageType = NonNullable<CreateDestinationDto['sends']>[number];
type Action = AuditEntryDto['action'];

/** What is seen to happen, and is no entry of the audit log. */
export const OBSERVED: Readonly<Record<Exclude<MessageType, Action>, string>> = {
  'monitor.down': 'A monitor is down: two checks in a row failed',
  'monitor.up': 'A monitor is up again',
  'monitor.unknown': 'A monitor is not known to be up any more: a pause, a maintenance, no checks',
  'monitor.warning': 'A monitor is slow, or its certificate ends soon',
  'link.clicked': 'A short link was clicked, at most one message in 10 seconds',
  'goal.reached': 'A goal was reached, at most one message in 10 seconds',
};

const TYPES: Readonly<Record<string, string>> = {
  ...ACTIONS,
  ...OBSERVED,
  audit: 'entries of the audit log',
  digest: 'several messages',
};

/** What a message is about, in words. */
export function typeText(type: string): string {
  const text = TYPES[type] ?? type;
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const DATA = 'Data and audit log';
const OF_DATA: readonly string[] = ['audit_log', 'person', 'read_models', 'subject', 'erasure', 'hits', 'unknown'];

function subjectOf(action: Action): string {
  const [about = ''] = action.split('.');
  return OF_DATA.includes(about) ? DATA : TARGET_TYPES[about as AuditEntryDto['target']['type']];
}

const ALL_ACTIONS = keysOf(ACTIONS);

/** The actions of the audit log, by what they are about. */
export const ACTION_GROUPS: readonly (readonly [title: string, actions: readonly Action[]])[] = [
  ...new Set(ALL_ACTIONS.map(subjectOf)),
].map((title) => [title, ALL_ACTIONS.filter((action) => subjectOf(action) === title)]);
