/** Something of all that the profile tells: sections, gradients, variables, calculations, movements, faults. */
export const livelyPage = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Sails and ropes</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta property="og:image" content="https://example.org/sail.png">
<style>
:root { --ink: #1b2a33; --sea: #0b5d68; --gap: 1.5rem; --card-shadow: 0 2px 4px var(--ink); --fast: 200ms; }
body { margin: 0; color: var(--ink); background: #fdfcf8; font: 18px/1.6 Georgia, serif; }
header { background: linear-gradient(135deg, rgb(11, 93, 104) 0%, rgba(240, 120, 20, 0.8) 100%); color: #fff; }
h1 { font-size: clamp(2rem, 5vw, 3.5rem); }
.cards { display: grid; grid-template-columns: 1fr 1fr; gap: var(--gap); width: calc(100% - 2rem); }
.glow { height: 40px; background: radial-gradient(circle, rgb(200, 30, 60), rgb(30, 60, 200)); animation: glow 2s cubic-bezier(.4, 0, .2, 1) infinite; }
.step { animation: slide 1s steps(4, end) 2; }
a { color: #c2410c; transition: color var(--fast) ease-in; }
a:hover { color: #7c2d12; }
.dim { color: #cccccc; }
@keyframes glow { to { opacity: .4; } }
@keyframes slide { to { left: 40px; } }
@media (max-width: 600px) { .cards { display: block; } header nav { display: none; } }
</style></head><body>
<header><nav aria-label="Main"><a href="#sails">Sails</a> <a href="#ropes">Ropes</a></nav>
<h1>Sails and ropes</h1><p>Made by hand in a small loft by the harbour.</p><button type="button">Ask for an offer</button></header>
<main>
<section id="sails" class="features"><h2>Sails</h2><div class="cards"><article><h3>Main</h3><p>For steady winds.</p></article>
<article><h3>Jib</h3><p>For the way home.</p><img src="/sail.png" alt="A jib"></article></div><div class="glow"></div></section>
<section id="ropes" class="portfolio"><h2>Ropes</h2><p class="dim">Nobody can read how strong they are.</p><div class="step">Ropes</div><img src="/rope.png"></section>
</main><footer><p>© Sails and ropes</p></footer>
<script>
document.querySelector("h1").animate([{ transform: "none" }, { transform: "scale(1.02)" }], { duration: 60000, iterations: Infinity, direction: "alternate" });
</script></body></html>`;
