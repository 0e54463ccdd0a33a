import { browserVersions } from '@ledgerline/contracts/read-models/website-dimensions';
import { byAttribute, dimension } from './dimension';
import { BROWSER_AND_VERSION } from './browser-and-version';

export const browserVersionsQuery = dimension({
  name: 'browser_versions',
  category: 'Devices',
  meaning: 'Browser usage by browser and version',
  reads: browserVersions,
  by: byAttribute('browser_version'),
  labels: BROWSER_AND_VERSION,
});
