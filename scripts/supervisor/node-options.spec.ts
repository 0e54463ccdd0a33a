import { memoryMb } from '@ledgerline/platform/config/settings';
import { documentAt } from '@test/docs/documents';
import { HEAPS, nodeOptions } from './node-options';

const GB = 1024;

describe('the options of Node', () => {
  it.each([
    [1, { api: [204, 16], projector: [204, 16], tracker: [102, 4] }],
    [2, { api: [409, 32], projector: [409, 32], tracker: [204, 4] }],
    [4, { api: [819, 32], projector: [819, 64], tracker: [409, 4] }],
    [64, { api: [1536, 32], projector: [1536, 64], tracker: [1024, 4] }],
    [0.5, { api: [160, 16], projector: [160, 16], tracker: [96, 4] }],
  ])('share %d GB with the other processes', (gigabytes, heaps) => {
    const machine = { memoryMb: gigabytes * GB, isAlone: false };
    for (const [app, [old, semi]] of Object.entries(heaps) as [keyof typeof heaps, [number, number]][])
      expect(nodeOptions(app, {}, machine).slice(0, 2)).toEqual([
        `--max-old-space-size=${old}`,
        `--max-semi-space-size=${semi}`,
      ]);
  });

  it('leave half to what is not in the heap where a process is alone', () => {
    expect(nodeOptions('api', {}, container)).toEqual([
      '--max-old-space-size=512',
      '--max-semi-space-size=32',
      '--min-semi-space-size=16',
    ]);
  });

  it('are those of the setting of the process', () => {
    const env = { API_HEAP_MB: '3000', TRACKER_HEAP_MB: ' ' };
    expect(nodeOptions('api', env, container)).toContain('--max-old-space-size=3000');
    expect(nodeOptions('tracker', env, container)).toContain('--max-old-space-size=512');
    expect(() => nodeOptions('api', { API_HEAP_MB: 'much' }, container)).toThrow(/^API_HEAP_MB is "much"; it must/);
  });

  it.each(['--max-old-space-size=700', '--require ./x.js --max_old_space_size=700'])(
    'leave to NODE_OPTIONS what it names: %s',
    (given) => {
      const options = nodeOptions('api', { NODE_OPTIONS: given, API_HEAP_MB: '1024' }, container);
      expect(options).toEqual(['--max-semi-space-size=32', '--min-semi-space-size=16']);
    },
  );
});

it('docs/deployment.md says how heaps are chosen', () => {
  const text = documentAt('docs/deployment.md').text.replaceAll(/ +/g, ' ');
  const shares: Readonly<Record<number, string>> = { 0.5: 'half', 0.2: 'a fifth', 0.1: 'a tenth' };
  for (const [app, { beside, alone, least, most }] of Object.entries(HEAPS))
    expect(text).toContain(
      `| ${app} | ${shares[beside]}, ${least} to ${most.toLocaleString('en')} MB | ${shares[alone]} | \`${app.toUpperCase()}_HEAP_MB\` |`,
    );
});

describe('the memory', () => {
  it.each([
    ['the machine', 4 * GB, undefined, 4 * GB],
    ['a cgroup without a limit', 4 * GB, 2 ** 44, 4 * GB],
    ['a cgroup that has less', 4 * GB, 512, 512],
  ])('is that of %s', (_, machine, cgroup, expected) => {
    const bytes = 2 ** 20;
    expect(memoryMb(machine * bytes, (cgroup ?? 0) * bytes)).toBe(expected);
  });
});

const container = { memoryMb: GB, isAlone: true };
