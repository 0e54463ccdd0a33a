import { SCROLL_RANGE_STARTS } from '@ledgerline/contracts/read-models/encodings';

/** The names of the ranges, in their order. */
export const SCROLL_RANGE_NAMES: readonly string[] = ['0-25%', '25-50%', '50-75%', '75-100%', '100%'];

/** The place (from 1) of the range of a known scroll depth; SQL's width_bucket gives the same. */
export const scrollRange = (scroll: number): number => SCROLL_RANGE_STARTS.filter((start) => start <= scroll).length;

export const scrollRangeName = (place: number): string => SCROLL_RANGE_NAMES[place - 1] ?? '';
