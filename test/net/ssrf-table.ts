/**
 * URLs that must never be fetched, by any face of Longhaul: each leads, or tries to lead, to something that is not on the public
 * internet. `PORT` stands for the port of a listener on loopback, which must see no connection.
 */
export const forbiddenUrls: readonly string[] = [
  // Loopback, in every spelling that some parser takes.
  "http://127.0.0.1:PORT/",
  "http://127.0.0.1.:PORT/",
  "http://127.1:PORT/",
  "http://127.0.1:PORT/",
  "http://127.255.255.254:PORT/",
  "http://2130706433:PORT/",
  "http://0x7f000001:PORT/",
  "http://0x7f.0x0.0x0.0x1:PORT/",
  "http://0177.0.0.1:PORT/",
  "http://017700000001:PORT/",
  "http://0x7f.1:PORT/",
  "http://①②⑦.⓪.⓪.①:PORT/",
  "http://127。0。0。1:PORT/",
  "http://%31%32%37.0.0.1:PORT/",
  "http:\\\\127.0.0.1:PORT\\",
  "http:127.0.0.1:PORT",
  "http:/127.0.0.1:PORT/",
  "http://[::1]:PORT/",
  "http://[0:0:0:0:0:0:0:1]:PORT/",
  "http://[::0001]:PORT/",
  "https://127.0.0.1:PORT/",
  "https://[::1]:PORT/",
  // Names of loopback.
  "http://localhost:PORT/",
  "http://localhost.:PORT/",
  "http://LOCALHOST:PORT/",
  "http://loc%61lhost:PORT/",
  "http://ｌｏｃａｌｈｏｓｔ:PORT/",
  "http://foo.localhost:PORT/",
  "http://foo.bar.localhost.:PORT/",
  "http://a..b:PORT/",
  // Unspecified.
  "http://0.0.0.0:PORT/",
  "http://0:PORT/",
  "http://0.1.2.3:PORT/",
  "http://[::]:PORT/",
  // IPv6 addresses that carry an IPv4 address.
  "http://[::ffff:127.0.0.1]:PORT/",
  "http://[::ffff:7f00:1]:PORT/",
  "http://[0:0:0:0:0:ffff:127.0.0.1]:PORT/",
  "http://[::ffff:8.8.8.8]:PORT/",
  "http://[::127.0.0.1]:PORT/",
  "http://[::ffff:0:127.0.0.1]:PORT/",
  "http://[64:ff9b::127.0.0.1]:PORT/",
  "http://[64:ff9b::808:808]:PORT/",
  "http://[64:ff9b:1::7f00:1]:PORT/",
  "http://[2002:7f00:1::]:PORT/",
  "http://[2002:0a00:0001::1]:PORT/",
  "http://[2001:0:4136:e378:8000:63bf:80ff:fffe]:PORT/",
  // Private, shared and link-local networks.
  "http://10.0.0.1/",
  "http://10.255.255.255:PORT/",
  "http://172.16.0.1/",
  "http://172.31.255.255/",
  "http://192.168.0.1/",
  "http://100.64.0.1/",
  "http://100.127.255.254/",
  "http://169.254.1.1/",
  "http://[fc00::1]/",
  "http://[fd12:3456:789a::1]/",
  "http://[fe80::1]/",
  "http://[fec0::1]/",
  // The clouds' metadata services.
  "http://169.254.169.254/latest/meta-data/",
  "http://169.254.169.254./latest/meta-data/",
  "http://2852039166/latest/meta-data/",
  "http://0xA9FEA9FE/",
  "http://[fd00:ec2::254]/latest/meta-data/",
  "http://[::ffff:a9fe:a9fe]/",
  "http://100.100.100.200/latest/meta-data/",
  "http://192.0.0.192/",
  "http://168.63.129.16/",
  "http://169.254.170.2/v2/credentials",
  // Benchmarks, documentation, multicast, broadcast, reserved, and what is not in use.
  "http://198.18.0.1/",
  "http://198.19.255.255/",
  "http://192.0.2.1/",
  "http://198.51.100.1/",
  "http://203.0.113.1/",
  "http://192.88.99.1/",
  "http://224.0.0.1/",
  "http://239.255.255.250:1900/",
  "http://240.0.0.1/",
  "http://255.255.255.255/",
  "http://[ff02::1]/",
  "http://[100::1]/",
  "http://[2001:2::1]/",
  "http://[2001:db8::1]/",
  "http://[2001:10::1]/",
  "http://[2001:20::1]/",
  "http://[3fff::1]/",
  "http://[5f00::1]/",
  "http://[4000::1]/",
  "http://[e000::1]/",
  // User names that make a host look like another.
  "http://example.com@127.0.0.1:PORT/",
  "http://127.0.0.1:PORT@localhost:PORT/",
  "http://user:password@example.com/",
  // Ports of other protocols.
  "http://8.8.8.8:22/",
  "http://8.8.8.8:25/",
  "http://8.8.8.8:6667/",
  "http://8.8.8.8:0/",
  // Not the web.
  "file:///etc/passwd",
  "ftp://127.0.0.1:PORT/",
  "gopher://127.0.0.1:PORT/_GET%20/",
  "dict://127.0.0.1:PORT/",
  "data:text/html,hello",
  "javascript:alert(1)",
  "blob:http://127.0.0.1:PORT/1",
  "ws://127.0.0.1:PORT/",
  "//127.0.0.1:PORT/",
  "not a url",
  "",
];

export function forbiddenUrlsFor(port: number): string[] {
  return forbiddenUrls.map((url) => url.replaceAll("PORT", String(port)));
}

/** Those that also mean the same as the target of a redirect, as bytes for a header. */
export function forbiddenLocationsFor(port: number): string[] {
  const absolute = forbiddenUrlsFor(port).filter((url) => /^(https?:)?(\/\/|\\\\)|^(?!https?:)[a-z]+:/.test(url));
  return absolute.map((url) => Buffer.from(url).toString("latin1"));
}

/** The browser spells hosts in one way before it connects, so one URL for each is enough. */
export function oncePerHost(urls: readonly string[], { port }: { readonly port: number }): string[] {
  const reaching = urls.filter(
    (url) => /^(https?|ws):/.test(url) && URL.canParse(url) && new URL(url).port === String(port),
  );
  return [...new Map(reaching.map((url) => [new URL(url).origin, url])).values()];
}
