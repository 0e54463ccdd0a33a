import { inOneLine } from '@ledgerline/domain/messages/message-text';
import { dayNumber } from '@ledgerline/domain/time/zones';
import {
  type Compared,
  type GoalContent,
  type ReportContent,
  type WebsiteContent,
  splitByVisitors,
} from './report-content';

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const tenth = new Intl.NumberFormat('en', { minimumFractionDigits: 1, maximumFractionDigits: 1 });

export const countText = (count: number | null): string => (count === null ? '–' : whole.format(count));
export const percentText = (share: number | null): string => (share === null ? '–' : `${tenth.format(share)}\u00A0%`);

/** A change: `+12 %`, `new` of what was not there before; of a share in points. */
interface ChangeText {
  readonly text: string;
  readonly tone: 'good' | 'bad' | 'soft';
}

/** Of a figure that is good when it is high. */
export function changeOf({ now, before }: Compared): ChangeText | undefined {
  if (now === null || before === null || (now === 0 && before === 0)) return undefined;
  if (before === 0) return { text: 'new', tone: 'good' };
  const percents = Math.round(((now - before) / before) * 100);
  return { text: signed(percents, `${countText(Math.abs(percents))}\u00A0%`), tone: toneOf(percents) };
}

/** Of a share that is good when it is low. */
function pointsOf({ now, before }: Compared): ChangeText | undefined {
  if (now === null || before === null) return undefined;
  const points = Math.round((now - before) * 10) / 10;
  return { text: signed(points, `${tenth.format(Math.abs(points))} points`), tone: toneOf(-points) };
}

const signed = (change: number, text: string): string =>
  change === 0 ? 'unchanged' : `${change > 0 ? '+' : '−'}${text}`;

const toneOf = (change: number): ChangeText['tone'] => (change === 0 ? 'soft' : change > 0 ? 'good' : 'bad');

const day = (of: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat('en-GB', { ...of, timeZone: 'UTC' });
const DAY = day({ day: 'numeric', month: 'long' });
const DAY_OF_YEAR = day({ day: 'numeric', month: 'long', year: 'numeric' });
const MONTH = day({ month: 'long', year: 'numeric' });
const dateOf = (text: string): number => dayNumber(text) * 86_400_000;

/** `9 to 15 November 2026`, as long as it must be. */
export function rangeText({ startDate, endDate }: { readonly startDate: string; readonly endDate: string }): string {
  const isOfMonth = startDate.slice(0, 7) === endDate.slice(0, 7);
  const isOfYear = startDate.slice(0, 4) === endDate.slice(0, 4);
  const from = (isOfYear ? DAY : DAY_OF_YEAR).format(dateOf(startDate));
  return `${isOfMonth ? Number(startDate.slice(8)) : from} to ${DAY_OF_YEAR.format(dateOf(endDate))}`;
}

/** `November 2026`, or the days of a week. */
export const periodText = (of: Pick<ReportContent, 'period' | 'startDate' | 'endDate'>): string =>
  of.period === 'month' ? MONTH.format(dateOf(of.startDate)) : rangeText(of);

/** The title of its mail. */
export const subjectOf = (report: Pick<ReportContent, 'name' | 'period' | 'startDate' | 'endDate'>): string =>
  inOneLine(`${report.name}: ${periodText(report)}`);

/** Up to when it knows what arrived, in its own time zone. */
export const asOfText = ({ asOf, timezone }: Pick<ReportContent, 'asOf' | 'timezone'>): string => {
  const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: timezone });
  return `${format.format(asOf)} (${timezone})`;
};

const WHY = {
  behind: 'events of this time may be missing, as they were not counted yet',
  failed: 'it could not be asked',
} as const;

export const gapText = ({ name, why }: ReportContent['gaps'][number]): string => `${name}: ${WHY[why]}`;

export const FIGURES = [
  { of: 'visitors', label: 'Visitors', text: countText, change: changeOf },
  { of: 'pageviews', label: 'Page views', text: countText, change: changeOf },
  { of: 'sessions', label: 'Visits', text: countText, change: changeOf },
  { of: 'bounceRate', label: 'Bounce rate', text: percentText, change: pointsOf },
] as const;

/** The report as plain text; its first line is the subject. */
export function reportText(report: ReportContent): string {
  const { visited, inFull, others } = splitByVisitors(report);
  const lines = [
    subjectOf(report),
    '',
    `${report.organization}, compared with ${rangeText(report.comparedWith)}`,
    ...report.gaps.map((gap) => `Note: ${gapText(gap)}.`),
    ...inFull.flatMap(fullLines),
    ...(visited.length > inFull.length ? ['', 'The others'] : []),
    ...visited.slice(inFull.length).map((each) => `${each.name}: ${figuresOf(each).join(', ')}`),
    ...(others.length > 0 ? ['', `No visitors: ${others.map(({ name }) => name).join(', ')}`] : []),
    '',
    `As of ${asOfText(report)}.`,
  ];
  return lines.map(inOneLine).join('\n');
}

const fullLines = (website: WebsiteContent): readonly string[] => [
  '',
  website.name.toUpperCase(),
  ...figuresOf(website).map((figure) => `  ${figure}`),
  ...website.lists.flatMap(({ title, rows }) => [
    title,
    ...rows.map(({ name, visitors }) => `  ${countText(visitors)}  ${name}`),
  ]),
  ...(website.goals.length > 0 ? ['Goals', ...website.goals.map((goal) => `  ${goalText(goal)}`)] : []),
  website.dashboard,
];

const figuresOf = ({ totals }: WebsiteContent): readonly string[] =>
  FIGURES.map(({ of, label, text, change }) => {
    const changed = change(totals[of])?.text;
    return `${label} ${text(totals[of].now)}${changed === undefined ? '' : ` (${changed})`}`;
  });

function goalText({ name, conversions, rate }: GoalContent): string {
  const change = changeOf(conversions)?.text;
  return `${countText(conversions.now)}  ${name} (${percentText(rate)} of visitors${change === undefined ? '' : `, ${change}`})`;
}
