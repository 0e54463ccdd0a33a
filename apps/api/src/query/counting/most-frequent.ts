import { NO_TEXT } from '@ledgerline/contracts/read-models/dictionary';
import type { SessionCounting } from '../query-type';
import { each, type Asked } from './items';
import type { Condition } from './measures';
import { columnOf } from './tables';

/** Texts of engagement spans. */
interface SpanText {
  /** The field of the text's id. */
  readonly text: string;
  /** How many times the text counts for each span; once without it. */
  readonly times?: string;
  readonly where?: Condition;
}

type ByPath = ReadonlyMap<number, ReadonlyMap<number, number>>;

/**
 * Beside rows of pages the texts that come most often in their engagement spans, by column; of equally frequent ones all,
 * as only the texts themselves decide between them.
 */
export const withMostFrequent = (
  counting: SessionCounting,
  wanted: Readonly<Record<string, SpanText>>,
): SessionCounting => ({
  ...counting,
  count(sessions, question, lookup) {
    const rows = counting.count(sessions, question, lookup);
    const pages = columnOf(rows, 'value');
    const lists = Object.entries(wanted).map(([name, text]) => {
      const byPath = timesByPath({ sessions, question, lookup }, text, new Set(pages));
      return [name, Array.from(pages, (page) => mostFrequentOf(byPath.get(page)))] as const;
    });
    return { ...rows, lists: Object.fromEntries(lists) };
  },
});

function timesByPath(asked: Asked, { text, times, where }: SpanText, pages: ReadonlySet<number>): ByPath {
  const spans = each('spans').of(asked);
  const [paths, texts, weights, marks] = [
    spans.field('path'),
    spans.field(text),
    times && spans.field(times),
    where?.of(spans),
  ];
  const counted = new Map([...pages].map((page) => [page, new Map<number, number>()]));
  for (let span = 0; span < spans.size; span++) {
    const [id = NO_TEXT, weight = 0] = [texts[span], weights ? weights[span] : 1];
    if (id === NO_TEXT || weight <= 0 || marks?.[span] === 0) continue;
    const ofPage = counted.get(paths[span] ?? NO_TEXT);
    ofPage?.set(id, (ofPage.get(id) ?? 0) + weight);
  }
  return counted;
}

/** Null without any. */
function mostFrequentOf(times: ReadonlyMap<number, number> = new Map()): readonly number[] | null {
  let [most, texts]: [number, number[]] = [0, []];
  for (const [text, count] of times) {
    if (count > most) [most, texts] = [count, [text]];
    else if (count === most) texts.push(text);
  }
  return texts.length === 0 ? null : texts;
}
