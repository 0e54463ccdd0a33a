/** The copier of a projector as a process of its own: node copier-process.cjs '{"kafka": ..., "databaseUrl": ..., "partitions": 1}' */
require('../../processes/typescript.cjs');
const { Metrics } = require('@ledgerline/platform/metrics/metrics');
const { createLogger } = require('@ledgerline/platform/logging/logger');
const { openCopier } = require('../../../apps/projector/src/copier/copier.ts');

const { partitions, ...settings } = JSON.parse(process.argv[2]);
const log = { partitions: () => Promise.resolve(partitions) };

openCopier(settings, log, new Metrics(), createLogger('copier', 'error')).then((copier) => copier.start());
process.once('disconnect', () => process.exit()); // with the spec, however it ends
