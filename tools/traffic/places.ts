import { weighted } from './choices';

/** A location. Addresses of `network` (a /24) are there according to the bundled location database. */
export interface Place {
  readonly country: string;
  readonly region: string;
  readonly city: string;
  readonly network: string;
  readonly timezone: string;
  readonly language: string;
}

const place = (
  [country, region, city]: readonly [string, string, string],
  [network, timezone, language]: readonly [string, string, string],
): Place => ({ country, region, city, network, timezone, language });

export const somePlace = weighted<Place>([
  [place(['US', 'New York', 'New York'], ['96.224.127', 'America/New_York', 'en-US']), 12],
  [place(['US', 'Ohio', 'Columbus'], ['11.143.93', 'America/New_York', 'en-US']), 8],
  [place(['DE', 'Hesse', 'Frankfurt am Main'], ['188.101.16', 'Europe/Berlin', 'de-DE']), 8],
  [place(['GB', 'England', 'London'], ['31.221.74', 'Europe/London', 'en-GB']), 7],
  [place(['IN', 'Maharashtra', 'Mumbai'], ['13.204.76', 'Asia/Kolkata', 'en-IN']), 6],
  [place(['FR', 'Ile-de-France', 'Paris'], ['155.132.140', 'Europe/Paris', 'fr-FR']), 5],
  [place(['IN', 'Karnataka', 'Bengaluru'], ['101.211.158', 'Asia/Kolkata', 'en-IN']), 4],
  [place(['BR', 'Sao Paulo', 'Sao Paulo'], ['191.26.92', 'America/Sao_Paulo', 'pt-BR']), 4],
  [place(['JP', 'Tokyo', 'Minato'], ['126.47.11', 'Asia/Tokyo', 'ja-JP']), 4],
  [place(['NL', 'North Holland', 'Amsterdam'], ['145.69.74', 'Europe/Amsterdam', 'nl-NL']), 3],
  [place(['CA', 'Quebec', 'Montreal'], ['9.49.53', 'America/Toronto', 'fr-CA']), 3],
  [place(['GB', 'England', 'Manchester'], ['149.170.113', 'Europe/London', 'en-GB']), 2],
  [place(['AU', 'New South Wales', 'Sydney'], ['103.136.147', 'Australia/Sydney', 'en-AU']), 2],
  [place(['ES', 'Madrid', 'Madrid'], ['47.60.203', 'Europe/Madrid', 'es-ES']), 2],
  [place(['IT', 'Lombardy', 'Milan'], ['88.54.47', 'Europe/Rome', 'it-IT']), 2],
  [place(['PL', 'Mazovia', 'Warsaw'], ['46.77.136', 'Europe/Warsaw', 'pl-PL']), 2],
  [place(['SE', 'Stockholm', 'Stockholm'], ['88.80.6', 'Europe/Stockholm', 'sv-SE']), 1],
  [place(['MX', 'Mexico City', 'Mexico City (Centro)'], ['189.170.37', 'America/Mexico_City', 'es-MX']), 1],
  [place(['ZA', 'Western Cape', 'Cape Town'], ['41.118.202', 'Africa/Johannesburg', 'en-ZA']), 1],
  [place(['CH', 'Zurich', 'Zurich'], ['146.109.163', 'Europe/Zurich', 'de-CH']), 1],
]);
