import type { DestinationFormat } from '@ledgerline/contracts/events/destination.events';
import type { DestinationMessage, NamedType, ObservedType } from './message';

/** A message as people read it: lines of plain text, of which the first one alone says what happened. */
export function messageLines({ type, timestamp, data }: DestinationMessage): readonly string[] {
  const say = (SAYS as Readonly<Record<string, (data: Data) => readonly string[]>>)[type] ?? sayAction(type);
  return [...say(data), timestamp.replace('T', ' ').replace(/\.\d+Z$/, ' UTC')].map(inOneLine);
}

type Data = DestinationMessage['data'];

const SAYS: { readonly [Type in ObservedType | NamedType]: (data: Data) => readonly string[] } = {
  'monitor.down': ({ name, detail }) => [`${word(name)} is down`, ...lineOf(detail)],
  'monitor.up': ({ name }) => [`${word(name)} is up again`],
  'monitor.unknown': ({ name, why }) => [
    `It is not known whether ${word(name)} is up: ${UNKNOWN[word(why)] ?? word(why)}`,
  ],
  'monitor.warning': ({ name, warning, detail }) => [
    `${word(name)}: ${WARNINGS[word(warning)] ?? word(warning)}`,
    ...lineOf(detail),
  ],
  'link.clicked': ({ name, count }) => [`${word(name)}: ${counted(count, 'click')}`],
  'goal.reached': ({ name, count }) => [`${word(name)}: reached ${counted(count, 'time')}`],
  'alert.fired': (data) => [`${word(data['name'])}: ${figureText(data)}`, ...decisionLines(data)],
  'alert.over': (data) => [
    `${word(data['name'])} is over: ${data['why'] === 'changed' ? 'its rule was changed' : figureText(data)}`,
    ...decisionLines(data),
  ],
  'alert.blind': (data) => [
    `${word(data['name'])} cannot be decided: ${BLIND[word(data['why'])] ?? 'nothing can be seen'}`,
    ...decisionLines(data),
  ],
  'alert.seeing': (data) => [`${word(data['name'])} is decided again`, ...decisionLines(data)],
  'report.ready': ({ name, startDate, endDate, websites }) => [
    `${word(name)}: ${word(startDate)} to ${word(endDate)}`,
    ...figureLines(websites),
  ],
};

const BLIND: Readonly<Record<string, string>> = {
  behind: 'what arrived was not counted in time',
  spooled: 'clicks wait on the disk of a tracker',
  no_tracker: 'no tracker was seen',
};

/** `12, usually 40.5`. */
const figureText = ({ figure, usual }: Data): string =>
  [numberText(figure), ...(typeof usual === 'number' ? [`usually ${numberText(usual)}`] : [])].join(', ');

const numberText = (value: unknown): string => (typeof value === 'number' ? String(Math.round(value * 100) / 100) : '');

const decisionLines = ({ rule, decisions }: Data): readonly string[] => [
  ...lineOf(rule),
  ...(typeof decisions === 'number' && decisions > 1 ? [`The last of ${decisions} decisions that were made late`] : []),
];

/** A line for each website that had visitors, as far as a chat shows them. */
function figureLines(websites: unknown): readonly string[] {
  const all = (Array.isArray(websites) ? websites : []) as readonly Readonly<Record<string, unknown>>[];
  return all
    .filter(({ visitors }) => visitors !== 0)
    .slice(0, MOST_LINES)
    .map(
      ({ name, visitors, pageviews }) =>
        `${word(name)}: ${counted(visitors, 'visitor')}, ${counted(pageviews, 'page view')}`,
    );
}

const MOST_LINES = 20;

const UNKNOWN: Readonly<Record<string, string>> = {
  maintenance: 'it is under maintenance',
  pause: 'it is paused',
  gap: 'there were no checks',
  own_network: 'most checks fail, as if the network of the monitoring itself did',
};

const WARNINGS: Readonly<Record<string, string>> = {
  slow: 'slow answers',
  certificate: 'its certificate expires soon',
};

const counted = (count: unknown, noun: string): string => `${word(count)} ${noun}${count === 1 ? '' : 's'}`;

/** `api_key.revoked` → `Api key revoked: Backend`. */
const sayAction =
  (type: string) =>
  ({ target }: Data): readonly string[] => {
    const { id, name } = (target ?? {}) as { readonly id?: unknown; readonly name?: unknown };
    const action = type.replaceAll(/[._]/g, ' ');
    return [`${action.charAt(0).toUpperCase()}${action.slice(1)}: ${word(name ?? id)}`];
  };

const word = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';

const lineOf = (detail: unknown): readonly string[] => (typeof detail === 'string' ? [detail] : []);

/** Names and paths are of strangers: they begin no line, and turn no text around. */
export const inOneLine = (text: string): string => text.replaceAll(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]+/gu, ' ');

/** The body of a request that holds a message. */
export const renderMessage = (format: DestinationFormat, message: DestinationMessage): string =>
  JSON.stringify(FORMATS[format](message));

const FORMATS: { readonly [Format in DestinationFormat]: (message: DestinationMessage) => object } = {
  json: ({ type, timestamp, data }) => ({ type, timestamp, data }),
  slack: (message) => {
    const text = withoutLinks(messageLines(message).join('\n')).slice(0, 2_900);
    return {
      text: escapedForSlack(text), // where blocks are not shown, as in notifications
      mrkdwn: false,
      parse: 'none',
      link_names: false,
      unfurl_links: false,
      unfurl_media: false,
      blocks: [{ type: 'section', text: { type: 'plain_text', text, emoji: false } }],
    };
  },
  discord: (message) => ({
    content: escapedForDiscord(withoutLinks(messageLines(message).join('\n'))).slice(0, 2_000),
    allowed_mentions: { parse: [] },
    flags: SUPPRESS_EMBEDS,
  }),
};

const SUPPRESS_EMBEDS = 4;
const ZERO_WIDTH = '\u200b';

/** Addresses of strangers are not to be clicked. */
const withoutLinks = (text: string): string =>
  text.replaceAll('://', `:${ZERO_WIDTH}//`).replaceAll(/www\./gi, `www${ZERO_WIDTH}.`);

/** `<!channel>` is only a mention with its brackets. */
const escapedForSlack = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('@', `@${ZERO_WIDTH}`);

/** Everything that Discord takes for Markdown, and mentions. */
const escapedForDiscord = (text: string): string =>
  text.replaceAll(/[\\*_~`|>#\-[\]()<:.+]/g, (mark) => `\\${mark}`).replaceAll('@', `@${ZERO_WIDTH}`);
