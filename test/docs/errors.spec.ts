import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERROR_CATALOGUE, type ErrorCode } from '@ledgerline/contracts/errors/error-codes';
import { STATUSES } from '@ledgerline/platform/http/problem.filter';
import { root } from './documents';

const FILE = join(root, 'docs', 'errors.md');

const HEADER = `# Errors

Every error has the body \`{success: false, error, code, requestId, details?}\`. The reference at \`/\` of the api shows the same list; it is made from \`libs/contracts/src/errors/error-codes.ts\`.
`;

function entryOf(code: ErrorCode): string {
  const { causes, cure } = ERROR_CATALOGUE[code];
  return `\n## ${code}\n\nStatus ${STATUSES[code]}. ${causes.join(' ')}\n\n${cure}\n`;
}

describe('docs/errors.md', () => {
  it('has every code with its causes and its cure', () => {
    const document = HEADER + (Object.keys(ERROR_CATALOGUE) as ErrorCode[]).map(entryOf).join('');
    if (process.env['UPDATE_DOCS']) writeFileSync(FILE, document);
    expect(readFileSync(FILE, 'utf8')).toBe(document); // stale: UPDATE_DOCS=1 npx jest test/docs/errors
  });
});
