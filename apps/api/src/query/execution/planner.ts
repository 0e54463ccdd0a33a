import type { Sql } from '@ledgerline/platform/database/sql';
import type { QueryType } from '../query-type';
import type { Question } from '../question';

export type Source = 'days' | 'hours' | 'fifteenMinutes' | 'facts';

/**
 * Rollups answer what nobody filtered: 15-minute intervals in any zone, days and hours in the website's own. The facts answer
 * everything else, and the same wherever both can.
 */
export function sourceFor(type: QueryType, question: Question): Source {
  const { answers } = type;
  if (question.filters.length > 0) return 'facts';
  if (answers.fifteenMinutes) return 'fifteenMinutes';
  if (question.about === 'website' && question.zone !== question.ownZone) return 'facts';
  const wanted = type.granularity !== undefined && question.granularity === 'hourly' ? 'hours' : 'days';
  return answers[wanted] ? wanted : 'facts';
}

/** The SQL of an answer, from the source the planner picks or, to compare, from a given one. */
export function sqlFor(type: QueryType, question: Question, source = sourceFor(type, question)): Sql {
  const answer = type.answers[source];
  if (!answer) throw new Error(`${type.name} cannot be answered from ${source}.`);
  return answer(question);
}
