// Times of the server in UTC, with the reader's zone beside them.

const own = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

for (const time of document.querySelectorAll("time[datetime]")) {
  if (new Date().getTimezoneOffset() !== 0) time.title = `${own.format(new Date(time.dateTime))} here`;
}
