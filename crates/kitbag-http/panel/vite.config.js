// One script, one worker and one style sheet with fixed names, so that the embedded files are reproducible.
export default {
  base: "/",
  publicDir: "public",
  server: { proxy: { "/v1": "http://127.0.0.1:7420" } },
  worker: { format: "es", rollupOptions: { output: { entryFileNames: "page-highlight.js" } } },
  build: {
    target: "es2022",
    modulePreload: false,
    cssCodeSplit: false,
    assetsInlineLimit: 0,
    emptyOutDir: true,
    reportCompressedSize: false,
    rollupOptions: {
      output: {
        entryFileNames: "page.js",
        chunkFileNames: "page-[name].js",
        assetFileNames: (asset) => (asset.names?.[0]?.endsWith(".css") ? "page.css" : "[name][extname]"),
      },
    },
  },
};
