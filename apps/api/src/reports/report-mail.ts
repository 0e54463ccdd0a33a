import { Engine } from 'mrml';
import { UNSUBSCRIBE_MARK } from '@ledgerline/platform/outbound/mail-destination';
import { Html, html } from '../http/html';
import {
  type Compared,
  type GoalContent,
  type ListContent,
  type ReportContent,
  type WebsiteContent,
  splitByVisitors,
} from './report-content';
import {
  FIGURES,
  asOfText,
  changeOf,
  countText,
  gapText,
  percentText,
  periodText,
  rangeText,
  subjectOf,
} from './report-text';

/** Clients that know dark mode have it by the media query; some of the others turn colours themselves. */
const STYLE = `
.paper { background: #f5f7f9; }
a { color: #0b6e5f; text-decoration: none; }
.ink, .ink a { color: #16202e !important; }
.soft { color: #4f5d6d !important; }
.good { color: #0b6e5f !important; }
.bad { color: #b3261e !important; }
.rows td { border-top: 1px solid #dde3ea; padding: 7px 0; vertical-align: top; }
.rows .first td { border-top: 0; }
.name { word-break: break-word; overflow-wrap: anywhere; padding-right: 12px !important; }
.number { white-space: nowrap; }
.small { font-size: 13px; line-height: 18px; }
.figure { font-size: 26px; line-height: 32px; font-weight: 700; }
.rows .first td { font-weight: 700; }
@media only screen and (max-width: 479px) {
  .wide { display: none !important; }
  .figure { font-size: 22px !important; }
}
@media (prefers-color-scheme: dark) {
  body, .paper { background: #0e141b !important; }
  .card > table, .card { background: #161e27 !important; }
  a, .good { color: #4fc7b0 !important; }
  .ink, .ink a { color: #e8edf2 !important; }
  .soft { color: #a4b1be !important; }
  .bad { color: #ff8a80 !important; }
  .rows td { border-color: #2a3541 !important; }
}
`;

const engine = new Engine();
engine.setRenderOptions({ disableComments: false, fonts: {}, socialIconOrigin: null }); // it would load those that it knows

/** Mail programs cut off what is longer than 102 KB. */
const withoutIndentation = (markup: string): string => markup.replaceAll(/\n\s*/g, '\n');

/** A report as HTML that mail clients show: without pictures, scripts and styles from elsewhere. @throws Error of a fault in the template */
export function reportHtml(report: ReportContent): string {
  const result = engine.toHtml(withoutIndentation(mailOf(report).markup));
  if (result.type === 'error') throw new Error(`The mail of a report cannot be rendered: ${result.message}`);
  return result.content;
}

function mailOf(report: ReportContent): Html {
  const { visited, inFull, others } = splitByVisitors(report);
  return html`<mjml lang="en">
    <mj-head>
      <mj-title>${subjectOf(report)}</mj-title>
      <mj-preview>${previewOf(visited, report)}</mj-preview>
      <mj-breakpoint width="480px" />
      <mj-attributes>
        <mj-all font-family="-apple-system, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif" />
        <mj-text font-size="15px" line-height="22px" color="#16202e" padding="0 24px" />
        <mj-table font-size="15px" line-height="22px" color="#16202e" padding="4px 24px 0" />
        <mj-section padding="0" />
      </mj-attributes>
      <mj-raw><meta name="color-scheme" content="light dark" /></mj-raw>
      <mj-raw><meta name="supported-color-schemes" content="light dark" /></mj-raw>
      <mj-style>${new Html(STYLE)}</mj-style>
    </mj-head>
    <mj-body width="640px" background-color="#f5f7f9" css-class="paper">
      <mj-section padding="28px 0 16px">
        <mj-column>
          <mj-text css-class="soft"><span class="soft">${report.organization}</span></mj-text>
          <mj-text font-size="24px" line-height="30px" font-weight="700">
            <span class="ink">${report.name}</span>
          </mj-text>
          <mj-text padding="4px 24px 0">
            <span class="ink">${periodText(report)}</span
            ><span class="soft">, compared with ${rangeText(report.comparedWith)}</span>
          </mj-text>
        </mj-column>
      </mj-section>
      ${gapsOf(report)} ${visited.length > 1 ? overview(visited, inFull.length) : undefined} ${inFull.map(fullCard)}
      ${withoutVisitors(others)}
      <mj-section padding="8px 0 28px">
        <mj-column>
          <mj-text font-size="13px" line-height="20px">
            <span class="soft">
              Figures as of ${asOfText(report)}. The dashboards have what arrived later.<br />${new Html(UNSUBSCRIBE_MARK)}
            </span>
          </mj-text>
        </mj-column>
      </mj-section>
    </mj-body>
  </mjml>`;
}

/** The line that mail programs show beside the subject. */
function previewOf([first, ...more]: readonly WebsiteContent[], { comparedWith }: ReportContent): string {
  if (!first) return `No visitors; compared with ${rangeText(comparedWith)}`;
  const { visitors } = first.totals;
  const change = changeOf(visitors)?.text;
  const others = more.length === 0 ? '' : `, and ${more.length} more`;
  return `${first.name}: ${countText(visitors.now)} visitors${change === undefined ? '' : ` (${change})`}${others}`;
}

/** Rows of columns on a sheet of their own. */
const card = (...rows: readonly Html[]): Html =>
  html`<mj-wrapper background-color="#ffffff" css-class="card" border-radius="10px" padding="20px 0">
      ${rows.map((row) => html`<mj-section>${row}</mj-section>`)}
    </mj-wrapper>
    <mj-section padding="0 0 12px"><mj-column></mj-column></mj-section>`;

