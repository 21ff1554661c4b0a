import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Hono } from "hono";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** Scripts are compiled; everything else is served as it was written. */
const COMPILED = ".js";

const HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy":
    "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  // A new version is to be seen at the next visit.
  "cache-control": "no-cache",
};

/** Serves the page at `/` and its files below `/page/`. */
export function pageFiles(app: Hono): void {
  const root = packageRoot();
  app.get("/", () => serve(root, "index.html"));
  app.get("/page/:file", (c) => serve(root, c.req.param("file")));
}

async function serve(root: string, name: string): Promise<Response> {
  const extension = extname(name);
  const type = TYPES[extension];
  if (type === undefined || !/^\w+\.\w+$/.test(name)) return notFound("Not found");
  const folder = join(root, extension === COMPILED ? "dist" : "", "src/playground/web/page");
  try {
    const bytes = await readFile(join(folder, name));
    return new Response(bytes, { headers: { ...HEADERS, "content-type": type } });
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
    return notFound(extension === COMPILED ? "The page is not built: npm run build" : "Not found");
  }
}

function notFound(text: string): Response {
  return new Response(text, { status: 404, headers: { ...HEADERS, "content-type": "text/plain" } });
}

/** The folder with `package.json`, from the sources as well as from what is compiled. */
function packageRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "package.json"))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error("There is no package.json above the playground.");
    folder = parent;
  }
  return folder;
}
