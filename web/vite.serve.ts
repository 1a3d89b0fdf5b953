// The script of the page that `lento serve` shows.
import { defineConfig } from "vite";

export default defineConfig({
  define: { "process.env.NODE_ENV": "\"production\"" },
  build: {
    outDir: process.env.LENTO_WEB_OUT ?? "dist",
    emptyOutDir: false,
    target: "es2020",
    lib: { entry: "src/serve.ts", formats: ["iife"], name: "lentoServe", fileName: () => "serve.js" },
  },
});
