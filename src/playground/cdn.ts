import { Hono } from "hono";
import type { StoredFile } from "./world/records.js";
import type { World } from "./world/world.js";

/** Files and emoji pictures, as Discord's CDN serves them. */
export function cdnRoutes(world: World): Hono {
  const app = new Hono();

  app.get("/attachments/:channel/:attachment/:filename", (c) =>
    serve(world.files.get(c.req.param("attachment"))),
  );

  app.get("/emojis/:file", (c) => {
    const id = c.req.param("file").replace(/\.(png|webp|gif|jpg|jpeg)$/, "");
    return serve(world.emojis.get(id)?.image);
  });

  return app;
}

function serve(file: StoredFile | undefined): Response {
  if (!file) return new Response("Not found", { status: 404 });
  // A page must never run what somebody uploaded.
  return new Response(file.bytes, {
    headers: {
      "content-type": file.contentType,
      "content-length": String(file.bytes.byteLength),
      "x-content-type-options": "nosniff",
      "content-security-policy": "default-src 'none'; sandbox",
    },
  });
}
