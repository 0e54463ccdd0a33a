import { pageTransitions } from '@ledgerline/contracts/read-models/page-transitions';
import * as linkModels from '@ledgerline/contracts/read-models/links';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import * as profiles from '@ledgerline/contracts/read-models/profiles';
import { sessions } from '@ledgerline/contracts/read-models/sessions';
import * as dimensions from '@ledgerline/contracts/read-models/website-dimensions';
import * as engagement from '@ledgerline/contracts/read-models/website-engagement';
import * as errors from '@ledgerline/contracts/read-models/website-errors';
import * as events from '@ledgerline/contracts/read-models/website-events';
import * as totals from '@ledgerline/contracts/read-models/website-totals';
import * as vitals from '@ledgerline/contracts/read-models/website-vitals';
import { createReadModels } from '@ledgerline/platform/database/read-model-ddl';
import type { Queryable } from '@ledgerline/platform/database/pool';

export const WEBSITE_MODELS: readonly ReadModel[] = [
  sessions,
  ...Object.values(dimensions),
  ...Object.values(events),
  ...Object.values(totals),
  pageTransitions,
  ...Object.values(errors),
  ...Object.values(profiles),
