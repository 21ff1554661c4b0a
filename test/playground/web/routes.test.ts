import { Hono } from "hono";
import { expect, it } from "vitest";
import { pageFiles } from "../../../src/playground/web/routes.js";

const app = new Hono();
pageFiles(app);

it("serves the page, which may load nothing from elsewhere", async () => {
  const response = await app.request("/");
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(response.headers.get("content-security-policy")).toMatch(/^default-src 'self';/);
  expect(await response.text()).toContain("<title>Parley playground</title>");
});

it("serves every file that the page names", async () => {
  const page = await (await app.request("/")).text();
  const files = [...page.matchAll(/(?:href|src)="(\/[^"]+)"/g)].map(([, path = ""]) => path);
  expect(files.length).toBeGreaterThan(3);
  for (const file of files) expect([file, (await app.request(file)).status]).toEqual([file, 200]);
});

it.each([
  "/page/tsconfig.json",
  "/page/main.ts",
  "/page/..%2Froutes.js",
  "/page/%2e%2e%2fx.js",
  "/page/nothing.css",
])("does not serve %s", async (path) => {
  expect((await app.request(path)).status).toBe(404);
});
