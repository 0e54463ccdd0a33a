import { command } from './command';
import { projections, USAGE } from './projections/projections';

/** `npm run projections -- …` */
command(USAGE, (args) => projections(args, process.env));
