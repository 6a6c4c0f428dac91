// A flame picture as one HTML file: callers above, what they call below, width is time. A click on a frame makes it as wide as the page,
// a click on the top row goes back; without a script it is still a picture.

import { escapeHtml } from '../broker/charts.js';
import type { Frame, SelfTime } from './cpu-profile.js';

const WIDTH = 1140;
const ROW = 18;
/** Narrower frames are left out. */
const LEAST_WIDTH = 0.4;
const CHARACTER_WIDTH = 6.3;

const STYLE = `
:root{color-scheme:light dark;--page:#fff;--ink:#1c2430;--soft:#5b6675;--rule:#dfe3e8;--edge:#fff}
@media (prefers-color-scheme:dark){:root{--page:#14181e;--ink:#e6eaf0;--soft:#9aa5b4;--rule:#2c343f;--edge:#14181e}}
body{margin:0 auto;max-width:1180px;padding:24px;background:var(--page);color:var(--ink);font:14px/1.45 system-ui,"DejaVu Sans",sans-serif}
h1{font-size:20px;margin:0 0 4px}p{margin:4px 0 14px;color:var(--soft)}
svg{display:block;max-width:100%;height:auto}rect{stroke:var(--edge);stroke-width:.6;cursor:pointer}
svg text{font:10.5px ui-monospace,"DejaVu Sans Mono",monospace;fill:#10151c;pointer-events:none}
.broker{fill:#7fb0ee}.node{fill:#e8b878}.native{fill:#b9c0c9}.load{fill:#a5d8b4}
table{border-collapse:collapse;margin-top:18px;font-variant-numeric:tabular-nums}td,th{padding:3px 10px;text-align:right;border-bottom:1px solid var(--rule)}
th{color:var(--soft)}td:nth-child(3),td:nth-child(4),th:nth-child(3),th:nth-child(4){text-align:left;font-family:ui-monospace,"DejaVu Sans Mono",monospace;font-size:12px}
.legend i{display:inline-block;width:11px;height:11px;margin:0 6px 0 14px;vertical-align:-1px}`;

const SCRIPT = `
const svg=document.querySelector('svg'),all=[...svg.querySelectorAll('g')].map(g=>({g,r:g.firstElementChild,t:g.lastElementChild,x:+g.dataset.x,w:+g.dataset.w,y:+g.dataset.y,n:g.dataset.n}));
function zoom(f){const k=${WIDTH}/f.w;for(const e of all){const x=e.y<f.y?0:(e.x-f.x)*k,w=e.y<f.y?${WIDTH}:e.w*k,on=e.y<f.y?e.x<=f.x+1e-6&&e.x+e.w>=f.x+f.w-1e-6:e.x>=f.x-1e-6&&e.x+e.w<=f.x+f.w+1e-6;
e.g.style.display=on?'':'none';e.r.setAttribute('x',x);e.r.setAttribute('width',Math.max(0,w));e.t.setAttribute('x',x+4);const c=Math.floor((w-6)/${CHARACTER_WIDTH});e.t.textContent=c<3?'':e.n.length<=c?e.n:e.n.slice(0,c-1)+'…'}}
for(const e of all)e.g.addEventListener('click',()=>zoom(e));`;

export function flameHtml(
  title: string,
  about: string,
  root: Frame,
  top: readonly SelfTime[],
): string {
  const parts: string[] = [];
  let depth = 0;
  const scale = root.totalUs === 0 ? 0 : WIDTH / root.totalUs;
  const draw = (frame: Frame, x: number, level: number): void => {
    const width = frame.totalUs * scale;
    if (width < LEAST_WIDTH) return;
    depth = Math.max(depth, level);
    parts.push(box(frame, x, level, width, root.totalUs));
    let at = x;
    for (const child of [...frame.children].sort((a, b) => b.totalUs - a.totalUs)) {
      draw(child, at, level + 1);
      at += child.totalUs * scale;
    }
  };
  draw(root, 0, 0);
  const height = (depth + 1) * ROW;
  const legend =
    '<span class="legend"><i style="background:#7fb0ee"></i>broker<i style="background:#e8b878"></i>Node<i style="background:#b9c0c9"></i>engine and native</span>';
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(title)}</title><style>${STYLE}</style></head><body>
<h1>${escapeHtml(title)}</h1><p>${escapeHtml(about)}${legend}</p>
<svg viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}">${parts.join('')}</svg>
${table(top, root.totalUs)}
<script>${SCRIPT}</script></body></html>
`;
}

function box(frame: Frame, x: number, level: number, width: number, allUs: number): string {
  const label = frame.place === '' ? frame.name : `${frame.name} ${frame.place}`;
  const share = ((frame.totalUs / allUs) * 100).toFixed(1);
  const own = ((frame.selfUs / allUs) * 100).toFixed(1);
  const room = Math.floor((width - 6) / CHARACTER_WIDTH);
  const shown = room < 3 ? '' : label.length <= room ? label : `${label.slice(0, room - 1)}…`;
  const y = level * ROW;
  return (
    `<g data-x="${x.toFixed(2)}" data-w="${width.toFixed(2)}" data-y="${y}" data-n="${escapeHtml(label)}">` +
    `<rect class="${kindOf(frame)}" x="${x.toFixed(2)}" y="${y}" width="${width.toFixed(2)}" height="${ROW}"><title>${escapeHtml(label)}: ${share} %, ${own} % itself</title></rect>` +
    `<text x="${(x + 4).toFixed(2)}" y="${y + 13}">${escapeHtml(shown)}</text></g>`
  );
}

function kindOf({ url }: Frame): string {
  if (url.includes('/dist/')) return 'broker';
  if (url.startsWith('node:') || url.includes('node_modules')) return 'node';
  return 'native';
}

function table(top: readonly SelfTime[], allUs: number): string {
  const rows = top.map(({ name, place, selfUs }) => {
    const share = ((selfUs / allUs) * 100).toFixed(1);
    return `<tr><td>${share} %</td><td>${(selfUs / 1000).toFixed(0)} ms</td><td>${escapeHtml(name)}</td><td>${escapeHtml(place)}</td></tr>`;
  });
  return `<table><tr><th>itself</th><th>time</th><th>function</th><th>where</th></tr>${rows.join('')}</table>`;
}
