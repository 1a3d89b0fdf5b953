// The script of a report page: one file without imports, so that it can stand inside the page.
import { defineConfig } from "vite";

export default defineConfig({
  define: { "process.env.NODE_ENV": "\"production\"" },
  build: {
    outDir: process.env.LENTO_WEB_OUT ?? "dist",
    emptyOutDir: false,
    target: "es2020",
    lib: { entry: "src/report.ts", formats: ["iife"], name: "lentoReport", fileName: () => "report.js" },
  },
});
