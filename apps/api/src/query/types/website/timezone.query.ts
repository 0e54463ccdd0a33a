import { timezones } from '@ledgerline/contracts/read-models/website-dimensions';
import { byAttribute, dimension } from './dimension';

export const timezone = dimension({
  name: 'timezone',
  category: 'Audience',
  meaning: 'Visits by time zone of the visitor',
  reads: timezones,
  by: byAttribute('timezone'),
});