const heading = (text: Html): Html =>
  html`<mj-text font-size="18px" line-height="24px" font-weight="700">${text}</mj-text>`;

const link = (address: string, text: string): Html => html`<a href="${address}" target="_blank">${text}</a>`;

const changeMark = (change: ReturnType<typeof changeOf>): Html =>
  change ? html`<span class="${change.tone}">${change.text}</span>` : html``;

function gapsOf({ gaps }: ReportContent): Html | undefined {
  if (gaps.length === 0) return undefined;
  const lines = gaps.map((gap) => html`<span class="bad">${gapText(gap)}.</span><br />`);
  return card(
    html`<mj-column
      >${heading(html`<span class="ink">Some figures may be too low</span>`)}<mj-text>${lines}</mj-text></mj-column
    >`,
  );
}

/** A row for each website, also for those that are not shown in full. */
function overview(visited: readonly WebsiteContent[], inFull: number): Html {
  const rows = visited.map(
    ({ name, dashboard, totals }) =>
      html`<tr>
        <td class="name">${link(dashboard, name)}</td>
        ${numberCell(totals.visitors)} ${numberCell(totals.pageviews, 'number wide')}
      </tr>`,
  );
  const note =
    visited.length > inFull
      ? html`<mj-text padding="12px 24px 0" font-size="13px" line-height="18px">
          <span class="soft"
            >Lists and goals of the ${inFull === 1 ? 'one' : inFull} with the most visitors follow.</span
          >
        </mj-text>`
      : undefined;
  return card(
    html`<mj-column>
      ${heading(html`<span class="ink">All websites</span>`)}
      <mj-table css-class="rows">
        <tr class="first">
          <td class="soft small">Website</td>
          <td class="soft small" align="right">Visitors</td>
          <td class="soft small wide" align="right">Page views</td>
        </tr>
        ${rows}
      </mj-table>
      ${note}
    </mj-column>`,
  );
}

const numberCell = (figure: Compared, style = 'number'): Html =>
  html`<td class="${style} ink" align="right">${countText(figure.now)} ${changeMark(changeOf(figure))}</td>`;

function fullCard(website: WebsiteContent): Html {
  const { name, domain, dashboard, totals, lists, goals } = website;
  const [visitors, pageviews, sessions, bounceRate] = FIGURES.map(
    ({ of, label, text, change }) =>
      html`<mj-column width="50%">
        <mj-text padding="12px 8px 0 24px">
          <div class="soft small">${label}</div>
          <div class="ink figure">${link(dashboard, text(totals[of].now))}</div>
          <div class="small">${changeMark(change(totals[of]))}</div>
        </mj-text>
      </mj-column>`,
  );
  const [first, second, third] = lists.map(listOf);
  return card(
    html`<mj-column>
      ${heading(html`<span class="ink">${link(dashboard, name)}</span>`)}
      <mj-text>
        <span class="soft small"
          >${name === domain ? undefined : html`${domain} · `}${link(dashboard, 'Open the dashboard')}</span
        >
      </mj-text>
    </mj-column>`,
    html`<mj-group width="50%">${visitors}${pageviews}</mj-group>
      <mj-group width="50%">${sessions}${bounceRate}</mj-group>`,
    html`<mj-column width="50%">${first}</mj-column><mj-column width="50%">${second}</mj-column>`,
    html`<mj-column width="50%">${third}</mj-column><mj-column width="50%">${goalsOf(goals)}</mj-column>`,
  );
}

const tableOf = (title: string, counted: string, rows: readonly Html[]): Html =>
  html`<mj-table css-class="rows" padding="16px 24px 0">
    <tr class="first">
      <td class="soft small">${title}</td>
      <td class="soft small" align="right">${counted}</td>
    </tr>
    ${rows}
  </mj-table>`;

const listOf = ({ title, rows }: ListContent): Html =>
  tableOf(
    title,
    'Visitors',
    rows.map(
      ({ name, visitors, address }) =>
        html`<tr>
          <td class="name">${link(address, shortened(name))}</td>
          <td class="number ink" align="right">${countText(visitors)}</td>
        </tr>`,
    ),
  );

const goalsOf = (goals: readonly GoalContent[]): Html | undefined =>
  goals.length === 0
    ? undefined
    : tableOf(
        'Goals',
        'Conversions · rate',
        goals.map(
          ({ name, conversions, rate, address }) =>
            html`<tr>
              <td class="name">${link(address, name)}</td>
              <td class="number ink" align="right">
                ${countText(conversions.now)} ${changeMark(changeOf(conversions))}<span class="soft">
                  · ${percentText(rate)}</span
                >
              </td>
            </tr>`,
        ),
      );

function withoutVisitors(others: readonly WebsiteContent[]): Html | undefined {
  if (others.length === 0) return undefined;
  const names = others.map(({ name, dashboard }, at) => html`${at === 0 ? '' : ', '}${link(dashboard, name)}`);
  return card(
    html`<mj-column
      ><mj-text><span class="soft">No visitors: ${names}</span></mj-text></mj-column
    >`,
  );
}

const MAX_NAME = 52;

/** Paths can be long, and say most at both ends. */
const shortened = (name: string): string =>
  name.length <= MAX_NAME ? name : `${name.slice(0, MAX_NAME / 2)}…${name.slice(-MAX_NAME / 2)}`;
