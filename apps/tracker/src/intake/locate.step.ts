import { botVerdict } from '../visitors/bot-verdict';
import type { Delivery } from './delivery';
import type { Tools } from './tools';

/** Country, region and city of the visitor. The address of a server with a key says nothing about visitors. */
export function locate(delivery: Delivery, { atlas }: Pick<Tools, 'atlas'>): void {
  if (delivery.address === null || isServer(delivery)) return;
  delivery.place = atlas.locate(delivery.address);
}

/** A request with a key whose user agent is no browser's, so that it does not stand for a visitor's. */
export const isServer = ({ caller, userAgent }: Delivery): boolean => caller !== null && botVerdict(userAgent) !== null;
