/** The report carries its style with it: it must look the same from a disk, a mail or a server that allows nothing else. */
export const reportStyle = `
:root { color-scheme: light dark; --ink: #17212b; --soft: #5a6875; --paper: #f4f6f8; --card: #ffffff; --line: #dfe5ea; --track: #e6ebef; --accent: #0f6f8c; --good: #1a7f4b; --fair: #a86400; --poor: #c0362c; --part: #dcecf2; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8edf2; --soft: #9fb0be; --paper: #10161c; --card: #18212a; --line: #2a3742; --track: #283541; --accent: #5cc0de; --good: #52c78a; --fair: #e2a64a; --poor: #f0776c; --part: #21404d; } }
* { box-sizing: border-box; }
.long { overflow-wrap: anywhere; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif; }
main { max-width: 1080px; margin: 0 auto; padding: 32px 20px 64px; }
header.top { display: flex; flex-wrap: wrap; gap: 28px; align-items: center; }
header.top > div:first-child { flex: 1 1 520px; min-width: 0; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 6px; overflow-wrap: break-word; display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 4; overflow: hidden; }
h2 { font-size: 1.25rem; margin: 0 0 14px; }
h3 { font-size: 1rem; margin: 18px 0 8px; }
a { color: var(--accent); overflow-wrap: break-word; }
p { margin: 0 0 10px; }
.soft { color: var(--soft); font-size: .9rem; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 14px; padding: 22px 24px; margin-top: 20px; overflow: hidden; }
.rings { display: flex; flex-wrap: wrap; gap: 12px 26px; align-items: center; }
.grade { font-size: 4rem; font-weight: 750; line-height: 1; width: 104px; height: 104px; border-radius: 24px; display: grid; place-items: center; color: #fff; background: var(--good); }
.grade.fair { background: var(--fair); } .grade.poor { background: var(--poor); }
@media (prefers-color-scheme: dark) { .grade { color: #10161c; } }
.ring .track { fill: none; stroke: var(--track); stroke-width: 11; } .ring .value { fill: none; stroke: var(--good); stroke-width: 11; stroke-linecap: round; }
.ring.fair .value { stroke: var(--fair); } .ring.poor .value { stroke: var(--poor); }
.ring .number { font-size: 30px; font-weight: 700; text-anchor: middle; dominant-baseline: middle; fill: var(--ink); } .ring .caption { font-size: 15px; text-anchor: middle; fill: var(--soft); }
.bars { display: grid; grid-template-columns: max-content minmax(60px, 1fr) max-content; gap: 8px 16px; align-items: center; max-width: 680px; } .bars .track { height: 14px; border-radius: 7px; background: var(--track); } .bars .value { display: block; height: 100%; min-width: 3px; border-radius: 7px; background: var(--accent); }
.bars .good { background: var(--good); } .bars .fair { background: var(--fair); } .bars .poor { background: var(--poor); }
.map { width: 100%; max-width: 300px; height: auto; } .map .sheet { fill: none; stroke: var(--line); } .map .part rect { fill: var(--part); } .map text { font-size: 11px; fill: var(--ink); }
.two { display: grid; gap: 24px; grid-template-columns: minmax(0, 1fr) minmax(0, 2fr); } @media (max-width: 760px) { .two { grid-template-columns: minmax(0, 1fr); } }
body { overflow-wrap: break-word; } .wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .92rem; } th { text-align: left; color: var(--soft); font-weight: 600; white-space: nowrap; } th, td { padding: 7px 12px 7px 0; border-bottom: 1px solid var(--line); vertical-align: top; overflow-wrap: break-word; } tr:last-child td { border-bottom: 0; }
.card > p.soft { margin-top: 12px; } td:first-child { min-width: 88px; }
@media (max-width: 860px) { main { padding: 20px 12px 48px; } header.top > div:first-child { flex-basis: 100%; } h1 { font-size: clamp(.8rem, calc((100vw - 24px) / var(--longest) / .66), 1.25rem); } .grade { width: 76px; height: 76px; font-size: 3rem; } .ring { width: 88px; height: auto; } .card { padding: 16px; } thead { display: none; } table, tbody, tr, td { display: block; } tr { padding: 8px 0; border-bottom: 1px solid var(--line); } tr:last-child { border-bottom: 0; } td { border: 0; padding: 2px 0; } td:empty { display: none; } td:not(:first-child)::before { content: attr(data-column) ": "; color: var(--soft); font-size: .85rem; } }
.tag { display: inline-block; padding: 1px 9px; border-radius: 99px; font-size: .78rem; font-weight: 600; border: 1px solid currentColor; white-space: nowrap; }
.critical, .serious { color: var(--poor); } .moderate { color: var(--fair); } .minor { color: var(--soft); } .ok { color: var(--good); }
.swatches { display: flex; flex-wrap: wrap; gap: 10px; } .swatch { width: 104px; font-size: .8rem; } .swatch svg { display: block; width: 104px; height: 56px; border-radius: 10px; border: 1px solid var(--line); margin-bottom: 4px; }
code { font: .85em ui-monospace, "SF Mono", "Liberation Mono", monospace; color: var(--soft); overflow-wrap: break-word; }
.shots { display: flex; flex-wrap: wrap; gap: 18px; align-items: flex-start; } .shots figure { margin: 0; max-width: 100%; } .shots .window { max-height: 460px; overflow: auto; border: 1px solid var(--line); border-radius: 10px; } .shots img { display: block; max-width: 100%; height: auto; } figcaption { font-size: .85rem; color: var(--soft); margin-top: 6px; }
.crop { display: block; margin: 6px 0 10px; } .crop img { display: block; max-width: min(100%, 320px); max-height: 180px; border: 1px solid var(--line); border-radius: 8px; }
.note { border-left: 4px solid var(--fair); padding: 10px 14px; background: var(--card); border-radius: 0 10px 10px 0; margin-top: 20px; }
ul.plain { margin: 0; padding-left: 18px; }
`;
