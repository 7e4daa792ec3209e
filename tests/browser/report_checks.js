// What is asked of the report in the browser: texts without enough contrast, controls without a name.
({
  poor() {
    const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    const rgba = (colour) => {
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = colour;
      canvas.fillRect(0, 0, 1, 1);
      return [...canvas.getImageData(0, 0, 1, 1).data];
    };
    const linear = (part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    const light = ([r, g, b]) => 0.2126 * linear(r / 255) + 0.7152 * linear(g / 255) + 0.0722 * linear(b / 255);
    const behind = (element) => {
      for (let one = element; one; one = one.parentElement) {
        const colour = rgba(getComputedStyle(one).backgroundColor);
        if (colour[3] > 200) return colour;
      }
      return [255, 255, 255, 255];
    };
    const found = [];
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const element = texts.currentNode.parentElement;
      const words = texts.currentNode.data.trim();
      if (!words || !element.checkVisibility() || element.closest("script, option, noscript, .unseen, .turn.off, .skip")) continue;
      const two = [light(rgba(getComputedStyle(element).color)), light(behind(element))].sort((a, b) => b - a);
      const ratio = (two[0] + 0.05) / (two[1] + 0.05);
      if (ratio < 4.5) found.push(`${words.slice(0, 40)}: ${ratio.toFixed(2)}`);
    }
    return found;
  },
  nameless() {
    const named = (one) =>
      one.tagName === "IMG"
        ? one.hasAttribute("alt")
        : one.getAttribute("aria-label") || (one.labels && one.labels.length) || one.textContent.trim();
    return [...document.querySelectorAll('a, button, input, select, [tabindex="0"], img')]
      .filter((one) => one.checkVisibility() && !one.closest("[aria-hidden=true]") && !named(one))
      .map((one) => one.outerHTML.slice(0, 120));
  },
})
