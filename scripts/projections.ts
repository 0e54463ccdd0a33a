import { command } from './command';
import { projections, USAGE } from './projections/projections';

/** `npm run projections -- list | rebuild <group|all> | verify <group|all>` */
command(USAGE, (args) => projections(args, process.env));
