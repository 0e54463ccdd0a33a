import { GAMMA } from '@ledgerline/contracts/read-models/encodings';

const LOG_GAMMA = Math.log(GAMMA);

/** The bin a duration in ms falls into: 0 for nothing, else (GAMMA^(bin-2), GAMMA^(bin-1)]. */
export const durationBin = (ms: number): number =>
  ms <= 0 ? 0 : Math.max(1, Math.ceil(Math.log(ms) / LOG_GAMMA - 1e-9) + 1);

/** The duration of a bin in ms, within 1 % of every duration in it. */
export const binValue = (bin: number): number => (bin === 0 ? 0 : (2 * GAMMA ** (bin - 1)) / (GAMMA + 1));
