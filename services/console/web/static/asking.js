// How a page asks for another one and takes parts of it.

/**
 * Asks for a page. The browser reads it as a document of its own, in which nothing runs.
 * @param {string} method
 * @param {string} address
 * @param {string | null} data
 * @returns {Promise<{ ok: boolean, page: Document }>}
 */
function ask(method, address, data) {
  return new Promise((resolve, reject) => {
    const sent = new XMLHttpRequest();
    sent.open(method, address);
    sent.responseType = "document";
    if (data !== null) sent.setRequestHeader("Content-Type", "application/x-www-form-urlencoded;charset=UTF-8");
    sent.onload = () => (sent.response ? resolve({ ok: sent.status < 400, page: sent.response }) : reject(new Error("no page")));
    sent.onerror = () => reject(new Error("no answer"));
    sent.send(data);
  });
}
