import type { OverallStatus } from '@ledgerline/domain/monitors/status';
import { html } from '../../http/html';
import { OVERALL_TEXT } from './status-texts';

const COLOURS: Readonly<Record<OverallStatus, string>> = {
  operational: '#1a7f4b',
  degraded: '#8a6100',
  outage: '#b3261e',
  unknown: '#5a6672',
  maintenance: '#2f5fa8',
};

const LABEL_WIDTH = 52;
const CHARACTER_WIDTH = 6.6;

/** An image of the overall status, as wide as its text. */
export function badge(status: OverallStatus): string {
  const text = OVERALL_TEXT[status].short;
  const width = Math.ceil(text.length * CHARACTER_WIDTH) + 16;
  const whole = LABEL_WIDTH + width;
  const alternative = `status: ${text}`;
  return html`<svg
    xmlns="http://www.w3.org/2000/svg"
    width="${whole}"
    height="20"
    role="img"
    aria-label="${alternative}"
  >
    <title>${alternative}</title>
    <clipPath id="r"><rect width="${whole}" height="20" rx="3" /></clipPath>
    <g clip-path="url(#r)">
      <rect width="${LABEL_WIDTH}" height="20" fill="#3b4652" />
      <rect x="${LABEL_WIDTH}" width="${width}" height="20" fill="${COLOURS[status]}" />
    </g>
    <g font-family="system-ui,Verdana,sans-serif" font-size="11" fill="#fff" text-anchor="middle">
      <text x="${LABEL_WIDTH / 2}" y="14">status</text>
      <text x="${LABEL_WIDTH + width / 2}" y="14">${text}</text>
    </g>
  </svg>`.markup;
}
