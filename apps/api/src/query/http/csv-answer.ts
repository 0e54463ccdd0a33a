import { PROBLEM, type QueryAnswer } from '../request/ask';
import { queryTypeNamed } from '../types/catalogue';
import { csvOf } from './csv';
import { invalid } from '../../http/problems';

export const wantsCsv = (accept: string | undefined): boolean => /^\s*text\/csv\b/i.test(accept ?? '');

/** The rows of an answer's only parameter. @throws Problem when there are several, or why that one failed */
export function asCsv(answer: QueryAnswer): string {
  const [entry, second] = 'batch' in answer ? [] : answer.data;
  if (!entry || second) {
    throw invalid([{ field: 'parameters', message: 'CSV holds the rows of exactly one query type.' }]);
  }
  if (!entry.success) throw entry[PROBLEM];
  return csvOf(Object.keys(queryTypeNamed(entry.parameter)?.fields ?? {}), entry.data);
}
