// Times of the server as the reader has them: in his zone, with UTC beside.

/** @param {string | undefined} zone undefined: that of the reader @param {boolean} seconds */
function clockIn(zone, seconds) {
  return new Intl.DateTimeFormat("en-GB", {
    timeZone: zone, hour: "2-digit", minute: "2-digit", second: seconds ? "2-digit" : undefined, hourCycle: "h23",
  });
}

/** @param {string | undefined} zone */
const dayIn = (zone) => new Intl.DateTimeFormat("en-GB", { timeZone: zone, day: "numeric", month: "long", year: "numeric" });

/** @param {Date} at */
function zoneAt(at) {
  const parts = new Intl.DateTimeFormat("en-GB", { timeZoneName: "short" }).formatToParts(at);
  return parts.find((one) => one.type === "timeZoneName")?.value ?? "here";
}

/** Say each time of an element in the reader's zone, as far as its text says it in UTC: with its day, its seconds.
 * @param {Element} root */
function tellTimes(root) {
  const found = [...(root instanceof HTMLTimeElement ? [root] : []), ...root.querySelectorAll("time")];
  for (const time of found) {
    const at = new Date(time.dateTime);
    if (time.dataset.told || Number.isNaN(at.getTime()) || !at.getTimezoneOffset()) continue;
    const text = time.textContent ?? "";
    const seconds = text.split(":").length > 2;
    const [own, utc] = [dayIn(undefined).format(at), dayIn("UTC").format(at)];
    const day = /\d{4}/.test(text);
    const beside = document.createElement("span");
    beside.className = "utc";
    beside.textContent = `(${day && own !== utc ? `${utc}, ` : ""}${clockIn("UTC", seconds).format(at)}\u00a0UTC)`;
    time.dataset.told = "1";
    time.title = `${utc}, ${clockIn("UTC", true).format(at)}\u00a0UTC`;
    time.replaceChildren(`${day ? `${own}, ` : ""}${clockIn(undefined, seconds).format(at)} ${zoneAt(at)} `, beside);
  }
}
