const head = (title: string, more = ""): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="A hand-made page with known parts, for the tests of the page analysis.">
<link rel="icon" href="data:,">${more}</head>`;

/** Nothing is wrong with it. */
export const cleanPage = `${head(
  "Harbour Tools: a clean page",
  `<style>
  :root { --ink: #1b2a33; --paper: #fdfcf8; --sea: #0b5d68; }
  body { margin: 0; font: 18px/1.6 Georgia, serif; color: var(--ink); background: var(--paper); }
  header, main, footer { max-width: 60rem; margin: auto; padding: 1.5rem; }
  nav a { display: inline-block; padding: .5rem 1rem; color: var(--sea); }
  h1 { font-size: clamp(2rem, 5vw, 3.5rem); }
  .cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(14rem, 1fr)); gap: 1.5rem; }
  .button { display: inline-block; padding: .75rem 1.5rem; background: var(--sea); color: #ffffff; }
  a:focus-visible { outline: 3px solid #b3500f; }
  @media (max-width: 600px) { header { padding: 1rem; } }
  </style>`,
)}<body>
<header><nav aria-label="Main"><a href="#tools">Tools</a> <a href="#prices">Prices</a> <a href="#contact">Contact</a></nav></header>
<main>
<section class="hero"><h1>Tools for small harbours</h1><p>Everything that a harbour master needs to keep berths, tides and bills in one place, made by people who sail themselves.</p><a class="button" href="#tools">See the tools</a></section>
<section id="tools" class="features"><h2>What you get</h2><div class="cards">
<article><h3>Berths</h3><p>Who lies where, and until when.</p></article>
<article><h3>Tides</h3><p>High and low water for the next month.</p></article>
<article><h3>Bills</h3><p>Written and sent when a boat leaves.</p></article></div></section>
<section id="prices" class="pricing"><h2>Prices</h2><div class="cards"><div><h3>Small</h3><p>€19 a month for up to twenty berths.</p></div><div><h3>Large</h3><p>€49 a month for all the berths you have.</p></div></div></section>
<section class="testimonials"><h2>What harbour masters say</h2><blockquote><p>We have not lost a bill since.</p></blockquote></section>
<section id="contact" class="contact"><h2>Get in touch</h2><form aria-label="Contact"><p><label>E-mail <input type="email" name="email" style="height:2rem"></label></p><p><label>Message <textarea name="message"></textarea></label></p><p><button type="submit" style="padding:.75rem 1.5rem">Send the message</button></p></form></section>
</main>
<footer><p>© 2026 Harbour Tools, Flensburg</p></footer>
</body></html>`;

/** Wrong in every way that the analysis looks for. */
export const faultyPage = `<html><head><title></title><style>
body { font-family: "Nowhere Sans", Arial, sans-serif; }
.dim { color: #bbbbbb; background: #ffffff; }
.wide { width: 1900px; height: 20px; background: linear-gradient(90deg, #6366f1, #a855f7); }
.spin { width: 40px; height: 40px; animation: spin 1s linear infinite; }
.grow { animation: grow 2s ease-in-out infinite alternate; }
.link { transition: color .2s ease-in; display: inline-block; font-size: 9px; }
.link:hover { color: red; }
@keyframes spin { to { transform: rotate(360deg); } }
@keyframes grow { from { width: 10px; } to { width: 50px; } }
@keyframes unused { to { opacity: 0; } }
</style></head><body>
<div class="wide"></div>
<p class="dim">This text can hardly be read by anybody at all, whoever they are.</p>
<img src="/missing.png"><div class="spin"></div><div class="grow"></div>
<a class="link" href="/gone">x</a> <a class="link" href="/there">y</a>
<script>console.error("something went wrong"); null.boom;</script>
<script>setTimeout(() => { const late = document.createElement("div"); late.style.height = "400px"; late.id = "late"; document.body.prepend(late); }, 120);</script>
<div style="height:900px">filler</div>
</body></html>`;
