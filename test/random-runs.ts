/**
 * Returns how often a property is tried: `RANDOM_RUNS=3 npx jest …` for so many times as often, as in `npm run prove`.
 */
export const runs = (usual: number): number => usual * Number(process.env['RANDOM_RUNS'] ?? 1);
