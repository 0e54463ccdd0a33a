import Table from 'cli-table3';
import type { Tally } from './tally';

const number = new Intl.NumberFormat('en-US');

/** The result as text: every hit that was sent is counted exactly once. */
export function summary(tally: Tally, seconds: number): string {
  const table = new Table({
    head: ['', 'requests', 'events sent', 'accepted'],
    style: { head: [], border: [], compact: true },
  });
  for (const [route, { requests, sent, accepted }] of tally.routes) {
    table.push([route, number.format(requests), number.format(sent), number.format(accepted)]);
  }
  const refused = [...tally.refusals].sort(([, a], [, b]) => b - a);
  const lines = [
    table.toString(),
    `${number.format(tally.accepted)} of ${number.format(tally.sent)} events accepted in ${seconds.toFixed(1)} s (${number.format(Math.round(tally.accepted / seconds))} events/s).`,
    ...(tally.botsSent > 0 ? [botsOf(tally)] : []),
    ...(tally.repeated > 0 ? [repeatedOf(tally)] : []),
    ...(refused.length > 0 ? ['Refused:', ...refused.map(([why, times]) => `  ${number.format(times)} × ${why}`)] : []),
  ];
  return lines.join('\n');
}

const botsOf = ({ botsRecognised, botsSent }: Tally) =>
  `${number.format(botsRecognised)} of ${number.format(botsSent)} bot hits recognised; they are never counted.`;

const repeatedOf = ({ repeated }: Tally) =>
  `${number.format(repeated)} requests were sent twice, as clients do after a lost answer; they are counted once.`;
