import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isObservedType } from '@ledgerline/domain/messages/message';
import { MESSAGE_CATALOGUE, type MessageType } from '@ledgerline/domain/messages/message-catalogue';
import { root } from './documents';

const FILE = join(root, 'docs', 'messages.md');

const HEADER = `# Messages

What a [webhook](notifications.md) can be sent. The \`webhooks\` of \`GET /openapi.json\` have the JSON Schema of each; members may be added to \`data\`.
`;

const exampleOf = ({ example }: MessageType): string => `\`\`\`json\n${JSON.stringify(example, null, 2)}\n\`\`\`\n`;

const sectionOf = (each: MessageType): string => `\n## ${each.type}\n\n${each.description}.\n\n${exampleOf(each)}`;

function document(): string {
  const observed = MESSAGE_CATALOGUE.filter(({ type }) => isObservedType(type));
  const actions = MESSAGE_CATALOGUE.filter((each) => !observed.includes(each));
  const names = actions.map(({ type }) => `\`${type}\``).join(', ');
  const [first] = actions;
  const list = `\n## Actions of the audit log\n\n${names}\n\n${first ? exampleOf(first) : ''}`;
  return HEADER + observed.map(sectionOf).join('') + list;
}

describe('docs/messages.md', () => {
  it('has every type of messages', () => {
    if (process.env['UPDATE_DOCS']) writeFileSync(FILE, document());
    expect(readFileSync(FILE, 'utf8')).toBe(document()); // stale: UPDATE_DOCS=1 npx jest test/docs/messages
  });
});
