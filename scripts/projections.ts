import { runScriptCommand } from './command';
import { projections, PROJECTIONS_USAGE } from './projections/projections';

/** `npm run projections -- …` */
runScriptCommand(PROJECTIONS_USAGE, (args) => projections(args, process.env));
