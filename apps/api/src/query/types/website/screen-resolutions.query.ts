import { screenResolutions } from '@ledgerline/contracts/read-models/website-dimensions';
import { byAttribute, dimension } from './dimension';

export const screenResolutionsQuery = dimension({
  name: 'screen_resolutions',
  category: 'Devices',
  meaning: 'Page views and visitors by screen resolution',
  reads: screenResolutions,
  by: byAttribute('screen'),
  publicAccess: false,
  percentage: false,
});
