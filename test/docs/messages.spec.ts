import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AUDIT_ACTIONS } from '@ledgerline/domain/audit/audited-events';
import { MESSAGE_CATALOGUE, type MessageTypeDefinition } from '@ledgerline/domain/messages/message-catalogue';
import { root } from './documents';

const FILE = join(root, 'docs', 'messages.md');

const HEADER = `# Messages

What a [webhook](notifications.md) can be sent. The \`webhooks\` of \`GET /openapi.json\` have the JSON Schema of each; members may be added to \`data\`.
`;

const OF_AUDIT_LOG = `
## Actions of the audit log

Each entry of the [audit log](audit.md#1-read) is a message, of its action:

`;

const exampleOf = ({ example }: MessageTypeDefinition): string =>
  `\`\`\`json\n${JSON.stringify(example, null, 2)}\n\`\`\`\n`;

const sectionOf = (each: MessageTypeDefinition): string =>
  `\n## ${each.type}\n\n${each.description}.\n\n${exampleOf(each)}`;

function document(): string {
  const actions = MESSAGE_CATALOGUE.filter(({ type }) => AUDIT_ACTIONS.some((action) => action === type));
  const observed = MESSAGE_CATALOGUE.filter((each) => !actions.includes(each));
  const [first] = actions;
  const example = first ? exampleOf(first) : '';
  return (
    HEADER + observed.map(sectionOf).join('') + OF_AUDIT_LOG + listOf(actions.map(({ type }) => type)) + '\n' + example
  );
}

/** A line for each kind of target. */
function listOf(actions: readonly string[]): string {
  const targets = [...new Set(actions.map((action) => action.split('.')[0]!))];
  return targets
    .map((target) => {
      const own = [...new Set(actions.filter((action) => action.split('.')[0] === target))];
      return `- ${own.map((action) => `\`${action}\``).join(', ')}\n`;
    })
    .join('');
}

describe('docs/messages.md', () => {
  it('has every type of messages', () => {
    if (process.env['UPDATE_DOCS']) writeFileSync(FILE, document());
    expect(readFileSync(FILE, 'utf8')).toBe(document()); // stale: UPDATE_DOCS=1 npx jest test/docs/messages
  });
});
