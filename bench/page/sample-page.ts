const card = (index: number): string =>
  `<article class="card"><h3>Berth ${index}</h3><p>A place for a boat of ${8 + (index % 7)} metres, with water and power.</p><a href="#berth-${index}">Book berth ${index}</a></article>`;

/** A page of about 300 elements, as many pages are. */
export const samplePage = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Harbour: berths to book</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="description" content="All berths of the harbour, with their lengths and prices.">
<link rel="icon" href="data:,"><style>
body { margin: 0; font: 16px/1.5 Georgia, serif; color: #1b2a33; background: #fdfcf8; } header, main, footer { max-width: 70rem; margin: auto; padding: 1.5rem; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(14rem, 1fr)); gap: 1.5rem; } .card { border: 1px solid #c9d3d8; padding: 1rem; transition: transform .2s ease-out; }
.card:hover { transform: translateY(-2px); } a { color: #0b5d68; } nav a { display: inline-block; padding: .5rem 1rem; }
@media (prefers-reduced-motion: reduce) { .card { transition: none; } }
</style></head><body><header><nav aria-label="Main"><a href="#a">Berths</a><a href="#b">Prices</a><a href="#c">Contact</a></nav></header>
<main><section class="hero"><h1>Berths to book</h1><p>Choose a place for your boat.</p></section><section class="features"><h2>All berths</h2><div class="cards">${Array.from({ length: 68 }, (_, index) => card(index + 1)).join("\n")}</div></section></main>
<footer><p>© 2026 The harbour</p></footer></body></html>`;
