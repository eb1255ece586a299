// Encodes a picture as PNG away from the page.
addEventListener('message', ({ data: bitmap }: MessageEvent<ImageBitmap>) => {
  const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
  canvas.getContext('bitmaprenderer')!.transferFromImageBitmap(bitmap);
  void canvas.convertToBlob().then((png) => postMessage(png));
});
