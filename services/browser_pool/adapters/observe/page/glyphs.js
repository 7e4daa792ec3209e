// Which characters are drawn as the sign that fonts have in place of one that none of them has: an empty box.

// No character, so that no font has a sign for it: what is drawn like it in the same font is drawn as a box.
const UNASSIGNED = '\u0378';
const GLYPH_PX = 32, GLYPH_AREA_PX = 64;
// These are drawn as nothing, or not by themselves.
const NOT_DRAWN = /[\s\p{Z}\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/u;

// Answers how many characters of a text no font has, in the font of a style. It draws on a canvas that is in no page.
// What it has drawn is known for as long as it is kept: fonts may come meanwhile.
function glyphsOf(doc) {
  const canvas = doc.createElement('canvas');
  canvas.width = canvas.height = GLYPH_AREA_PX;
  const pen = canvas.getContext('2d', { willReadFrequently: true });
  const drawn = (text, font) => {
    pen.clearRect(0, 0, GLYPH_AREA_PX, GLYPH_AREA_PX);
    pen.font = font;
    pen.fillText(text, GLYPH_PX / 4, GLYPH_AREA_PX * 0.7);
    return new Uint32Array(pen.getImageData(0, 0, GLYPH_AREA_PX, GLYPH_AREA_PX).data.buffer);
  };
  const fonts = new Map();
  const fontOf = ({ fontStyle, fontWeight, fontFamily }) => {
    const name = `${fontStyle} ${fontWeight} ${GLYPH_PX}px ${withoutUnloaded(fontFamily, doc) || 'sans-serif'}`;
    if (!fonts.has(name)) fonts.set(name, { name, box: drawn(UNASSIGNED, name), known: new Map() });
    return fonts.get(name);
  };
  return (text, style) => {
    const { name, box, known } = fontOf(style);
    const isBox = (letter) => {
      if (!known.has(letter)) known.set(letter, drawn(letter, name).every((pixel, at) => pixel === box[at]));
      return known.get(letter);
    };
    return [...text.normalize('NFC')].filter((letter) => !NOT_DRAWN.test(letter) && isBox(letter)).length;
  };
}

// The families without those that the page declares and uses nowhere: to draw with one would have it loaded.
function withoutUnloaded(families, doc) {
  const used = new Map();
  for (const { family, status } of doc.fonts || []) {
    const name = plainFamily(family);
    used.set(name, used.get(name) || status !== 'unloaded');
  }
  return families.split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/).filter((family) => used.get(plainFamily(family)) !== false).join(',');
}
const plainFamily = (family) => family.trim().replace(/^["']|["']$/g, '').toLowerCase();
