import { projections } from './projections/projections';
import { startOrExplain } from '@ledgerline/platform/config/start-or-explain';

/** `npm run projections -- list | rebuild <group|all> | verify <group|all>` */
startOrExplain(() => projections(process.argv.slice(2), process.env));
