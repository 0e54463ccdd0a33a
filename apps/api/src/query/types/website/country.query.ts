import { countries } from '@ledgerline/contracts/read-models/website-dimensions';
import { byAttribute, dimension } from './dimension';
import { COUNTRY } from './place';

export const country = dimension({
  name: 'country',
  category: 'Geography',
  meaning: 'Visitors by country',
  reads: countries,
  by: byAttribute('country'),
  labels: COUNTRY,
});
