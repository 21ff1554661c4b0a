import { toPng } from "jdenticon";
import type { Painter } from "../ports/system.js";

const SIZE_PX = 256;

/** Draws a symmetrical pattern on a light, opaque ground, so that it shows in dark and light themes. */
export function createPainter(): Painter {
  return {
    draw: (displayName) =>
      new Uint8Array(
        toPng(displayName.normalize("NFKC").trim(), SIZE_PX, {
          backColor: "#f2f3f5",
          lightness: { color: [0.35, 0.6], grayscale: [0.2, 0.4] },
          saturation: { color: 0.7, grayscale: 0.45 },
          padding: 0.08,
        }),
      ),
  };
}
