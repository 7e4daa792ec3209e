// A picture of a page at work, as it comes in an event: bytes for a canvas, and nothing that has an address.

/** @param {{ picture: string }} frame @returns {Promise<ImageBitmap | null>} null: it is no picture */
async function pictureOf(frame) {
  try {
    const bytes = Uint8Array.from(atob(frame.picture), (one) => one.charCodeAt(0));
    return await createImageBitmap(new Blob([bytes], { type: "image/jpeg" }));
  } catch {
    return null;
  }
}

/** Draw a picture, which is used up. @param {HTMLCanvasElement} canvas @param {ImageBitmap} picture */
function drawn(canvas, picture) {
  canvas.width = picture.width;
  canvas.height = picture.height;
  canvas.getContext("2d")?.drawImage(picture, 0, 0);
  picture.close();
}
