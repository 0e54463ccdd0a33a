import { regions } from '@ledgerline/contracts/read-models/website-dimensions';
import { byAttribute, dimension } from './dimension';
import { PLACE } from './place';

export const region = dimension({
  name: 'region',
  category: 'Geography',
  meaning: 'Visitors by region',
  reads: regions,
  by: byAttribute('region'),
  labels: PLACE,
});
