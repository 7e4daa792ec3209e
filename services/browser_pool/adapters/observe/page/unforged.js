// Each property as a symbol with the browser's own getter, which names of page elements cannot shadow.
const $ = {};
for (const name of NAMES) {
  // From the global symbol registry: an element may have the prototypes of another frame's world.
  $[name] = Symbol.for(`exhibit.${name}`);
  for (const { prototype } of [Range, Node, CharacterData, Text, Element, HTMLElement, Document, DocumentFragment, ShadowRoot]) {
    const meant = Object.getOwnPropertyDescriptor(prototype, name);
    if (meant) Object.defineProperty(prototype, $[name], meant);
  }
}
