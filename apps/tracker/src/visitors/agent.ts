import type { Agent, DeviceType } from '@ledgerline/contracts/events/observed-events';
import { LRUCache } from 'lru-cache';
import { UAParser } from 'ua-parser-js';
import { cleanText } from '../parse/text';

const agents = new LRUCache<string, Agent>({ max: 10_000, memoMethod: parse });
const MAX_READ = 512;

/** Browser, its version, operating system and kind of device of a user agent. */
export const readAgent = (userAgent: string): Agent => agents.memo(userAgent.slice(0, MAX_READ));

function parse(userAgent: string): Agent {
  const { browser, os, device } = new UAParser(userAgent).getResult();
  return {
    browser: cleanText(browser.name, 64),
    browserVersion: cleanText(browser.version, 32),
    os: cleanText(os.name, 64),
    device: kindOf(device.type, browser.name !== undefined || os.name !== undefined),
  };
}

/** The parser names the type of everything but ordinary computers. */
function kindOf(type: string | undefined, known: boolean): DeviceType {
  if (type === 'mobile' || type === 'tablet') return type;
  return type === undefined && known ? 'desktop' : 'other';
}
