// Each name as a symbol that means what the browser means by it, whatever the page's elements are called.
const $ = {};
for (const name of NAMES) {
  // Of the registry: an element may have met the world of another frame first, and answers with that one's prototypes.
  $[name] = Symbol.for(`exhibit.${name}`);
  for (const { prototype } of [Range, Node, CharacterData, Text, Element, HTMLElement, Document, DocumentFragment, ShadowRoot]) {
    const meant = Object.getOwnPropertyDescriptor(prototype, name);
    if (meant) Object.defineProperty(prototype, $[name], meant);
  }
}
