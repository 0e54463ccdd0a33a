/**
 * Returns how often a property is tried: `RANDOM_RUNS=3 npx jest …` for so many times as often, as in `npm run prove`.
 */
export const runs = (usual: number): number => usual * Number(process.env['RANDOM_RUNS'] ?? 1);

/** Returns one of so many of a long list, always the same ones; all of them in `npm run prove`. */
export const someOf = <Each>(all: readonly Each[], of: number): readonly Each[] =>
  process.env['RANDOM_RUNS'] ? all : all.filter((_, at) => at % of === 0);
