import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { GROUP_TABLES } from '@ledgerline/contracts/group-tables';
import { VERSION } from '@ledgerline/contracts/version';
import { linksGroup } from '../../apps/projector/src/projections/links/links-group';
import { EVENT_FACTS } from '../../apps/projector/src/projections/websites/read-hit';
import { root } from '../journeys/product';

const text = (...path: string[]): string => readFileSync(join(root, ...path), 'utf8');
const versionIn = (...path: string[]): unknown => (JSON.parse(text(...path)) as { version: unknown }).version;

const MANIFESTS = readdirSync(join(root, 'docker'), { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.ya?ml$|Dockerfile$/.test(file))
  .map((file) => text('docker', file));

describe('the version', () => {
  it('is that of the packages, of the client and of all images', () => {
    const packages = [
      versionIn('package.json'),
      versionIn('package-lock.json'),
      versionIn('libs', 'client', 'package.json'),
    ];
    const tags = MANIFESTS.flatMap((manifest) => [
      ...[...manifest.matchAll(/ledgerline-\w+:([\d.]+\d)/g)].map(([, tag]) => tag),
      ...[...manifest.matchAll(/newTag: ([\d.]+)/g)].map(([, tag]) => tag),
    ]);
    expect(tags.length).toBeGreaterThan(10);
    expect(new Set([...packages, ...tags])).toEqual(new Set([VERSION]));
  });
});

describe('the tables by which a build is recognised', () => {
  it('are those that its projections write', () => {
    expect(linksGroup().builds).toEqual(GROUP_TABLES.links.builds);
    expect(GROUP_TABLES.websites.state).toEqual(expect.arrayContaining(EVENT_FACTS.map(({ builds }) => builds)));
  });
});
