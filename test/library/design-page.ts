/** A page with what the library is about: sections that look different, motions, and things that must not be kept. */
export const designPage = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Night Ferry</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
:root { --night: #0b1026; }
body { margin: 0; font: 18px/1.5 Georgia, serif; color: #f4f1e8; background: var(--night); }
.hero { padding: 96px 48px; text-align: center; background-image: linear-gradient(135deg, #1b2a6b, #0b1026); }
.hero h1 { font-size: 56px; margin: 0 0 16px; letter-spacing: 1px; }
.hero .button { display: inline-block; padding: 12px 24px; border-radius: 8px; background: #e8b04b; color: #1b1b1b; transition: transform 200ms ease-out; }
.hero .button:hover { transform: scale(1.05); }
.features { background: #ffffff; color: #222222; padding: 48px; }
.cards { display: grid; grid-template-columns: repeat(3, 1fr); gap: 24px; }
.cards article { border: 1px solid #dddddd; padding: 24px; animation: rise 800ms ease-in both; }
@keyframes rise { from { opacity: 0; transform: translateY(20px); } to { opacity: 1; transform: none; } }
footer { padding: 24px 48px; }
@media (max-width: 900px) { .cards { grid-template-columns: 1fr; } .hero h1 { font-size: 36px; } }
</style></head><body>
<section class="hero" onclick="steal()"><h1>Sail at night</h1><p>The ferry leaves at ten &amp; arrives {at dawn}.</p>
<a class="button" href="/book">Book a cabin</a> <a href="javascript:alert(1)">Odd link</a>
<script>document.title += "";</script><iframe src="about:blank"></iframe></section>
<section class="features"><h2>On board</h2><div class="cards">
<article><h3>Cabins</h3><p>Quiet ones, with a window.</p></article>
<article><h3>Kitchen</h3><p>Open until midnight.</p></article>
<article><h3>Deck</h3><p>For looking at stars.</p></article></div>
<form><label>Name <input type="text" name="name" value="somebody's name"></label><input type="submit" value="Send"></form></section>
<footer><p>Night Ferry Company</p></footer>
</body></html>`;
