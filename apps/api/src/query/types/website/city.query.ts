import { cities } from '@ledgerline/contracts/read-models/website-dimensions';
import { byAttribute, dimension } from './dimension';
import { PLACE } from './place';

export const city = dimension({
  name: 'city',
  category: 'Geography',
  meaning: 'Visitors by city',
  reads: cities,
  by: byAttribute('city'),
  labels: PLACE,
});
