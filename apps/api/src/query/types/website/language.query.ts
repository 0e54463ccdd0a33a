import { languages } from '@ledgerline/contracts/read-models/website-dimensions';
import { byAttribute, dimension } from './dimension';

export const language = dimension({
  name: 'language',
  category: 'Audience',
  meaning: 'Visits by language of the browser',
  reads: languages,
  by: byAttribute('language'),
});
