// The page of a sentence that a model makes a task of: it is loaded again once there is an answer.

const again = 2000;
const mark = document.querySelector("[data-waits]");

/** @param {string} wait @param {string} there */
async function follow(wait, there) {
  for (;;) {
    try {
      const answer = await fetch(wait);
      if (answer.status !== 202) break;
    } catch {
      await new Promise((goOn) => setTimeout(goOn, again));
    }
  }
  location.replace(there);
}

if (mark instanceof HTMLElement && mark.dataset.waits) void follow(`${mark.dataset.waits}/wait`, mark.dataset.waits);
