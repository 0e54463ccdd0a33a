/** Where a kind of website takes the script, and what is pasted there. */
interface InstallGuide {
  readonly name: string;
  readonly label: string;
  readonly where: string;
  readonly code: string;
}

/** The parts that are the same in every guide. */
interface Subject {
  readonly host: string;
  readonly id: string;
  /** True if visitors are recognized for longer than a day, for which the browser keeps an id. */
  readonly keepsId: boolean;
}

export const DEFAULT_GUIDE = 'html';

type Attribute = readonly [name: string, value: string];

const attributesFor = ({ id, keepsId }: Subject): readonly Attribute[] => [
  ['data-website-id', id],
  ...(keepsId ? [['data-storage', 'local'] as const] : []),
];

const inMarkup = (attributes: readonly Attribute[]): string =>
  attributes.map(([name, value]) => ` ${name}="${value}"`).join('');

/** The line that every kind of website needs, in one form or another; `more` as ` data-hash`. */
const scriptLine = (subject: Subject, more = ''): string =>
  `<script defer src="${subject.host}/tracker.js"${inMarkup(attributesFor(subject))}${more}></script>`;

export const installGuides = (subject: Subject): readonly [InstallGuide, ...InstallGuide[]] => [
  {
    name: DEFAULT_GUIDE,
    label: 'HTML',
    where: 'Into the template that all pages share, before </head>.',
    code: scriptLine(subject),
  },
  {
    name: 'next',
    label: 'Next.js',
    where: 'In app/layout.tsx; with the pages router, in pages/_app.tsx.',
    code: `import Script from 'next/script';

// inside <body>, beside {children}
<Script src="${subject.host}/tracker.js"${inMarkup(attributesFor(subject))} />`,
  },
  {
    name: 'nuxt',
    label: 'Nuxt',
    where: 'In nuxt.config.ts.',
    code: `export default defineNuxtConfig({
  app: {
    head: {
      script: [{ src: '${subject.host}/tracker.js', defer: true${attributesFor(subject)
        .map(([name, value]) => `, '${name}': '${value}'`)
        .join('')} }],
    },
  },
});`,
  },
  {
    name: 'wordpress',
    label: 'WordPress',
    where: 'At the end of functions.php of a child theme, or the line alone in a plugin that adds code to the header.',
    code: `add_action('wp_head', function () {
    ?>
    ${scriptLine(subject)}
    <?php
});`,
  },
  {
    name: 'tag-manager',
    label: 'Google Tag Manager',
    where:
      'As a tag of the type Custom HTML with the trigger All Pages. (It drops data attributes of a script element.)',
    code: `<script>
  (function () {
    var script = document.createElement('script');
    script.src = '${subject.host}/tracker.js';
${attributesFor(subject)
  .map(([name, value]) => `    script.setAttribute('${name}', '${value}');`)
  .join('\n')}
    document.head.appendChild(script);
  })();
</script>`,
  },
  {
    name: 'single-page',
    label: 'Single-page app',
    where:
      'In index.html. Every change of the path is a page view, as is a query string that is not just replaced; routes after # need data-hash as here.',
    code: scriptLine(subject, ' data-hash'),
  },
  {
    name: 'server',
    label: 'Server',
    where: 'Events that no browser sees, with an API key that may send them (scope track:events).',
    code: `await fetch('${subject.host}/track', {
  method: 'POST',
  headers: { 'Content-Type': 'application/json', 'x-api-key': process.env.LEDGERLINE_KEY },
  body: JSON.stringify({ name: 'order_paid', websiteId: '${subject.id}', properties: { amount: 25 } }),
});`,
  },
];
