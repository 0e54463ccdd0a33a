import { startOrExplain } from '@ledgerline/platform/config/start-or-explain';
import { migrateStore } from './migrate-store/migrate-store';

/** `npm run migrate-store -- --from postgres --to eventstoredb`, or the other way round */
startOrExplain(() => migrateStore(process.argv.slice(2), process.env, (text) => process.stdout.write(`${text}\n`)));
